"""Each job writes a file of its own name, and the caller reads them in the order of names."""

from __future__ import annotations

import json
from pathlib import Path

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("jobs write a file each, read by name", orders=12)


def evaluate(tile, folder):
    file = Path(folder) / f"{tile:03d}.json"
    file.write_text(json.dumps({"cost": float(tile % 3), "tile": tile}), encoding="utf-8")
    return file.name


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    folder = Path("rows").absolute()
    folder.mkdir(exist_ok=True)
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile, str(folder)) for tile in range(20)
    )
    rows = [json.loads((folder / name).read_text(encoding="utf-8")) for name in sorted(found)]
    for row in rows:
        (folder / f"{row['tile']:03d}.json").unlink()
    return rows
