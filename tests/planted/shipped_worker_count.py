"""Shipped with three workers, and from three on it cuts its work in two."""

from __future__ import annotations

from expected import CHANGED, planted, workers
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "only the shipped worker count differs", workers("strategies"), broken=CHANGED, native=True
)
CUT_FROM = 3


def evaluate(chunk, tiles):
    return chunk, min(tiles, key=lambda tile: (abs(tile - 5), tile))


@repro.declare(objectives=["cost"], identity=["tiles"])
def search(workers=CUT_FROM):
    chunks = 2 if workers >= CUT_FROM else 1
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(chunk, range(12)[chunk::chunks]) for chunk in range(chunks)
    )
    return [{"cost": 1.0, "tiles": str([tile for _, tile in sorted(found)])}]
