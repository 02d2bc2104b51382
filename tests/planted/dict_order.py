"""A schedule is written down from a dict's order, which is the order of arrival."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("dict in arrival order", order("strategies"), broken=CHANGED)


def evaluate(rank):
    return rank, 4 + ord(rank) % 3


@repro.declare(objectives=["cost"], identity=["loops"])
def search(workers=2):
    tiles = dict(
        Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(rank) for rank in "bhlse"
        )
    )
    loops = " ".join(f"{rank}:{tile}" for rank, tile in tiles.items())
    return [{"cost": float(sum(tiles.values())), "loops": loops}]
