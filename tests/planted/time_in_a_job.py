"""Each job says when it ran."""

from __future__ import annotations

import time

from expected import CHANGED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("the time in a job's result", jobs("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile), "tile": tile, "made": time.time_ns()}


@repro.declare(objectives=["cost"], identity=["tile", "made"])
def search(workers=2):
    return Parallel(n_jobs=workers)(  # <- site
        delayed(evaluate)(tile) for tile in range(6)
    )
