"""The caller breaks a tie by a generator that nobody seeded."""

from __future__ import annotations

import random

from expected import CHANGED, planted, unknown
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "unseeded tie-break in the caller", unknown("strategies"), broken=CHANGED, steady=False
)


def evaluate(tile):
    return {"cost": 1.0, "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(40)
    )
    rows = sorted(found, key=lambda row: row["tile"])
    return random.sample(rows, 4)
