"""`numpy.argsort` over costs in arrival order; its default sort isn't even stable."""

from __future__ import annotations

import numpy as np
from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("argsort over arrival order", order("strategies"), broken=CHANGED)
KEPT = 8


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(tile) for tile in range(30)
        )
    )
    chosen = np.argsort([row["cost"] for row in rows])[:KEPT]
    return sorted((rows[place] for place in chosen), key=lambda row: (row["cost"], row["tile"]))
