"""The search stops after three results in a row that are no better."""

from __future__ import annotations

from expected import ALL, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("early stopping with patience", order("objectives"), broken=ALL)
PATIENCE = 3


def evaluate(tile):
    return {"loss": float((tile * 7) % 16), "tile": tile}


@repro.declare(objectives=["loss"], identity=["tile"])
def search(workers=2):
    best, waited = None, 0
    for row in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(1, 16)
    ):
        if best is None or row["loss"] < best["loss"]:
            best, waited = row, 0
        else:
            waited += 1
        if waited == PATIENCE:
            break
    return [best]
