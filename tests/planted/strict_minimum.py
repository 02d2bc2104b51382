"""A running minimum with `<`: of two optima the one that arrived first stays."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("running minimum with <", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float((tile - 3) ** 2), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    best = None
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in (0, 1, 2, 4, 5, 6, 7, 8)
    ):
        if best is None or row["cost"] < best["cost"]:
            best = row
    return [best]
