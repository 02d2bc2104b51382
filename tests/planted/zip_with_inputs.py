"""Results are paired with inputs by position, although they come in any order."""

from __future__ import annotations

from expected import ALL, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("results zipped with their inputs", order("strategies"), broken=ALL[1:])


def evaluate(tile):
    return float((tile * 5) % 11)


@repro.declare(objectives=["cost"], identity=["tile", "cost"])
def search(workers=2):
    tiles = range(8)
    costs = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in tiles
    )
    return [{"cost": cost, "tile": tile} for tile, cost in zip(tiles, costs, strict=True)]
