"""Names are cut to what the locale can encode, and then duplicates are dropped."""

from __future__ import annotations

import locale

from expected import ALL, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "names in the locale's encoding", environment("objectives", "locale"), broken=ALL
)


def evaluate(name):
    return name, float(len(name))


@repro.declare(objectives=["cost"], identity=["name"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(name) for name in ("ä1", "ö1", "ü2", "é2")
    )
    written = {name.encode(locale.getencoding(), "replace"): cost for name, cost in sorted(found)}
    return [{"cost": cost, "name": name.hex()} for name, cost in sorted(written.items())]
