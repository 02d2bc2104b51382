"""The loop stops at the first job that fits; that one fits at all is the same for all orders."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("early break on a question of yes or no")


def evaluate(tile):
    return tile > 5


@repro.declare(objectives=["cost"], identity=["feasible"])
def search(workers=2):
    feasible = any(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(10)
        )
    )
    return [{"cost": 1.0, "feasible": feasible}]
