"""The caller seeds numpy's global generator, but jobs draw from that of their own process."""

from __future__ import annotations

import numpy as np
from expected import REVALUED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("seeded in the caller, drawn in jobs", jobs("objectives"), broken=REVALUED)


def evaluate(tile):
    return {"cost": tile + float(np.random.rand()), "tile": tile}  # noqa: NPY002 - the fault


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    np.random.seed(0)  # noqa: NPY002 - the fault
    return Parallel(n_jobs=workers)(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    )
