"""The first of equals wins, of results in submission order."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("ordered generator")


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator")(
        delayed(evaluate)(tile) for tile in range(12)
    ):
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
