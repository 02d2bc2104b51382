"""The caller says when it ended: no job and no order is to blame, and no setting."""

from __future__ import annotations

import time

from expected import CHANGED, planted, unknown
from joblib import Parallel, delayed

import repro

EXPECTED = planted("the time in the caller", unknown("strategies"), broken=CHANGED, steady=False)


def evaluate(tile):
    return {"cost": float(tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile", "made"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(6)
    )
    rows = sorted(found, key=lambda row: row["tile"])
    made = time.time_ns()
    return [{**row, "made": made} for row in rows]
