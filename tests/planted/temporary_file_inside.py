"""Jobs write and read temporary files, whose paths stay inside."""

from __future__ import annotations

import tempfile
from pathlib import Path

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("temporary file, path not returned")


def evaluate(tile):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "cost.txt"
        file.write_text(str(tile * 1.5), encoding="utf-8")
        return {"cost": float(file.read_text(encoding="utf-8")), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(8)
    )
    return sorted(found, key=lambda row: row["tile"])
