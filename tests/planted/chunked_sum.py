"""A sum is cut into as many chunks as there are workers, and rounded chunk by chunk."""

from __future__ import annotations

import functools
import operator

from expected import REVALUED, planted, workers
from joblib import Parallel, delayed

import repro

EXPECTED = planted("chunks by worker count", workers("objectives"), broken=REVALUED)
TERMS = [1.0 / (3 * layer + 1) for layer in range(40)]


def total(terms):
    """Add floats one by one; since Python 3.12 `sum` makes up for what is rounded."""
    return functools.reduce(operator.add, terms, 0.0)


def evaluate(chunk, chunks):
    return chunk, total(TERMS[chunk::chunks])


@repro.declare(objectives=["cost"], identity=["design"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(chunk, workers) for chunk in range(workers)
    )
    return [{"cost": total(part for _, part in sorted(found)), "design": "all layers"}]
