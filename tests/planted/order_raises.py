"""A running ratio that divides by zero if the empty result comes first."""

from __future__ import annotations

from expected import ALL, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("one order makes the search raise", order("objectives"), broken=ALL, native=True)
JOBS = 8


def evaluate(tile):
    return (0, 0) if tile == JOBS - 1 else (tile, 2)


@repro.declare(objectives=["ratio"], identity=["design"])
def search(workers=2):
    hits = accesses = 0
    ratio = 0.0
    for hit, access in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(JOBS)
    ):
        hits, accesses = hits + hit, accesses + access
        ratio = hits / accesses
    return [{"ratio": ratio, "design": "cached"}]
