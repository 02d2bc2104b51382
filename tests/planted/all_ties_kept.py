"""A Pareto filter that keeps all rows that tie, and sorts them by what they are."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("Pareto filter that keeps every tie")


def evaluate(tile):
    level = tile % 5
    return {"latency": float(level), "energy": float(abs(level - 3)), "tile": tile}


def beaten(row, other):
    no_worse = other["latency"] <= row["latency"] and other["energy"] <= row["energy"]
    return no_worse and other != {**row, "tile": other["tile"]}


@repro.declare(objectives=["latency", "energy"], identity=["tile"])
def search(workers=2):
    rows = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(15)
        )
    )
    front = [row for row in rows if not any(beaten(row, other) for other in rows)]
    return sorted(front, key=lambda row: (row["latency"], row["tile"]))
