"""A set of names, filled as they come, but sorted before use."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("set sorted before use")


def evaluate(tile):
    return f"component {tile % 5}"


@repro.declare(objectives=["cost"], identity=["used"])
def search(workers=2):
    used = set(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(12)
        )
    )
    return [{"cost": float(len(used)), "used": ", ".join(sorted(used))}]
