"""Only the search's parallel path iterates a set of names; its serial path doesn't."""

from __future__ import annotations

from expected import CHANGED, environment, planted
from expected import workers as worker_count
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "set of names on the parallel path only",
    worker_count("strategies"),
    environment("strategies"),
    broken=CHANGED,
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
    ranks = RANKS if workers == 1 else set(RANKS)
    loops = " ".join(f"{rank}:{tiles[rank]}" for rank in ranks)
    return [{"cost": float(sum(tiles.values())), "loops": loops}]
