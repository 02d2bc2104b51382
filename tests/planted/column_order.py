"""Columns come in the order of arrival; the rows say the same."""

from __future__ import annotations

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("column order only", broken=("bytes",))


def evaluate(rank):
    return f"tile of {rank}", ord(rank) % 7


@repro.declare(objectives=["cost"], identity=[f"tile of {rank}" for rank in "bhls"])
def search(workers=2):
    tiles = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(rank) for rank in "bhls"
    )
    return [{"cost": 3.0, **dict(tiles)}]
