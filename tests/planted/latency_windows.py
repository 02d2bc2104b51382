"""One row per window of latencies, opened by whichever arrives first: the groups change too."""

from __future__ import annotations

from expected import ALL, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "latency groups are broken", order("objectives"), broken=ALL, latency_groups=False
)


def evaluate(tile):
    return {"latency": 100.0 + tile, "tile": tile}


@repro.declare(objectives=["latency"], identity=["tile"], latency="latency")
def search(workers=2):
    kept = []
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(9)
    ):
        if all(abs(row["latency"] - other["latency"]) > 1.5 for other in kept):
            kept.append(row)
    return sorted(kept, key=lambda row: row["tile"])
