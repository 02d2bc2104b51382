"""One pool for two calls; the second one keeps the first of equals."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("with Parallel() as pool", order("strategies"), broken=CHANGED, native=True)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    best = {}
    with Parallel(n_jobs=workers, return_as="generator_unordered") as pool:
        rough = sorted(row["tile"] for row in pool(delayed(evaluate)(tile) for tile in range(8)))
        for row in pool(delayed(evaluate)(tile) for tile in rough):  # <- site
            best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
