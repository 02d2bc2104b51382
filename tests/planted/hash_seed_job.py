"""Jobs break ties by the hash of a name."""

from __future__ import annotations

from expected import CHANGED, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("hash of a name in a job", environment("strategies", "hashSeed"), broken=CHANGED)


def evaluate(tile):
    return {"cost": 1.0, "tile": tile, "tie": hash(f"tile {tile}")}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(24)
    )
    return sorted(found, key=lambda row: (row["cost"], row["tie"]))[:4]
