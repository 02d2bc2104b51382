"""pandas: frames are concatenated as they come, and duplicates keep the first."""

from __future__ import annotations

import pandas as pd
from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("concat, then drop_duplicates", order("strategies"), broken=CHANGED)


def evaluate(part):
    tiles = range(4 * part, 4 * part + 4)
    return pd.DataFrame({"cost": [float(tile % 3) for tile in tiles], "tile": tiles})


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    frames = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(part) for part in range(4)
    )
    rows = pd.concat(list(frames)).drop_duplicates("cost", keep="first")
    return rows.sort_values("cost").reset_index(drop=True)
