"""The path of the temporary folder gets into the result."""

from __future__ import annotations

import tempfile

from expected import CHANGED, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("TMPDIR in the result", environment("strategies", "folder"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile", "report"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(6)
    )
    folder = tempfile.gettempdir()
    rows = sorted(found, key=lambda row: row["tile"])
    return [{**row, "report": f"{folder}/{row['tile']}.txt"} for row in rows]
