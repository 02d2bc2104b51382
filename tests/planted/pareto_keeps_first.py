"""A Pareto filter over two objectives that drops what an earlier row equals."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("Pareto filter keeps the first of equals", order("strategies"), broken=CHANGED)


def evaluate(tile):
    level = tile % 5
    return {"latency": float(level), "energy": float(4 - level) ** 2, "tile": tile}


def dominated(row, other):
    return other["latency"] <= row["latency"] and other["energy"] <= row["energy"]


@repro.declare(objectives=["latency", "energy"], identity=["tile"])
def search(workers=2):
    front = []
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(15)
    ):
        if not any(dominated(row, other) for other in front):
            front = [other for other in front if not dominated(other, row)] + [row]
    return sorted(front, key=lambda row: row["latency"])
