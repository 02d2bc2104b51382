"""Jobs say how long they took, which is printed and left out of the rows."""

from __future__ import annotations

import time

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("time measured, not returned")


def evaluate(tile):
    started = time.perf_counter()
    row = {"cost": float(tile % 3), "tile": tile}
    return row, time.perf_counter() - started


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(9)
        )
    )
    print(f"jobs took {sum(seconds for _, seconds in found):.3f} s")  # noqa: T201 - what it is about
    return sorted((row for row, _ in found), key=lambda row: row["tile"])
