"""With one worker the search takes another path, which breaks ties the other way."""

from __future__ import annotations

from expected import CHANGED, planted, workers
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "another path for one worker", workers("strategies"), broken=CHANGED, native=True
)


def evaluate(tile):
    return {"cost": float(tile % 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    if workers == 1:
        rows = [evaluate(tile) for tile in range(8)]
        return [min(rows, key=lambda row: (row["cost"], -row["tile"]))]
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(8)
    )
    return [min(found, key=lambda row: (row["cost"], row["tile"]))]
