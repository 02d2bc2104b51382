"""A cost model that charges by the local hour of a fixed moment."""

from __future__ import annotations

import time

from expected import ALL, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "local time of a fixed moment", environment("objectives", "timeZone"), broken=ALL
)


def evaluate(tile):
    hour = time.localtime(86400 * tile).tm_hour
    return {"cost": float(hour + tile), "tile": tile, "hour": hour}


@repro.declare(objectives=["cost"], identity=["tile", "hour"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(1, 7)
    )
    return sorted(found, key=lambda row: row["tile"])
