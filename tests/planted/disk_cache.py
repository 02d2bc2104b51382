"""`joblib.Memory` keeps a pure function's results in a folder that all jobs share."""

from __future__ import annotations

from expected import sound
from joblib import Memory, Parallel, delayed

import repro

EXPECTED = sound("a cache on disk of a pure function", native=True)


def model(level):
    return float(level**3 % 11)


def evaluate(tile, folder):
    cached = Memory(folder, verbose=0).cache(model)
    return {"cost": cached(tile % 4), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile, "cache") for tile in range(12)
    )
    return sorted(found, key=lambda row: (row["cost"], row["tile"]))[:5]
