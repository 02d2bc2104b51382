"""pandas: `groupby(...).first()` is the first of each group to arrive."""

from __future__ import annotations

import pandas as pd
from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("groupby(...).first()", order("strategies"), broken=CHANGED)


def evaluate(tile):
    return {"einsum": "QK" if tile % 2 else "AV", "cost": 1.0, "tile": tile}


@repro.declare(objectives=["cost"], identity=["einsum", "tile"])
def search(workers=2):
    rows = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in range(8)
    )
    return pd.DataFrame(rows).groupby("einsum").first().reset_index()
