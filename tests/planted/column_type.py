"""pandas: a column's type follows from which frame comes first; its numbers stay."""

from __future__ import annotations

import pandas as pd
from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("column type only", broken=("bytes",))


def evaluate(tile):
    return tile


@repro.declare(objectives=["cost"], identity=["tile"])
def search(workers=2):
    tiles = list(
        Parallel(n_jobs=workers, return_as="generator_unordered")(
            delayed(evaluate)(tile) for tile in range(6)
        )
    )
    small = "int32" if tiles[0] == 0 else "int64"
    rows = pd.DataFrame({"cost": [1.0] * 6, "tile": sorted(tiles)})
    return rows.astype({"tile": small})
