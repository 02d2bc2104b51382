"""Names are made from the current directory."""

from __future__ import annotations

from pathlib import Path

from expected import CHANGED, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "current directory in the result", environment("strategies", "folder"), broken=CHANGED
)


def evaluate(tile):
    return {"cost": float(tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["design"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(6)
    )
    rows = sorted(found, key=lambda row: row["tile"])
    return [{"cost": row["cost"], "design": str(Path.cwd() / str(row["tile"]))} for row in rows]
