"""The caller writes its rows to a file of a fixed name and reads them back, twice."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("scratch files of fixed names in the caller", orders=12)


def evaluate(tile):
    return {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile", "number"])
def search(workers=2):
    journal = Path("journal.jsonl")
    scratch = Path(tempfile.gettempdir()) / "rows.json"
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(30)
    )
    with journal.open("a", encoding="utf-8") as lines:
        for row in found:
            lines.write(json.dumps(row) + "\n")
            lines.flush()
    rows = [json.loads(line) for line in journal.read_text(encoding="utf-8").splitlines()]
    scratch.write_text(json.dumps(rows), encoding="utf-8")
    rows = json.loads(scratch.read_text(encoding="utf-8"))
    rows.sort(key=lambda row: (row["cost"], row["tile"]))
    return [{**row, "number": number} for number, row in enumerate(rows)]
