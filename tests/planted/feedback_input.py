"""Which jobs there are depends on what came of earlier ones: the input is pruned on the way."""

from __future__ import annotations

from expected import ALL, order, planted
from expected import workers as worker_count
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "lazy input that reacts to results", order("objectives"), worker_count("objectives"), broken=ALL
)


def evaluate(tile):
    return {"cost": float(abs(tile - 9)), "tile": tile}


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    kept = []

    def promising():
        for tile in range(16):
            if not kept or tile < kept[-1]["cost"] + 2:
                yield delayed(evaluate)(tile)

    pool = Parallel(n_jobs=workers, return_as="generator_unordered", pre_dispatch=workers)
    for row in pool(promising()):  # <- site
        if not kept or row["cost"] <= kept[-1]["cost"]:
            kept.append(row)
    return kept
