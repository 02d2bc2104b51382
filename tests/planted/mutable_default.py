"""A list as default argument: it remembers the jobs that ran in the same process."""

from __future__ import annotations

from expected import jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("a mutable default argument", jobs("objectives"), broken=None)


def evaluate(tile, seen=[]):  # noqa: B006 - the fault itself
    seen.append(tile)
    return {"cost": float(min(seen) + tile), "tile": tile, "best": min(seen)}


@repro.declare(objectives=["cost"], identity=["tile", "best"])
def search(workers=2):
    return Parallel(n_jobs=workers)(  # <- site
        delayed(evaluate)(tile) for tile in (5, 3, 6, 1, 4, 2)
    )
