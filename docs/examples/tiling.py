"""Tiles for one matrix multiplication: which fit into a buffer, and which of those move least?

`search` keeps, of tiles that are equally good, the one that some worker finished first.
`sound_search` is the same with the ties broken by the tile itself.
"""

# ruff: noqa: INP001 - an example by itself, in no package

from __future__ import annotations

from typing import TYPE_CHECKING

from joblib import Parallel, delayed

import repro

if TYPE_CHECKING:
    from collections.abc import Iterator

M = N = K = 256
BUFFER = 32 * 1024  # words
TILES = (4, 8, 16, 32, 64, 128)

type Row = dict[str, float]


def evaluate(m: int) -> list[Row]:
    """One job: every tile with m rows that fits, with the words it needs and moves."""
    rows = []
    for n in TILES:
        buffer = m * K + K * n + m * n
        moved = M * K * (N // n) + K * N * (M // m) + M * N
        if buffer <= BUFFER:
            rows.append({"moved": float(moved), "buffer": float(buffer), "m": m, "n": n})
    return rows


def covers(one: Row, other: Row) -> bool:
    """Whether one row is at least as good as another in both objectives."""
    return one["moved"] <= other["moved"] and one["buffer"] <= other["buffer"]


def add(front: list[Row], row: Row) -> list[Row]:
    """Keep the rows that no other one covers."""
    if any(covers(kept, row) for kept in front):
        return front
    return [*(kept for kept in front if not covers(row, kept)), row]


def found(workers: int) -> Iterator[Row]:
    """Evaluate all tiles in parallel, and yield rows as they come."""
    for rows in Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(m) for m in TILES
    ):
        yield from rows


@repro.declare(objectives=["moved", "buffer"], identity=["m", "n"])
def search(workers: int = 2) -> list[Row]:
    """Return the Pareto front of words moved and words buffered."""
    front: list[Row] = []
    for row in found(workers):
        front = add(front, row)
    return sorted(front, key=lambda row: row["moved"])


@repro.declare(objectives=["moved", "buffer"], identity=["m", "n"])
def sound_search(workers: int = 2) -> list[Row]:
    """Return the same front, with ties broken by the tile."""
    front: list[Row] = []
    for row in sorted(found(workers), key=lambda row: (row["m"], row["n"])):
        front = add(front, row)
    return sorted(front, key=lambda row: row["moved"])
