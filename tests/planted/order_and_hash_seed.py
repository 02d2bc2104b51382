"""Two independent faults: the first of equals wins, and a set of names is iterated."""

from __future__ import annotations

from expected import CHANGED, environment, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "first wins, and a set of names",
    order("strategies"),
    environment("strategies", "hashSeed"),
    broken=CHANGED,
)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile", "loops"])
def search(workers=2):
    loops = " ".join({"batch", "head", "query", "key", "embedding", "feature", "output"})
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    ):
        best.setdefault(row["cost"], {**row, "loops": loops})
    return [best[cost] for cost in sorted(best)]
