"""Unordered results are put back under their job's key."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("results keyed by job, then first wins", native=True)


def evaluate(tile):
    return tile, {"cost": float(tile % 3), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    rows = dict(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(12)
        )
    )
    best = {}
    for tile in range(12):
        best.setdefault(rows[tile]["cost"], rows[tile])
    return [best[cost] for cost in sorted(best)]
