"""Two unordered calls; the second one's jobs follow from the first one's sorted results."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("two unordered calls, both sorted")


def evaluate(tile):
    return float(tile % 3), tile


def refine(tile):
    return {"cost": tile * 0.5, "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rough = sorted(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(9)
        )
    )
    fine = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(refine)(tile) for _, tile in rough[:4]
    )
    return sorted(fine, key=lambda row: row["tile"])
