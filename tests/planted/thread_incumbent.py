"""Threads share the best cost so far and skip what can't beat it.

Quick jobs start and end as they were submitted, so that repeating a run shows nothing.
"""

from __future__ import annotations

from expected import jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("threads share the best so far", jobs("objectives"), broken=None)


def evaluate(tile, best):
    if tile >= best["cost"]:
        return None
    best["cost"] = min(best["cost"], float(20 - tile))
    return {"cost": float(20 - tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    best = {"cost": float("inf")}
    pool = Parallel(n_jobs=workers, backend="threading")
    found = pool(delayed(evaluate)(tile, best) for tile in range(16))  # <- site
    return [row for row in found if row is not None]
