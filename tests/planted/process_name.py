"""A job's result names the worker that ran it; alone in its process it is the main one."""

from __future__ import annotations

import multiprocessing

from expected import CHANGED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("the worker's name in a job's result", jobs("strategies"), broken=CHANGED)


def evaluate(tile):
    worker = multiprocessing.current_process().name
    return {"cost": float(tile), "name": f"{worker} {tile}"}


@repro.declare(objectives=["cost"], identity=["name"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(6)
    )
    return sorted(found, key=lambda row: row["cost"])
