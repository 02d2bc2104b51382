"""Whole numbers are added as they come: addition of those is exact and commutes."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("integer sum in arrival order")


def evaluate(layer):
    return (layer + 1) ** 5


@repro.declare(objectives=["accesses"], identity=["network"])
def search(workers=2):
    accesses = 0
    for part in Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(layer) for layer in range(16)
    ):
        accesses += part
    return [{"accesses": accesses, "network": "all layers"}]
