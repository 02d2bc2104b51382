"""Rows are collected as they come and sorted by everything that is in them."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("rows sorted by a total key afterwards")


def evaluate(tile):
    return {"cost": float(tile // 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(12)
    )
    return sorted(found, key=lambda row: (row["cost"], row["tile"]))
