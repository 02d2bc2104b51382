"""What is pruned depends on the best cost so far, so even the objectives change."""

from __future__ import annotations

from expected import ALL, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("pruned against the best so far", order("objectives"), broken=ALL)


def evaluate(tile):
    return {"bound": float(tile), "cost": float((tile * 7) % 12 + tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    kept, best = [], float("inf")
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(12)
    ):
        if row["bound"] < best:
            kept.append(row)
            best = min(best, row["cost"])
    return sorted(kept, key=lambda row: row["tile"])
