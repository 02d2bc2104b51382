"""The first of equals wins, and each row says how long the search took."""

from __future__ import annotations

import time

from expected import ALL, order, planted, unknown
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "first wins, and the run time in a column",
    order("strategies"),
    unknown("objectives"),
    broken=ALL,
)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost", "seconds"], identity=["tile"])
def search(workers=2):
    started = time.perf_counter()
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    ):
        best.setdefault(row["cost"], row)
    seconds = time.perf_counter() - started
    return [{**best[cost], "seconds": seconds} for cost in sorted(best)]
