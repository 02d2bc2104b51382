"""Progress is printed as results come, and times are kept; neither is returned."""

from __future__ import annotations

import time

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("progress printed in arrival order")


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows, arrivals = [], []
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(9)
    ):
        print(f"tile {row['tile']} is there")  # noqa: T201 - what it is about
        arrivals.append(time.monotonic())
        rows.append(row)
    return sorted(rows, key=lambda row: row["tile"])
