"""Each job draws from a generator that nobody seeded."""

from __future__ import annotations

import random

from expected import REVALUED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "unseeded random numbers in a job", jobs("objectives"), broken=REVALUED, native=True
)


def evaluate(tile):
    return {"cost": tile + random.random(), "tile": tile}  # noqa: S311 - a search's dice, no secret


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    )
    return sorted(found, key=lambda row: row["tile"])
