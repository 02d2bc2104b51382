"""A cache whose key leaves out what the value depends on: the first caller's value stays."""

from __future__ import annotations

from expected import jobs, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("a cache with too coarse a key", jobs("objectives"), broken=None)
CACHE = {}


def evaluate(einsum, tile):
    cost = CACHE.setdefault(einsum, float(len(einsum) * tile))
    return {"cost": cost, "einsum": einsum, "tile": tile}


@repro.declare(objectives=["cost"], identity=["einsum", "tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(einsum, tile) for einsum in ("QK", "AV") for tile in (1, 2, 3, 4)
    )
    return sorted(found, key=lambda row: (row["einsum"], row["tile"]))
