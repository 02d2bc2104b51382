"""Jobs share state, but with one worker they always run in the order of submission."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("shared state, with a single worker")


def evaluate(tile, seen):
    seen.append(tile)
    return {"cost": float(sum(seen)), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):  # noqa: ARG001 - it doesn't listen
    seen = []
    return Parallel(n_jobs=1)(delayed(evaluate)(tile, seen) for tile in range(6))
