"""A set of numbers that share a slot: its iteration order is their order of insertion.

No hash seed is involved, for whole numbers hash to themselves.
"""

from __future__ import annotations

from expected import CHANGED, order, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("set filled in arrival order", order("strategies"), broken=CHANGED)


def evaluate(index):
    return 1024 * index


@repro.declare(objectives=["cost"], identity=["address"])
def search(workers=2):
    addresses = set()
    for address in Parallel(n_jobs=workers, return_as="generator_unordered")(  # <- site
        delayed(evaluate)(index) for index in range(4)
    ):
        addresses.add(address)
    return [{"cost": 1.0, "address": next(iter(addresses))}]
