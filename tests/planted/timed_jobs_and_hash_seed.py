"""A set of names is iterated; that jobs also say how long they took does no harm."""

from __future__ import annotations

import time

from expected import CHANGED, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "set of names, beside harmless timings", environment("strategies", "hashSeed"), broken=CHANGED
)
RANKS = ("batch", "head", "query", "key", "embedding", "feature", "output")


def evaluate(rank):
    started = time.perf_counter()
    tile = len(rank)
    return rank, tile, time.perf_counter() - started


@repro.declare(objectives=["cost"], identity=["loops"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(rank) for rank in RANKS
    )
    tiles = {rank: tile for rank, tile, _ in sorted(found)}
    loops = " ".join(f"{rank}:{tiles[rank]}" for rank in set(RANKS))
    return [{"cost": float(sum(tiles.values())), "loops": loops}]
