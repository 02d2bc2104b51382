"""What the engine's instrumentation costs: paired searches, with and without the boundary.

    python benchmarks/instrumentation.py [PROBE] [PAIRS]

Each pair runs the probe's search twice in one process that has warmed up, with joblib's own
workers and the probe's worker count: once as shipped, once with every job tagged, every call
recorded and results handed on in completion order (`native` delivery). The order within a
pair alternates. Printed is the ratio with/without, pair by pair, and its median.
"""

from __future__ import annotations

import statistics
import sys
import time
from typing import TYPE_CHECKING

from repro.engine.control import Delivered, installed
from repro.engine.record import Recorder
from repro.searches.entry import build
from repro.searches.find import find

if TYPE_CHECKING:
    from repro.model.search import Search


def seconds(search: Search, workers: int) -> float:
    """Run one search and return its wall time in seconds."""
    started = time.perf_counter()
    search.execute(workers)
    return time.perf_counter() - started


def instrumented(search: Search, workers: int) -> float:
    """Run one search behind the boundary and return its wall time in seconds."""
    recorder = Recorder(search.label, search.through)
    with installed(Delivered(recorder, ordered=False)):
        took = seconds(search, workers)
    if not recorder.trace().calls:
        sys.exit("no joblib call was seen: nothing was instrumented")
    return took


def main() -> None:
    """Measure and print."""
    name = sys.argv[1] if len(sys.argv) > 1 else "matmul-chain"
    pairs = int(sys.argv[2]) if len(sys.argv) > 2 else 12  # noqa: PLR2004
    source = find(name)
    search = build(source.describe())
    search.canary()
    search.prepare()
    seconds(search, source.workers)
    instrumented(search, source.workers)
    ratios = []
    for pair in range(pairs):
        runs = [seconds, instrumented]
        took = {run: run(search, source.workers) for run in (runs if pair % 2 else runs[::-1])}
        ratios.append(took[instrumented] / took[seconds])
        print(f"pair {pair + 1:2}: {ratios[-1]:.3f}", flush=True)
    low, high = min(ratios), max(ratios)
    median = statistics.median(ratios)
    print(f"{name}: with/without {median:.3f} (median of {pairs} pairs, {low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
