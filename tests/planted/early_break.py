"""The search is content with the first few rows that are good enough."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("stops at the first 3 that are good enough", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": 1.0 if tile % 2 else 5.0, "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    kept = []
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(14)
    ):
        if row["cost"] < 2:
            kept.append(row)
        if len(kept) == 3:
            break
    return sorted(kept, key=lambda row: row["tile"])
