"""A sum is cut into as many parts as `OMP_NUM_THREADS` says, and rounded part by part."""

from __future__ import annotations

import functools
import operator
import os

from expected import REVALUED, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted(
    "OMP_NUM_THREADS cuts a sum", environment("objectives", "threads"), broken=REVALUED
)


def total(terms):
    return functools.reduce(operator.add, terms, 0.0)


def evaluate(layer):
    return layer, 1.0 / (3 * layer + 1)


@repro.declare(objectives=["cost"], identity=["design"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(layer) for layer in range(40)
    )
    terms = [term for _, term in sorted(found)]
    parts = int(os.environ.get("OMP_NUM_THREADS", "7"))
    cost = total(total(terms[part::parts]) for part in range(parts))
    return [{"cost": cost, "design": "all layers"}]
