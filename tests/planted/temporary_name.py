"""A job's temporary folder has a random name, and the name gets into the result."""

from __future__ import annotations

import tempfile

from expected import CHANGED, jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("a temporary path in a job's result", jobs("strategies"), broken=CHANGED)


def evaluate(tile):
    with tempfile.TemporaryDirectory() as folder:
        return {"cost": float(tile), "report": f"{folder}/{tile}.txt"}


@repro.declare(objectives=["cost"], identity=["report"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(6)
    )
    return sorted(found, key=lambda row: row["cost"])
