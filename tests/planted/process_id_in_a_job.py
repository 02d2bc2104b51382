"""Ties are broken by a name that has the process id in it."""

from __future__ import annotations

import os

from expected import CHANGED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("the process id in a job's result", jobs("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile), "name": f"{os.getpid()}-{tile}"}


@repro.declare(objectives=["cost"], identity=["name"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(6)
    )
    return sorted(found, key=lambda row: row["cost"])
