"""A reduction with states: only 2, then 0, then 1 brings it to the last of them."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("needs three jobs in one order", order("strategies"), broken=CHANGED, moved=3)
SEQUENCE = (2, 0, 1)


def evaluate(tile):
    return tile


@repro.declare(objectives=["cost"], identity=["choice"])
def search(workers=2):
    state = 0
    for tile in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(10)
    ):
        if state < len(SEQUENCE) and tile == SEQUENCE[state]:
            state += 1
    return [{"cost": 1.0, "choice": "fused" if state == len(SEQUENCE) else "separate"}]
