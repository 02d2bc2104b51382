"""The reduction iterates a set of names: their hashes change from process to process."""

from __future__ import annotations

from expected import CHANGED, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "set of names (hash seed)", environment("strategies", "hashSeed"), broken=CHANGED
)
RANKS = ("batch", "head", "query", "key", "embedding", "feature", "output")


def evaluate(rank):
    return rank, len(rank)


@repro.declare(objectives=["cost"], identity=["loops"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(rank) for rank in RANKS
    )
    tiles = dict(sorted(found))
    loops = " ".join(f"{rank}:{tiles[rank]}" for rank in set(RANKS))
    return [{"cost": float(sum(tiles.values())), "loops": loops}]
