"""The whole runs of a check: serial, ordered, native, and the worker counts.

Owns which processes are asked for, in which environment, and which of them may run side by
side. Leaves injected orders to `repro.audit.orders` and judging to `repro.audit.judge`.
"""

from __future__ import annotations

import itertools
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from repro.audit.options import (
    FIRST_LIMIT,
    LEAST_LIMIT,
    LIMIT_FACTOR,
    MANY_WORKERS,
    CheckOptions,
)
from repro.model.delivery import Delivery
from repro.model.run import Ending, Mode, RunRequest, RunResult, Variation

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repro.model.delivery import Injection
    from repro.model.progress import Progress
    from repro.model.run import Trial
    from repro.model.search import SearchSource
    from repro.model.trace import Call

_PLACES: tuple[tuple[str | None, str | None, int | None], ...] = (
    ("UTC", "C.UTF-8", 1),
    ("Asia/Kathmandu", "C", 2),
    (None, None, None),
)
"""Time zone, locale and threads of the serial runs, in turn; `None` is the user's own."""

SERIAL_PHASE = "serial and worker counts"
ORDERED_PHASE = "ordered"
NATIVE_PHASE = "native"


@dataclass(frozen=True, slots=True)
class Identity:
    """What a replay token is made for: digests of the probe and of the search's code."""

    probe: str
    code: str


_HOPELESS = frozenset({Ending.INFEASIBLE, Ending.INPUT, Ending.CONTROL, Ending.FAILED})
"""Endings that every other run of the same search would share."""


class StagePort(Protocol):
    """A search that ran once and from which orders can be tried."""

    @property
    def ready(self) -> frozenset[int]:
        """Indices of the calls from which orders can be tried."""
        ...

    def wait(self) -> RunResult:
        """Return the result of the one run of the jobs."""
        ...

    def run(
        self, orders: Sequence[tuple[Call, Injection]], *, limit: float | None
    ) -> Iterator[Trial]:
        """Try orders; yield them as they end."""
        ...

    def close(self) -> None:
        """End it."""
        ...


class EnginePort(Protocol):
    """What runs requests: `repro.engine.launch.Launcher`, or a fake."""

    @property
    def cores(self) -> int:
        """How many processes may be busy together."""
        ...

    def run_all(
        self, requests: Sequence[RunRequest], *, together: int
    ) -> Iterator[tuple[int, RunResult]]:
        """Run requests; yield `(position, result)` as they end."""
        ...

    def stage(self, request: RunRequest) -> StagePort:
        """Run a search once and keep it for orders."""
        ...


@dataclass(frozen=True, slots=True)
class Run:
    """One whole run: what was asked and what came of it."""

    request: RunRequest
    result: RunResult


@dataclass(slots=True)
class Runs:
    """All whole runs of a check, by delivery; and served ones, by worker count."""

    by_delivery: dict[Delivery, list[Run]] = field(default_factory=dict)
    by_workers: dict[int, Run] = field(default_factory=dict)
    backwards: Run | None = None
    """A served run with each call's jobs run last to first, delivered in submission order."""
    again: dict[Delivery, Run] = field(default_factory=dict)
    """Runs of a delivery that differed, repeated in the environment of the reference."""

    def good(self, delivery: Delivery) -> list[RunResult]:
        """Return the runs of a delivery that ended with an outcome."""
        return [
            run.result
            for run in self.by_delivery.get(delivery, ())
            if run.result.ending is Ending.OUTCOME
        ]

    def all(self) -> Iterator[Run]:
        """Return every run."""
        return itertools.chain(
            *self.by_delivery.values(),
            self.by_workers.values(),
            self.again.values(),
            [] if self.backwards is None else [self.backwards],
        )


class Planner:
    """Writes requests for one search under one set of options."""

    def __init__(self, source: SearchSource, options: CheckOptions) -> None:
        """Keep both."""
        self.source = source
        self._description = source.describe()
        self.options = options
        self.workers = options.workers or source.workers
        self._count = 0
        self.reference: Variation | None = None
        """Environment of the first serial run, to which all others are held."""

    @property
    def identity(self) -> Identity:
        """What a replay token is made for."""
        return Identity(self.source.digest, self.source.code_digest())

    def variation(self) -> Variation:
        """Return the next environment: a hash seed of its own, places in turn."""
        zone, locale, threads = _PLACES[self._count % len(_PLACES)]
        self._count += 1
        # Seed 0 switches hash randomisation off, so it starts at 1.
        seed = 1 + self.options.seed * 1000 + self._count
        variation = Variation(seed, zone, locale, threads, folder=self._count)
        self.reference = self.reference or variation
        return variation

    def limit(self, serial: Sequence[RunResult] = ()) -> float:
        """Return the seconds that a run may take, from how long serial ones took."""
        if self.options.limit is not None:
            return self.options.limit
        known = [result.seconds for result in serial if result.seconds is not None]
        return max(LEAST_LIMIT, LIMIT_FACTOR * max(known)) if known else FIRST_LIMIT

    def request(  # noqa: PLR0913 - one keyword for each thing that a run can differ in
        self,
        delivery: Delivery,
        *,
        mode: Mode = Mode.PLAIN,
        workers: int | None,
        processes: int | None = None,
        limit: float | None = None,
        injection: Injection | None = None,
        purity: bool = False,
        backwards: bool = False,
        same: bool = False,
    ) -> RunRequest:
        """Write one request, in the next environment or in the `same` as the reference's."""
        return RunRequest(
            search=self._description,
            mode=mode,
            delivery=delivery,
            workers=workers,
            variation=self.reference if same and self.reference else self.variation(),
            processes=processes,
            limit=limit,
            injection=injection,
            purity=purity,
            backwards=backwards,
        )

    def serial(self, runs: int) -> list[RunRequest]:
        """Write the serial repetitions: the search's own one-job path."""
        limit = self.limit()
        return [self.request(Delivery.SERIAL, workers=1, limit=limit) for _ in range(runs)]

    def served(self, counts: Sequence[int]) -> list[RunRequest]:
        """Write one served run for each worker count: so many are told, none is started."""
        limit = self.limit()
        return [
            self.request(Delivery.ORDERED, mode=Mode.SERVED, workers=count, limit=limit, same=True)
            for count in counts
        ]

    def backwards(self) -> RunRequest:
        """Write a served run that runs jobs last to first, where the reference was made."""
        return self.request(
            Delivery.ORDERED,
            mode=Mode.SERVED,
            workers=self.workers,
            limit=self.limit(),
            backwards=True,
            same=True,
        )

    def worker_counts(self) -> list[int]:
        """Return the counts of the `workers` axis that no other run covers."""
        staged = self.options.judges(Delivery.INJECTED)
        covered = {1, self.workers} if staged else {1}
        shipped = self.source.shipped or os.cpu_count() or 1
        wanted = {1, 2, self.workers, os.cpu_count() or 1, shipped, MANY_WORKERS}
        return sorted(wanted - covered)


def run_serial(
    engine: EnginePort,
    planner: Planner,
    runs: Runs,
    progress: Progress,
    *,
    counts: Sequence[int],
) -> None:
    """Run the serial repetitions, some worker counts, and the jobs backwards.

    All need one core each and go side by side, the serial ones first: once one shows that
    the inputs are at fault, nothing more is spent on them.
    """
    options = planner.options
    requests = planner.serial(options.runs_of(Delivery.SERIAL)) + planner.served(counts)
    if options.judges(Delivery.INJECTED):
        requests.append(planner.backwards())
    progress.begin(SERIAL_PHASE, len(requests))
    results: dict[int, RunResult] = {}
    for position, result in engine.run_all(requests, together=engine.cores):
        results[position] = result
        progress.advance(SERIAL_PHASE, requests[position].label)
        serial = requests[position].delivery is Delivery.SERIAL
        if serial and result.ending in _HOPELESS:
            break
    for position, request in enumerate(requests):
        if position not in results:
            continue
        run = Run(request, results[position])
        if request.backwards:
            runs.backwards = run
        elif request.mode is Mode.SERVED and request.workers is not None:
            runs.by_workers[request.workers] = run
        else:
            runs.by_delivery.setdefault(Delivery.SERIAL, []).append(run)
    progress.end(SERIAL_PHASE)


def run_parallel(
    engine: EnginePort, planner: Planner, delivery: Delivery, runs: Runs, progress: Progress
) -> None:
    """Run the whole parallel runs of one delivery, one at a time: each fills the cores.

    Ordered runs are told the logical count and get as many processes as there are cores.
    Native runs are left entirely as shipped.
    """
    options = planner.options
    if not options.judges(delivery):
        return
    native = delivery is Delivery.NATIVE
    limit = planner.limit(runs.good(Delivery.SERIAL))
    requests = [
        parallel_request(planner, delivery, engine.cores, limit)
        for _ in range(options.runs_of(delivery))
    ]
    phase = NATIVE_PHASE if native else ORDERED_PHASE
    progress.begin(phase, len(requests))
    for position, result in engine.run_all(requests, together=1):
        runs.by_delivery.setdefault(delivery, []).append(Run(requests[position], result))
        progress.advance(phase, requests[position].label)
    progress.end(phase)


def parallel_request(
    planner: Planner, delivery: Delivery, cores: int, limit: float, *, same: bool = False
) -> RunRequest:
    """Write one whole parallel run."""
    native = delivery is Delivery.NATIVE
    return planner.request(
        delivery,
        workers=None if native else planner.workers,
        processes=None if native else max(2, cores),
        limit=limit,
        same=same,
    )


def asks_for_axes(options: CheckOptions) -> bool:
    """Whether the question is about the search as shipped, axes and all."""
    return options.judges(Delivery.NATIVE) or options.judges(Delivery.INJECTED)
