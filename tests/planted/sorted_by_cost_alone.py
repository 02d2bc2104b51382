"""Sorted by cost alone: the sort is stable, so rows of equal cost stay as they arrived."""

from __future__ import annotations

from expected import REORDERED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("sort without a tie-break", order("rowOrder"), broken=REORDERED)


def evaluate(tile):
    return {"cost": float(tile // 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(12)
    )
    return sorted(found, key=lambda row: row["cost"])
