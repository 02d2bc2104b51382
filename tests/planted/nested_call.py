"""The fault is in a call that a job makes."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("fault in a nested call", order("strategies"), broken=CHANGED, native=True)


def evaluate(einsum, tile):
    return {"cost": 1.0, "einsum": einsum, "tile": tile}


def best_of(einsum):
    found = Parallel(n_jobs=2, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(einsum, tile) for tile in range(5)
    )
    return min(found, key=lambda row: row["cost"])


@repro.declare(objectives=["cost"], identity=["einsum", "tile"])
def search(workers=2):
    return Parallel(n_jobs=workers)(delayed(best_of)(einsum) for einsum in ("QK", "SM", "AV"))
