"""One line calls joblib eight times, and only what the fifth call returns is order-sensitive."""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("one of eight calls from a line", order("strategies"), broken=CHANGED)
EINSUMS = "ABCDEFGH"


def evaluate(einsum, tile):
    return {"cost": 1.0, "einsum": einsum, "tile": tile}


@repro.declare(objectives=["cost"], identity=["einsum", "tile"])
def search(workers=2):
    chosen = []
    for einsum in EINSUMS:
        found = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
            delayed(evaluate)(einsum, tile) for tile in range(6)
        )
        rows = list(found)
        chosen.append(rows[0] if einsum == "E" else min(rows, key=lambda row: row["tile"]))
    return chosen
