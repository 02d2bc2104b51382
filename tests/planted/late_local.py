"""What arrived at the first call waits in a local variable until after the second.

The second call is given the same jobs whatever the order was, and its results are sorted.
"""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("state waits past the next site", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


def refine(step):
    return step * step


@repro.declare(objectives=["cost"], identity=["tile", "steps"])
def search(workers=2):
    rows = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(tile) for tile in range(8)
        )
    )
    steps = sorted(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(refine)(step) for step in range(4)
        )
    )
    best = {}
    for row in rows:
        best.setdefault(row["cost"], {**row, "steps": str(steps)})
    return [best[cost] for cost in sorted(best)]
