"""First-fit packing in arrival order: some orders need one buffer more."""

from __future__ import annotations

from expected import ALL, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("first fit in arrival order", order("objectives"), broken=ALL)
ROOM = 10


def evaluate(tensor):
    return tensor, (6, 5, 4, 5, 3, 7, 2, 8)[tensor]


@repro.declare(objectives=["buffers"], identity=["packing"])
def search(workers=2):
    buffers = []
    for tensor, size in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(tensor) for tensor in range(8)
    ):
        fits = (buffer for buffer in buffers if sum(buffer.values()) + size <= ROOM)
        found = next(fits, None)
        if found is None:
            buffers.append(found := {})
        found[tensor] = size
    packing = sorted(tuple(sorted(buffer)) for buffer in buffers)
    return [{"buffers": float(len(buffers)), "packing": str(packing)}]
