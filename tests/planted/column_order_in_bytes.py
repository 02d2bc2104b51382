"""The search of `column_order`, where every byte is required."""

from __future__ import annotations

from column_order import evaluate
from expected import order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "column order, bytes required", order("bytes"), broken=("bytes",), require="bytes"
)


@repro.declare(objectives=["cost"], identity=[f"tile of {rank}" for rank in "bhls"])
def search(workers=2):
    tiles = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(rank) for rank in "bhls"
    )
    return [{"cost": 3.0, **dict(tiles)}]
