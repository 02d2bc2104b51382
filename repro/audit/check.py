"""One check from beginning to end: gather evidence, judge it, write the result.

Owns the sequence. The engine comes in through a port (`repro.audit.runs.EnginePort`), so the
same sequence runs over fakes. What was seen decides everything; nothing here prints.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.audit.attribute import find_causes
from repro.audit.bound import bound
from repro.audit.diversity import diversity
from repro.audit.environment import blame_environment
from repro.audit.evidence import UNDECIDED, Evidence, environment_of
from repro.audit.judge import (
    groups_of,
    judge_axes,
    judge_deliveries,
    judge_sites,
    reference_of,
    verdict,
)
from repro.audit.options import INJECTION_SECONDS
from repro.audit.orders import (
    JOBS_PHASE,
    SAMPLE_PHASE,
    SCREENING_PHASE,
    Explorer,
)
from repro.audit.reasons import find_reasons
from repro.audit.repeats import repeat_where_unexplained
from repro.audit.runs import (
    NATIVE_PHASE,
    ORDERED_PHASE,
    SERIAL_PHASE,
    Planner,
    Runs,
    asks_for_axes,
    run_parallel,
    run_serial,
)
from repro.audit.witness import WITNESS_PHASE
from repro.errors import (
    ControlError,
    DiskFullError,
    InfeasibleError,
    ProbeError,
    ReproError,
    RunError,
    SearchError,
)
from repro.model.delivery import Delivery
from repro.model.result import CheckResult, ProbeRef, Timings
from repro.model.run import Ending, RunResult

if TYPE_CHECKING:
    from collections.abc import Callable

    from repro.audit.options import CheckOptions
    from repro.audit.runs import EnginePort
    from repro.model.findings import Diversity
    from repro.model.progress import Progress
    from repro.model.search import SearchSource


START_SECONDS = 2.0
"""What a fresh process needs before its search begins, mostly imports."""


@dataclass(frozen=True, slots=True)
class Checker:
    """Checks one search.

    Attributes:
        source: The search.
        options: What to try.
        engine: What runs it.
        progress: What is told how far it is.
        arguments: How the search was named on the command line, for the report's hints.
        clock: Seconds from any fixed point.
    """

    source: SearchSource
    options: CheckOptions
    engine: EnginePort
    progress: Progress
    arguments: str | None = None
    clock: Callable[[], float] = time.monotonic

    def check(self) -> CheckResult:
        """Run everything and judge it.

        Raises:
            ReproError: The search can't be run at all: there is no reference outcome.
        """
        started = self.clock()
        planner = Planner(self.source, self.options)
        runs = Runs()
        self.progress.plan(self._phases())
        counts = planner.worker_counts() if asks_for_axes(self.options) else ()
        run_serial(self.engine, planner, runs, self.progress, counts=counts)
        require_reference(runs, self.source.name, self.arguments)
        evidence = Evidence(self.options, planner.workers, runs, identity=planner.identity)
        evidence.blame = blame_environment(self.engine, planner, runs, self.progress)
        limit = planner.limit(runs.good(Delivery.SERIAL))
        self.progress.estimate(self._estimate(runs))
        for delivery in (Delivery.ORDERED, Delivery.NATIVE):
            run_parallel(self.engine, planner, delivery, runs, self.progress)
        if self.options.judges(Delivery.INJECTED):
            explorer = Explorer(self.engine, planner, self.options, self.progress, clock=self.clock)
            explorer.explore(evidence, limit)
        repeat_where_unexplained(self.engine, planner, evidence, limit)
        return self.result(evidence, self.clock() - started)

    def _estimate(self, runs: Runs) -> float:
        """Guess the seconds that are left once serial runs are known.

        The factors are what the shipped probes needed on two cores: a parallel run takes about
        as long as a serial one, the jobs in two orders one and a half times that, the trials
        site by site three times and the smallest reordering twice.
        """
        known = [result.seconds or 0.0 for result in runs.good(Delivery.SERIAL)]
        search = max(known) + START_SECONDS
        parallel = [d for d in (Delivery.ORDERED, Delivery.NATIVE) if self.options.judges(d)]
        left = sum(self.options.runs_of(delivery) for delivery in parallel) * search
        if self.options.judges(Delivery.INJECTED):
            left += (1.5 + 3 + 2) * search
            orders = (self.options.orders or 0) * search / 2 / self.engine.cores
            left += self.options.budget or orders or INJECTION_SECONDS
        return left

    def _phases(self) -> list[str]:
        phases = [SERIAL_PHASE]
        if self.options.judges(Delivery.ORDERED):
            phases.append(ORDERED_PHASE)
        if self.options.judges(Delivery.NATIVE):
            phases.append(NATIVE_PHASE)
        if self.options.judges(Delivery.INJECTED):
            phases += [JOBS_PHASE, SCREENING_PHASE, SAMPLE_PHASE, WITNESS_PHASE]
        return phases

    def result(self, evidence: Evidence, total: float) -> CheckResult:
        """Judge what was gathered and write it down."""
        deliveries = judge_deliveries(evidence)
        axes = judge_axes(evidence)
        against, notes = find_reasons(evidence)
        exploration = evidence.exploration
        sampled = exploration.sampled if exploration else []
        rate = None
        if sampled:
            known = [t for t in sampled if t.result.ending not in UNDECIDED]
            rate = bound(len(known), evidence.differing(sampled))
        source = self.source
        return CheckResult(
            verdict=verdict(evidence, deliveries, against),
            require=self.options.require,
            reasons=(*against, *notes),
            probe=ProbeRef(
                name=source.name,
                digest=source.digest,
                entry=source.entry,
                workers=evidence.workers,
                title=source.title,
                arguments=self.arguments if source.has_command else "",
            ),
            reference=reference_of(evidence),
            deliveries=deliveries,
            axes=axes,
            sites=judge_sites(evidence),
            causes=find_causes(evidence, deliveries),
            witnesses=evidence.witnesses,
            diversity=_diversity(evidence),
            bound=rate,
            environment=environment_of(evidence),
            timings=_timings(evidence, total),
            latency_groups=groups_of(evidence.reference),
        )


def require_reference(runs: Runs, name: str, arguments: str | None) -> None:
    """Stop with the search's own error where no serial run gave an outcome.

    Raises:
        ReproError: As `no_reference` says.
    """
    if not runs.good(Delivery.SERIAL):
        (first, *_) = runs.by_delivery.get(Delivery.SERIAL) or runs.by_workers.values()
        raise no_reference(first.result, name, arguments or name)


def no_reference(result: RunResult, name: str, arguments: str) -> ReproError:
    """Return the error for a search that gave no serial outcome at all."""
    failure = result.failure
    message = failure.message if failure else "the run left no outcome"
    where = f"probe {name}"
    if failure is not None and failure.where:
        where = failure.where if name in failure.where else f"{where}, {failure.where}"
    again = f"to see it alone: repro run {arguments} --json outcome.json"
    match result.ending:
        case Ending.INFEASIBLE:
            return InfeasibleError(message, where=where)
        case Ending.CONTROL:
            return ControlError(message, where=where)
        case Ending.DISK_FULL:
            return DiskFullError(
                "no space was left on the device during the run",
                where=where,
                do="free some space, or set TMPDIR to a folder with space",
            )
        case Ending.INPUT:
            return ProbeError(message, where=where)
        case Ending.FAILED if failure is not None:
            what = f"the search itself failed: {failure.kind}: {message}"
            return SearchError(what, where=where, do=again)
        case _:
            return RunError(f"the serial run gave no outcome: {message}", where=where, do=again)


def _diversity(evidence: Evidence) -> Diversity | None:
    exploration, reference = evidence.exploration, evidence.reference
    if exploration is None or reference is None or not exploration.trials:
        return None
    found = [t.result.outcome for t in exploration.trials if t.result.outcome is not None]
    sampled = [t.result.outcome for t in exploration.sampled if t.result.outcome is not None]
    native = [r.outcome for r in evidence.runs.good(Delivery.NATIVE) if r.outcome is not None]
    return diversity(reference, [reference, *native, *found], sampled)


def _timings(evidence: Evidence, total: float) -> Timings:
    serial = sorted(r.seconds or 0.0 for r in evidence.runs.good(Delivery.SERIAL))
    exploration = evidence.exploration
    jobs = injected = each = trials = None
    if exploration is not None:
        jobs = exploration.jobs_seconds
        trials = round(exploration.screening_seconds + exploration.witness_seconds, 3)
        if exploration.sampled and jobs is not None:
            injected = jobs + exploration.sample_seconds
            each = round(injected / len(exploration.sampled), 3)
    return Timings(
        total_seconds=round(total, 3),
        search_seconds=round(serial[len(serial) // 2], 3),
        jobs_seconds=None if jobs is None else round(jobs, 3),
        injected_seconds=None if injected is None else round(injected, 3),
        seconds_per_order=each,
        trials_seconds=trials,
    )
