"""Threads fill a shared array, each its own slot."""

from __future__ import annotations

import numpy as np
from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("threads fill slots of their own")


def evaluate(tile, costs):
    costs[tile] = 1.0 / (tile + 1)


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    costs = np.zeros(16)
    pool = Parallel(n_jobs=workers, backend="threading", return_as="generator_unordered")
    list(pool(delayed(evaluate)(tile, costs) for tile in range(16)))
    best = np.argsort(costs, kind="stable")[:4]
    return [{"cost": float(costs[tile]), "tile": int(tile)} for tile in best]
