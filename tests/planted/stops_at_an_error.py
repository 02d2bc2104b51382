"""A job fails, and the search makes do with what it has got until then."""

from __future__ import annotations

from expected import ALL, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("keeps what came before an error", order("objectives"), broken=ALL, native=True)
FAILING = 5


def evaluate(tile):
    if tile == FAILING:
        raise ValueError(f"tile {tile} doesn't divide the rank")
    return {"cost": float(tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows = []
    pool = Parallel(n_jobs=workers, return_as="generator_unordered")
    try:
        for row in pool(delayed(evaluate)(tile) for tile in range(9)):  # <- site
            rows.append(row)  # noqa: PERF402 - what came before the error is kept
    except ValueError:
        pass
    return sorted(rows, key=lambda row: row["tile"])
