"""The first arrival sets the layout that all others are held to, and one job's is another.

It must be the very first of fifty: one order in fifty shows it.
"""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("shows once in 50 orders", order("strategies"), broken=CHANGED, orders=None)
JOBS = 50
ODD = 24


def evaluate(tile):
    return {"cost": 1.0, "tile": tile, "layout": "columns" if tile == ODD else "rows"}


@repro.declare(objectives=["cost"], identity=["tile", "layout"])
def search(workers=2):
    rows = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(tile) for tile in range(JOBS)
        )
    )
    reference = rows[0]["layout"]
    best = min(row["tile"] for row in rows)
    return [{"cost": 1.0, "tile": best, "layout": reference}]
