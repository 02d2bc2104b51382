"""Rows are appended as they come: the same rows, in another order."""

from __future__ import annotations

from expected import REORDERED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("rows appended in arrival order", order("rowOrder"), broken=REORDERED)


def evaluate(tile):
    return {"cost": float(tile * tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    return list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(tile) for tile in range(8)
        )
    )
