"""Jobs number themselves with a counter of their process."""

from __future__ import annotations

from expected import jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("a global counter shared by jobs", jobs("strategies"), broken=None)
COUNT = 0


def evaluate(tile):
    global COUNT  # noqa: PLW0603 - the fault itself
    COUNT += 1
    return {"cost": float(tile), "name": f"candidate {COUNT} of tile {tile}"}


@repro.declare(objectives=["cost"], identity=["name"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    )
    return sorted(found, key=lambda row: row["cost"])
