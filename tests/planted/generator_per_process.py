"""A generator seeded once in each process: what a job draws depends on what ran there before."""

from __future__ import annotations

import random

from expected import jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("random generator seeded per process", jobs("objectives"), broken=None)
GENERATOR = random.Random(7)  # noqa: S311 - a search's dice, no secret


def evaluate(tile):
    return {"cost": tile + GENERATOR.random(), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    )
    return sorted(found, key=lambda row: row["tile"])
