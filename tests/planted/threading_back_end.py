"""The same fault with threads instead of processes."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "first wins, threading back end", order("strategies"), broken=CHANGED, native=True
)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    pool = Parallel(n_jobs=workers, backend="threading", return_as="generator_unordered")
    best = {}
    for row in pool(delayed(evaluate)(tile) for tile in range(8)):  # <- site
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
