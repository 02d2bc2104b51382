"""A reduction that keeps the first of rows with equal cost: what FFM's Pareto filter does."""

from __future__ import annotations

from joblib import Parallel, delayed

JOBS = 12


def evaluate(index):
    return {"cost": float(index % 3), "tile": index}


def search(workers=2):
    """Keep, for each cost, whichever tile arrived first."""
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(index) for index in range(JOBS)
    ):
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
