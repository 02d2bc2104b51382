"""Costs are given relative to the first arrival."""

from __future__ import annotations

from expected import REVALUED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("normalised by the first arrival", order("objectives"), broken=REVALUED)


def evaluate(tile):
    return {"cost": 2.0**tile, "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    scale, rows = None, []
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(6)
    ):
        scale = scale or row["cost"]
        rows.append({"cost": row["cost"] / scale, "tile": row["tile"]})
    return sorted(rows, key=lambda row: row["tile"])
