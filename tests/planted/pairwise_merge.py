"""Arrivals are merged two by two, and the mean of two means isn't the mean of all."""

from __future__ import annotations

from expected import REVALUED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "merging isn't associative", order("objectives"), broken=REVALUED, latency_groups=False
)


def evaluate(tile):
    return float(tile)


@repro.declare(objectives=["latency"], identity=["design"], latency="latency")
def search(workers=2):
    latency = None
    for found in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    ):
        latency = found if latency is None else (latency + found) / 2
    return [{"latency": latency, "design": "merged"}]
