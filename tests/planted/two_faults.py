"""Two calls, each with a fault of its own: one swaps rows, the other reorders them."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "two independent faults",
    order("strategies", "swaps"),
    order("rowOrder", "reorders"),
    broken=CHANGED,
)


def evaluate(einsum, tile):
    return {"cost": float(tile % 2), "einsum": einsum, "tile": tile}


@repro.declare(objectives=["cost"], identity=["einsum", "tile"])
def search(workers=2):
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- swaps
        delayed(evaluate)("QK", tile) for tile in range(8)
    ):
        best.setdefault(row["cost"], row)
    rows = [best[cost] for cost in sorted(best)]
    rows += Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- reorders
        delayed(evaluate)("AV", tile) for tile in range(6)
    )
    return rows
