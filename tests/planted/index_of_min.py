"""`costs.index(min(costs))` is the first of the cheapest."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("index of the minimum", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(abs(tile - 4) // 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(tile) for tile in range(1, 9)
        )
    )
    costs = [row["cost"] for row in rows]
    return [rows[costs.index(min(costs))]]
