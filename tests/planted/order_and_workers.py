"""Two independent faults: the first of equals wins, and rows name the worker count."""

from __future__ import annotations

from expected import CHANGED, order, planted, workers
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "first wins, and chunks by worker count",
    order("strategies"),
    workers("strategies"),
    broken=CHANGED,
)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile", "chunk"])
def search(workers=2):
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    ):
        best.setdefault(row["cost"], {**row, "chunk": 8 // workers})
    return [best[cost] for cost in sorted(best)]
