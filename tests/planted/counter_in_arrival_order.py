"""A histogram filled as results come, read out by sorted keys."""

from __future__ import annotations

from collections import Counter

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("commutative counts")


def evaluate(tile):
    return ("small", "medium", "large")[tile % 3]


@repro.declare(objectives=["count"], identity=["size"])
def search(workers=2):
    counts = Counter(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(20)
        )
    )
    return [{"count": counts[size], "size": size} for size in sorted(counts)]
