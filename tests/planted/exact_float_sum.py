"""`math.fsum` rounds once, at the end, whatever the order."""

from __future__ import annotations

import math

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("fsum in arrival order", latency_groups=True)


def evaluate(layer):
    return 1.0 / (layer + 3)


@repro.declare(objectives=["latency"], identity=["network"], latency="latency")
def search(workers=2):
    parts = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(layer) for layer in range(16)
    )
    return [{"latency": math.fsum(parts), "network": "all layers"}]
