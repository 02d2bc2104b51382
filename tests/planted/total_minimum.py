"""A running minimum whose ties are broken by the tile itself."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("running minimum with a total order")


def evaluate(tile):
    return {"cost": float((tile - 3) ** 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    best = None
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in (0, 1, 2, 4, 5, 6, 7, 8)
    ):
        if best is None or (row["cost"], row["tile"]) < (best["cost"], best["tile"]):
            best = row
    return [best]
