"""A running maximum with `>=`: of two optima the one that arrived last stays."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("running maximum with >=", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"reuse": float(min(tile, 9 - tile)), "tile": tile}


@repro.declare(objectives=["reuse"], identity=["tile"])
def search(workers=2):
    best = {"reuse": -1.0}
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(10)
    ):
        if row["reuse"] >= best["reuse"]:
            best = row
    return [best]
