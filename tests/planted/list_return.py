"""The first of equals wins, of a list, which joblib returns in submission order."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("list of results", native=True)


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows = Parallel(n_jobs=workers)(delayed(evaluate)(tile) for tile in range(12))
    return [min(rows, key=lambda row: row["cost"])]
