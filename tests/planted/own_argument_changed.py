"""Each job changes its argument in place, and no other job has it."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("jobs change their own arguments")


def evaluate(row):
    row["cost"] = float(row["tile"] % 3)
    return row


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)({"tile": tile}) for tile in range(9)
    )
    return sorted(found, key=lambda row: (row["cost"], row["tile"]))
