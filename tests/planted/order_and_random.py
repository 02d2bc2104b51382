"""Two independent faults at one call: unseeded jobs, and the first of equals wins."""

from __future__ import annotations

import random

from expected import ALL, jobs, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "first wins, and unseeded jobs",
    order("strategies", "swaps"),
    jobs("objectives", "draws"),
    broken=ALL,
)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


def noise(tile):
    return tile, random.random()  # noqa: S311 - a search's dice, no secret


@repro.declare(objectives=["cost", "noise"], identity=["tile"])
def search(workers=2):
    drawn = dict(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- draws
            delayed(noise)(cost) for cost in range(2)
        )
    )
    best = {}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- swaps
        delayed(evaluate)(tile) for tile in range(8)
    ):
        best.setdefault(row["cost"], row)
    return [{**best[cost], "noise": drawn[int(cost)]} for cost in sorted(best)]
