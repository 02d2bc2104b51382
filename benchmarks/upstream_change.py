"""Does one deleted argument make AccelForge's parallel searches equal its serial one?

The change (docs/upstream.md): the call of `parallel` in `make_pmappings` loses its
`return_as="generator_unordered"`, so that it returns results in submission order. Here it is
made in this process alone, and the search is run with it and without, under two completion
orders: whatever this machine gives, and exactly reversed. Each outcome is compared with the
serial search's on the ladder of sameness.

    python benchmarks/upstream_change.py [PROBE] [--pairs N] [--json FILE]

With `--pairs`, N searches of each kind run in turn and their times are compared. Exits with 1
if the change doesn't do what it should.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import joblib
from accelforge.mapper.FFM._make_pmappings import make_pmappings as site

from repro.model.rung import LADDER, Rung
from repro.searches.accelforge import AccelForgeSearch
from repro.searches.catalog import load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from repro.model.outcome import Outcome

WORKERS = 2
_PATIENCE = 600.0
_SETTLE = 0.03
"""Seconds between two completions, so that joblib takes them up in the order they were made."""


class Reversed:
    """Lets the jobs of a call run one at a time, and complete in exactly reversed order."""

    def __init__(self, jobs: int) -> None:
        self.completed: list[int] = []
        self._running = threading.Lock()
        self._done = [threading.Event() for _ in range(jobs + 1)]
        self._done[jobs].set()

    def run(self, index: int, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Run one job, then wait for the one submitted after it to complete."""
        with self._running:
            result = function(*args, **kwargs)
        if not self._done[index + 1].wait(_PATIENCE):
            raise TimeoutError(f"job {index + 1} never completed")
        time.sleep(_SETTLE)
        self.completed.append(index)
        self._done[index].set()
        return result


@contextlib.contextmanager
def upstream(*, changed: bool, backwards: bool) -> Iterator[list[Reversed]]:
    """Make the change, and force the completion order, at the one site in question."""
    original = site.parallel
    forced: list[Reversed] = []

    def parallel(jobs: Any, return_as: str | None = None, **kwargs: Any) -> Any:
        if return_as != "generator_unordered":
            return original(jobs, return_as=return_as, **kwargs)
        if not changed:
            kwargs["return_as"] = return_as
        if not backwards:
            return original(jobs, **kwargs)
        jobs = list(jobs)
        order = Reversed(len(jobs))
        forced.append(order)
        held = [(order.run, (index, *job), {}) for index, job in enumerate(jobs)]
        # All jobs are in flight at once, as waiting threads; only one of them works at a time.
        with joblib.parallel_config(backend="threading"):
            return list(original(held, n_jobs=len(held), **kwargs))

    site.parallel = parallel
    try:
        yield forced
    finally:
        site.parallel = original


def search(probe: str, workers: int) -> tuple[Outcome, float]:
    """Search once; return the outcome and the seconds it took."""
    loaded = load(probe)
    one = AccelForgeSearch(loaded.probe, loaded.folder)
    one.prepare()
    begin = time.perf_counter()
    result = one.execute(workers)
    seconds = time.perf_counter() - begin
    return one.outcome(result), seconds


def compared(probe: str, serial: Outcome, *, changed: bool, backwards: bool) -> dict[str, Any]:
    """Search in parallel and say which rungs equal the serial search's."""
    with upstream(changed=changed, backwards=backwards) as forced:
        outcome, _ = search(probe, WORKERS)
    for order in forced:
        if order.completed != sorted(order.completed, reverse=True):
            raise RuntimeError(f"the completion order wasn't reversed: {order.completed}")
    trees = {row.survivor for row in serial.rows}
    return {
        "source": "changed" if changed else "as shipped",
        "completion": "reversed" if backwards else f"{WORKERS} processes",
        "rows": len(outcome.rows),
        "sharedLoopTrees": len(trees & {row.survivor for row in outcome.rows}),
        "serialLoopTrees": len(trees),
        "holds": {rung: outcome.digests[rung] == serial.digests[rung] for rung in LADDER},
    }


def timed(probe: str, pairs: int) -> dict[str, float]:
    """Return the median seconds of a search as shipped and changed, run in turn."""
    seconds: dict[bool, list[float]] = {False: [], True: []}
    for number in range(2 * pairs):
        changed = number % 4 in {1, 2}  # in turn, and neither kind always goes first
        with upstream(changed=changed, backwards=False):
            seconds[changed].append(search(probe, WORKERS)[1])
    return {
        "asShipped": statistics.median(seconds[False]),
        "changed": statistics.median(seconds[True]),
    }


def main() -> int:
    """Run the comparison and print it as a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("probe", nargs="?", default="matmul-chain")
    parser.add_argument("--pairs", type=int, default=0)
    parser.add_argument("--json", type=Path)
    asked = parser.parse_args()

    serial, _ = search(asked.probe, 1)
    runs = [
        compared(asked.probe, serial, changed=changed, backwards=backwards)
        for changed in (False, True)
        for backwards in (False, True)
    ]
    print("| source | completion order | LoopTrees shared with serial | rungs that hold |")
    print("| --- | --- | --- | --- |")
    for run in runs:
        holds = ", ".join(rung for rung in LADDER if run["holds"][rung]) or "none"
        shared = f"{run['sharedLoopTrees']} of {run['serialLoopTrees']}"
        print(f"| {run['source']} | {run['completion']} | {shared} | {holds} |")
    result = {"probe": asked.probe, "runs": runs}
    if asked.pairs:
        result["seconds"] = timed(asked.probe, asked.pairs)
        print(
            "\nmedian seconds of {} searches each: {asShipped:.2f} as shipped, {changed:.2f} "
            "changed".format(asked.pairs, **result["seconds"])
        )
    if asked.json:
        asked.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    cured = all(run["holds"][Rung.BYTES] for run in runs if run["source"] == "changed")
    needed = not all(run["holds"][Rung.SURVIVORS] for run in runs if run["source"] != "changed")
    return 0 if cured and needed else 1


if __name__ == "__main__":
    sys.exit(main())
