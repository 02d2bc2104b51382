"""Floats are added as they come, and their sum is rounded after each step."""

from __future__ import annotations

from expected import REVALUED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "float sum in arrival order", order("objectives"), broken=REVALUED, latency_groups=True
)


def evaluate(layer):
    return 1.0 / (layer + 3)


@repro.declare(objectives=["latency"], identity=["network"], latency="latency")
def search(workers=2):
    latency = 0.0
    for part in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(layer) for layer in range(16)
    ):
        latency += part
    return [{"latency": latency, "network": "all layers"}]
