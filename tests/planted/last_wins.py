"""A dict keyed by cost: each arrival overwrites the one before it."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("last of equal costs wins", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile % 4), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(12)
    )
    best = {row["cost"]: row for row in found}
    return [best[cost] for cost in sorted(best)]
