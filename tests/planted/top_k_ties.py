"""The k cheapest, where more than k are equally cheap."""

from __future__ import annotations

import heapq

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("top k cuts through a tie", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile // 6), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(12)
    )
    best = heapq.nsmallest(4, found, key=lambda row: row["cost"])
    return sorted(best, key=lambda row: row["tile"])
