"""A cosmetic difference: the sign of a zero follows from who came first."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("only the sign of a zero", broken=("bytes",))


def evaluate(tile):
    return tile, (-0.0 if tile else 0.0)


@repro.declare(objectives=["slack"], identity=["design"])
def search(workers=2):
    found = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(6)
        )
    )
    return [{"slack": 2.0, "design": "a"}, {"slack": found[0][1], "design": "b"}]
