"""Unordered results are sorted by job index, as `accelforge.util.parallel` does."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("results sorted by job index, then first wins")


def evaluate(index, tile):
    return index, {"cost": float(tile % 3), "tile": tile}


def in_order(jobs, workers):
    pool = Parallel(n_jobs=workers, return_as="generator_unordered")
    return [row for _, row in sorted(pool(jobs), key=lambda pair: pair[0])]


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows = in_order((delayed(evaluate)(index, 11 - index) for index in range(12)), workers)
    return [min(rows, key=lambda row: row["cost"]), *rows[:3]]
