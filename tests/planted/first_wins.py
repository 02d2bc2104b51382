"""A reduction that keeps the first of rows with equal cost: what FFM's Pareto filter does."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("first of equal costs wins", order("strategies"), broken=CHANGED, native=True)
JOBS = 12


def evaluate(index):
    return {"cost": float(index % 3), "tile": index}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    """Keep, for each cost, whichever tile arrived first."""
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(index) for index in range(JOBS)
    ):
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
