"""Jobs write a line each to one file, and the caller reads it back."""

from __future__ import annotations

from pathlib import Path

from expected import jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("jobs append to a shared file", jobs("rowOrder"), broken=None)


def evaluate(tile, log):
    with Path(log).open("a", encoding="utf-8") as lines:
        lines.write(f"{tile}\n")


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    log = Path("found.txt")
    log.unlink(missing_ok=True)
    Parallel(n_jobs=workers)(  # <- site
        delayed(evaluate)(tile, str(log)) for tile in range(12)
    )
    tiles = [int(line) for line in log.read_text(encoding="utf-8").splitlines()]
    return [{"cost": 1.0, "tile": tile} for tile in tiles]
