"""Each job seeds a generator of its own with its index."""

from __future__ import annotations

import random

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("random numbers seeded by job index")


def evaluate(index):
    draw = random.Random(index).random  # noqa: S311 - a search's dice, no secret
    return {"cost": draw(), "tile": index, "order": tuple(round(draw(), 3) for _ in range(3))}


@repro.declare(objectives=["cost"], identity=["tile", "order"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(index) for index in range(8)
    )
    rows = sorted(found, key=lambda row: row["tile"])
    random.Random(5).shuffle(rows)  # noqa: S311 - a search's dice, no secret
    return rows
