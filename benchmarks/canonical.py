"""How long it takes to digest and to compare outcomes of 100,000 rows, and in how much memory.

    python benchmarks/canonical.py [ROWS]

Two kinds of outcome are measured: rows that stand for their cells, as a Python search returns
them, and rows that each stand for a LoopTree of their own. Every comparison runs in a fresh
process, from outcome files, as `repro diff` does; its peak memory is the whole process's (Linux).
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from repro.canon.frame import outcome_from_frame
from repro.canon.rungs import row_digests
from repro.model.looptree import Compute, LoopTree, Nested, Sequential, Storage, Temporal

if TYPE_CHECKING:
    from collections.abc import Callable

    from repro.model.outcome import Outcome

_ROWS = 100_000
_SWAPPED = 0.05
_TILES = [1, 2, 4, 8, 16, 32]
_RANKS = ["m", "n", "k", "p"]

_DIFF = r"""
import re, sys, time
from pathlib import Path
from repro.audit.compare import compare
from repro.cli.diff import read_outcome, uncollected
start = time.perf_counter()
with uncollected():
    first, second = (read_outcome(Path(name)) for name in sys.argv[1:3])
    loaded = time.perf_counter()
    found = compare(first, second)
done = time.perf_counter()
# Of this process alone: getrusage would count what its parent held when it was forked.
peak = int(re.search(r"VmHWM:\s*(\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024
print(f"{loaded - start:.2f} {done - loaded:.2f} {peak:.0f} {len(found.tie_swapped)}")
"""


def main(rows: int) -> None:
    """Measure both kinds and print the figures."""
    print(f"{rows:,} rows; Python {platform.python_version()}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as folder:
        for kind, make in (("cells", _cells), ("LoopTrees", _trees)):
            measure(kind, make, rows, Path(folder))


def measure(kind: str, make: Callable[[int, int], Outcome], rows: int, folder: Path) -> None:
    """Make two outcomes, digest one, and compare their files in a fresh process."""
    start = time.perf_counter()
    outcomes = [make(rows, seed) for seed in (1, 2)]
    made = (time.perf_counter() - start) / 2
    start = time.perf_counter()
    row_digests(outcomes[0].objectives, outcomes[0].rows)
    digested = time.perf_counter() - start
    files = [folder / f"{kind}-{side}.json" for side in "ab"]
    for file, outcome in zip(files, outcomes, strict=True):
        file.write_text(json.dumps(outcome.to_dict()), encoding="utf-8")
    size = sum(file.stat().st_size for file in files) / 2e6
    del outcomes
    told = subprocess.run(  # noqa: S603 - this interpreter, on files made here
        [sys.executable, "-c", _DIFF, *map(str, files)], check=True, capture_output=True, text=True
    )
    load, compare, peak, ties = told.stdout.split()
    print(f"{kind}")
    print(f"  from a pandas frame, all forms and digests  {made:7.2f} s")
    print(f"  digests of the canonical rows               {digested:7.2f} s")
    print(f"  read and check two files of {size:4.0f} MB          {float(load):7.2f} s")
    print(f"  compare them ({int(ties):,} rows tie-swapped)      {float(compare):7.2f} s")
    print(f"  peak memory of reading and comparing        {peak:>7} MB")


def _frame(rows: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Return a table whose rows are in another order for each seed, 5% of them replaced."""
    fixed, varied = np.random.default_rng(0), np.random.default_rng(seed)
    names = np.arange(rows)
    chosen = varied.choice(rows, int(rows * _SWAPPED), replace=False)
    names[chosen] += rows * seed
    frame = pd.DataFrame(
        {
            "latency": fixed.random(rows),
            "energy": fixed.integers(0, 1_000_000, rows),
            "usage": fixed.random(rows).astype("float32"),
            "name": names,
        }
    )
    order = varied.permutation(rows)
    return frame.iloc[order].reset_index(drop=True), names[order]


def _cells(rows: int, seed: int) -> Outcome:
    frame, _ = _frame(rows, seed)
    return outcome_from_frame(frame, objectives=["latency", "energy", "usage"], latency="latency")


def _trees(rows: int, seed: int) -> Outcome:
    frame, names = _frame(rows, seed)
    return outcome_from_frame(
        frame,
        objectives=["latency", "energy", "usage"],
        latency="latency",
        trees=[_tree(int(name)) for name in names],
    )


def _tree(number: int) -> LoopTree:
    """Return a LoopTree of 17 nodes, a different one for each number below 6**8."""
    tiles = []
    for _ in range(8):
        number, place = divmod(number, len(_TILES))
        tiles.append(_TILES[place])
    branches = tuple(
        Nested(
            (
                Storage(component="L2", tensors=(f"W{half}", "X"), backing=(f"W{half}",)),
                *(
                    node
                    for rank, tile in zip(_RANKS, tiles[4 * half : 4 * half + 4], strict=True)
                    for node in (
                        Temporal(rank_variables=(rank,), tile=tile),
                        Storage(component="SM", tensors=(f"{rank}{half}",)),
                    )
                ),
                Compute(einsum=f"E{half}", component="MAC"),
            )
        )
        for half in (0, 1)
    )
    return LoopTree((Sequential(branches),), tuple((rank, 64) for rank in sorted(_RANKS)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else _ROWS)
