"""A heap whose ties are broken by a counter, that is by arrival."""

from __future__ import annotations

import heapq
import itertools

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("heap breaks ties by arrival", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    heap, arrival = [], itertools.count()
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(10)
    ):
        heapq.heappush(heap, (row["cost"], next(arrival), row))
    best = [heapq.heappop(heap)[2] for _ in range(3)]
    return sorted(best, key=lambda row: row["tile"])
