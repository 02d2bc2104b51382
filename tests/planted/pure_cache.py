"""Jobs share a cache of a pure function: what is in it never changes what comes out."""

from __future__ import annotations

import functools

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("a cache of a pure function")


@functools.cache
def model(level):
    return float(level**3 % 11)


def evaluate(tile):
    return {"cost": model(tile % 4), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(12)
    )
    return sorted(found, key=lambda row: (row["cost"], row["tile"]))[:5]
