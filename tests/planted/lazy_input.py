"""Jobs come from a generator that is read as workers become free."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "first wins, from a lazy input", order("strategies"), broken=CHANGED, native=True
)


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


def divisors(number):
    for tile in range(1, number + 1):
        if number % tile == 0:
            yield delayed(evaluate)(tile)


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    pool = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch=2)
    best = {}
    for row in pool(divisors(720)):  # <- site
        best.setdefault(row["cost"], row)
    return [best[cost] for cost in sorted(best)]
