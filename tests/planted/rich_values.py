"""Jobs return values of many kinds, which must be seen through to be compared."""

from __future__ import annotations

import datetime as dt
import decimal
import enum
import fractions
import functools
import re
import uuid
from dataclasses import dataclass
from pathlib import PurePosixPath

import numpy as np
import pandas as pd
from expected import sound
from joblib import Parallel, delayed

import repro

EXPECTED = sound("jobs return values of many kinds")


class Level(enum.Enum):
    REGISTER = 1
    SHARED = 2


@dataclass(frozen=True)
class Tile:
    rank: str
    size: int


class Node:
    """Compared by what is in it, for it has no equality of its own."""

    def __init__(self, tile, children):
        self.tile = tile
        self.children = children


def evaluate(size):
    values = {
        "tile": Tile("m", size),
        "tree": Node(size, [Node(size + 1, [])]),
        "level": Level(1 + size % 2),
        "share": fractions.Fraction(1, size),
        "price": decimal.Decimal(size) / 8,
        "made": dt.datetime(2026, 1, size, tzinfo=dt.UTC),
        "file": PurePosixPath("rows") / f"{size}.txt",
        "id": uuid.UUID(int=size),
        "pattern": re.compile(f"tile {size}"),
        "scale": functools.partial(pow, size),
        "ranks": {"m", "n", "k"},
        "costs": np.arange(size, dtype=np.float32),
        "when": pd.Timestamp(2026, 1, size),
        "table": pd.DataFrame({"cost": [size, size + 1]}),
        "span": (range(size), slice(size), complex(size, 1), bytes(size)),
    }
    return size, float(values["share"]), values


@repro.declare(objectives=["share"], identity=["tile", "text"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(size) for size in range(1, 8)
    )
    rows = sorted(found, key=lambda row: row[0])
    return [{"share": share, "tile": size, "text": str(v["price"])} for size, share, v in rows]
