"""Rows are appended as they come, but only which rows there are is asked for."""

from __future__ import annotations

from expected import REORDERED, order, sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound(
    "arrival order, survivors required", order("rowOrder"), broken=REORDERED, require="survivors"
)


def evaluate(tile):
    return {"cost": float(tile * tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    return list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(tile) for tile in range(8)
        )
    )
