"""The first call's results are keyed by their tile; the second call keeps the first of equals."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("in the second of two sites", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(8)
    )
    rough = {row["tile"]: row["cost"] for row in found}
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in sorted(rough)
    ):
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
