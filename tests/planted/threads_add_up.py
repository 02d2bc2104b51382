"""Threads add whole numbers to a shared total, under a lock."""

from __future__ import annotations

import threading

from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("threads add to a shared integer", native=True)


def evaluate(layer, total, lock):
    with lock:
        total[0] += (layer + 1) ** 3


@repro.declare(objectives=["accesses"], identity=["network"])
def search(workers=2):
    total, lock = [0], threading.Lock()
    pool = Parallel(n_jobs=workers, backend="threading", return_as="generator_unordered")
    for _ in pool(delayed(evaluate)(layer, total, lock) for layer in range(12)):
        pass
    return [{"accesses": total[0], "network": "all layers"}]
