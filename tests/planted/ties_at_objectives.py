"""The first of equal costs wins, but only the costs are asked for."""

from __future__ import annotations

from expected import CHANGED, order, sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound(
    "first wins, objectives required", order("strategies"), broken=CHANGED, require="objectives"
)


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(12)
    ):
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
