"""Unordered calls inside unordered jobs, all of them sorted."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("nested unordered calls, sorted", native=True)


def evaluate(einsum, tile):
    return {"cost": float(tile % 2), "einsum": einsum, "tile": tile}


def front_of(einsum):
    found = Parallel(n_jobs=2, return_as="generator_unordered")(
        delayed(evaluate)(einsum, tile) for tile in range(4)
    )
    return sorted(found, key=lambda row: (row["cost"], row["tile"]))[:2]


@repro.declare(objectives=["cost"], identity=["einsum", "tile"])
def search(workers=2):
    fronts = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(front_of)(einsum) for einsum in ("QK", "SM", "AV")
    )
    rows = [row for front in fronts for row in front]
    return sorted(rows, key=lambda row: (row["einsum"], row["tile"]))
