"""An unordered call with one job has one order."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("a single job, unordered", native=True)


def evaluate(tiles):
    return [{"cost": float(tile % 3), "tile": tile} for tile in tiles]


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    (rows,) = Parallel(n_jobs=workers, return_as="generator_unordered")(
        [delayed(evaluate)(range(6))]
    )
    return rows
