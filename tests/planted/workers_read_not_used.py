"""The worker count is read and decides how work is cut, but not what comes of it."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("worker count cuts exact work")
TILES = range(60)


def evaluate(tiles):
    return min((float((tile - 30) ** 2 // 10), tile) for tile in tiles)


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    chunks = min(workers, len(TILES))
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(TILES[chunk::chunks]) for chunk in range(chunks)
    )
    cost, tile = min(found)
    return [{"cost": cost, "tile": tile}]
