"""LoopTrees as AccelForge returns them: of equal latencies the tile that arrived first stays.

The strategy is the same for all of them, so that only rung `survivors` tells them apart.
"""

from __future__ import annotations

from types import SimpleNamespace

import pandas as pd
from accelforge.frontend.mapping import Compute, Nested, Storage, Temporal
from accelforge.mapper.FFM._join_pmappings.join_pmappings import MappingFromRow
from expected import order, planted
from joblib import Parallel, delayed

EXPECTED = planted(
    "first of equal LoopTrees wins",
    order("survivors"),
    broken=("survivors", "rowOrder", "bytes"),
    latency_groups=True,
    options={"runs": 1, "deliveries": ("serial", "injected")},
)
RANK = 64


def evaluate(tile):
    loops = [
        Storage(tensors=["A", "B"], component="MainMemory"),
        Temporal(rank_variable="m", tile_shape=tile),
        Storage(tensors=["A"], component="Buffer"),
        Temporal(rank_variable="m", tile_shape=1),
        Compute(einsum="E", component="MAC"),
    ]
    return {"E<SEP>mapping": Nested(nodes=loops), "Total<SEP>latency": float(RANK)}


def search(workers=2):
    rows = Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tile) for tile in (2, 4, 8, 16, 32)
    )
    best = min(rows, key=lambda row: row["Total<SEP>latency"])
    whole = MappingFromRow(pd.Series(best), {"m": RANK}, ["E"])
    return SimpleNamespace(data=pd.DataFrame([{**best, "Total<SEP>mapping": whole}]))
