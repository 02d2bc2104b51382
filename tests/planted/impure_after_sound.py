"""A sound unordered call, and after it jobs that say when they ran."""

from __future__ import annotations

import time

from expected import CHANGED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "impure jobs behind a sound call", jobs("strategies"), broken=CHANGED, steady=False
)


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


def stamp(tile):
    return {"cost": 1.0, "tile": tile, "made": time.time_ns()}


@repro.declare(objectives=["cost"], identity=["tile", "made"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(8)
    )
    rows = sorted(found, key=lambda row: (row["cost"], row["tile"]))
    chosen = [row["tile"] for row in rows[:4]]
    pool = Parallel(n_jobs=workers)
    return pool(delayed(stamp)(tile) for tile in chosen)  # <- site
