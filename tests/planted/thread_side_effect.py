"""Threads append to a list of the caller's; what they return is nothing, and always the same."""

from __future__ import annotations

from expected import jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("threads append to a shared list", jobs("rowOrder"), broken=None)


def evaluate(tile, rows):
    rows.append({"cost": float(tile % 3), "tile": tile})


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows = []
    pool = Parallel(n_jobs=workers, backend="threading")
    pool(delayed(evaluate)(tile, rows) for tile in range(12))  # <- site
    return sorted(rows, key=lambda row: row["cost"])
