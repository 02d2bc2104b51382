"""The first of equals wins, but the call has one worker, whatever the search is told."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("unordered, with a single worker")


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):  # noqa: ARG001 - it doesn't listen
    best = {}
    for row in Parallel(n_jobs=1, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(9)
    ):
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
