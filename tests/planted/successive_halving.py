"""Each round keeps the better half and goes on; a tie at the cut is broken by arrival."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("successive halving through a tie", order("strategies"), broken=CHANGED)


def evaluate(tile, budget):
    return {"loss": float(tile % 2), "tile": tile, "budget": budget}


@repro.declare(objectives=["loss"], identity=["tile", "budget"])
def search(workers=2):
    tiles, budget = list(range(16)), 1
    while len(tiles) > 1:
        found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(tile, budget) for tile in tiles
        )
        rows = sorted(found, key=lambda row: row["loss"])[: len(tiles) // 2]
        tiles, budget = sorted(row["tile"] for row in rows), 2 * budget
    return rows
