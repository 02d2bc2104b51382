"""All jobs get the same list and change it; a worker process gets a copy of its own."""

from __future__ import annotations

from expected import REVALUED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("jobs change an argument they share", jobs("objectives"), broken=REVALUED)


def evaluate(tile, budget):
    budget[0] -= tile
    return {"cost": float(budget[0]), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    budget = [100]
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile, budget) for tile in range(1, 7)
    )
    return sorted(found, key=lambda row: row["tile"])
