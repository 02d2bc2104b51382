"""Injected orders: trials site by site, then whole-run orders from the decision point.

Owns the phase: how it spends its budget, when it stops, and what it falls back on where
forking is impossible. The strategies are `repro.audit.explore`, the forks `repro.engine`.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from repro.audit.evidence import Evidence, differs
from repro.audit.explore import decision_call, sample, screening
from repro.audit.options import (
    FEWEST_ORDERS,
    INJECTION_SECONDS,
    MOST_ORDERS,
    SCREENING_SECONDS,
    CheckOptions,
)
from repro.audit.witness import Shrinker, describe
from repro.model.delivery import Delivery
from repro.model.run import Mode, RunRequest, RunResult, Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from repro.audit.runs import EnginePort, Planner, StagePort
    from repro.model.delivery import Injection
    from repro.model.progress import Progress
    from repro.model.trace import Call, Site

JOBS_PHASE = "jobs, in two orders"
SCREENING_PHASE = "orders, site by site"
SAMPLE_PHASE = "orders, whole runs"
_BATCHES = 4
"""How many trials for each core are asked for at once: enough to keep cores busy."""


@dataclass(slots=True)
class Exploration:
    """What the injected orders showed.

    Attributes:
        base: The one run of the jobs, delivered in submission order.
        calls: The calls through which completion order could reach the search.
        screened: Trials of one call alone.
        sampled: Whole-run orders, drawn independently and uniformly.
        asked: Whole-run orders that were asked for.
        fallback: Why orders ran in fresh processes, or `None`.
        decision: The call from which whole-run orders were drawn.
        backwards: Where jobs couldn't be compared one by one: a whole run with each call's
            jobs run last to first, delivered in submission order.
        sample_seconds: Wall time of the whole-run orders.
        screening_seconds: Wall time of the trials site by site.
        witness_seconds: Wall time of making witnesses small.
        replayed: Whether this is one order from a token, and no exploration at all.
    """

    base: RunResult
    calls: tuple[Call, ...] = ()
    screened: list[Trial] = field(default_factory=list)
    sampled: list[Trial] = field(default_factory=list)
    asked: int = 0
    fallback: str | None = None
    decision: Call | None = None
    backwards: RunResult | None = None
    sample_seconds: float = 0.0
    screening_seconds: float = 0.0
    witness_seconds: float = 0.0
    replayed: bool = False

    @property
    def jobs_seconds(self) -> float | None:
        """Wall time of the one run of the jobs, up to the call from which orders were drawn."""
        return None if self.decision is None else self.decision.ready

    @property
    def trials(self) -> list[Trial]:
        """Every order tried."""
        return self.screened + self.sampled


class FreshStage:
    """Tries orders in fresh processes that run the jobs again: the fallback, same answers."""

    def __init__(self, engine: EnginePort, planner: Planner, base: RunResult) -> None:
        """Orders can be tried at every call of a run that is known already."""
        self._engine = engine
        self._planner = planner
        self._base = base
        self.ready = frozenset(call.index for call in base.trace.permutable)

    def wait(self) -> RunResult:
        """Return the run that is known already."""
        return self._base

    def run(
        self, orders: Sequence[tuple[Call, Injection]], *, limit: float | None
    ) -> Iterator[Trial]:
        """Run one served search for each order."""
        requests = [self.request(injection, limit) for _, injection in orders]
        for position, result in self._engine.run_all(requests, together=self._engine.cores):
            call, injection = orders[position]
            yield Trial(injection, call, result)

    def request(self, injection: Injection, limit: float | None) -> RunRequest:
        """Write the request for one order."""
        return self._planner.request(
            Delivery.INJECTED,
            mode=Mode.SERVED,
            workers=self._planner.workers,
            injection=injection,
            limit=limit,
        )

    def close(self) -> None:
        """Nothing is kept."""


class Explorer:
    """Runs the phase for one check."""

    def __init__(
        self,
        engine: EnginePort,
        planner: Planner,
        options: CheckOptions,
        progress: Progress,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep the ports."""
        self._engine = engine
        self._planner = planner
        self._options = options
        self._progress = progress
        self._clock = clock

    def explore(self, evidence: Evidence, limit: float) -> None:
        """Run the jobs once, try orders until the budget is spent, and shrink what differs.

        Args:
            evidence: Takes what is found.
            limit: Seconds that one run or order may take.
        """
        stage, base = self._stage(limit)
        exploration = evidence.exploration = Exploration(base)
        try:
            if base.outcome is None:
                return
            if base.unforkable is not None and base.trace.permutable:
                exploration.fallback = base.unforkable
                stage.close()
                stage = FreshStage(self._engine, self._planner, base)
            ready = stage.ready
            exploration.calls = tuple(c for c in base.trace.permutable if c.index in ready)
            if base.purity is not None and (base.purity.untested or base.purity.differing):
                exploration.backwards = self._run_backwards(limit)
            self._screen(stage, exploration, limit)
            self._sample(stage, exploration, limit)
            self._shrink(stage, evidence, limit)
        finally:
            stage.close()

    def _run_backwards(self, limit: float) -> RunResult:
        """Run the jobs last to first in a fresh process, to its end."""
        request = self._planner.request(
            Delivery.INJECTED,
            mode=Mode.SERVED,
            workers=self._planner.workers,
            limit=limit,
            backwards=True,
        )
        ((_, result),) = self._engine.run_all([request], together=1)
        return result

    def _stage(self, limit: float) -> tuple[StagePort, RunResult]:
        self._progress.begin(JOBS_PHASE, None)
        stage = self._engine.stage(
            self._planner.request(
                Delivery.INJECTED,
                mode=Mode.STAGE,
                workers=self._planner.workers,
                limit=limit * 2,  # the jobs may run twice on one core
                purity=True,
            )
        )
        try:
            return stage, stage.wait()
        except BaseException:
            stage.close()
            raise
        finally:
            self._progress.end(JOBS_PHASE)

    def _shrink(self, stage: StagePort, evidence: Evidence, limit: float) -> None:
        """Find the smallest reordering at each sensitive site, and name it by a token."""
        exploration = evidence.exploration
        if exploration is None or exploration.base.outcome is None:
            return
        started = self._clock()
        shrinker = Shrinker(
            stage,
            exploration,
            self._options.require,
            limit=limit,
            seconds=self._options.budget or INJECTION_SECONDS,
            progress=self._progress,
            clock=self._clock,
        )
        evidence.witnesses = tuple(
            describe(witness, exploration.base.outcome, self._planner.identity)
            for witness in shrinker.all()
        )
        exploration.witness_seconds = self._clock() - started

    def _screen(self, stage: StagePort, exploration: Exploration, limit: float) -> None:
        """Try each site alone, until it proves sensitive or its orders are used up."""
        started = self._clock()
        base = exploration.base.outcome
        pending = list(screening(exploration.calls, self._options.seed))
        sensitive: set[Site] = set()
        self._progress.begin(SCREENING_PHASE, len(pending))
        first_turn = len(exploration.calls)
        while pending:
            spent = self._clock() - started
            if len(exploration.screened) >= first_turn and spent >= SCREENING_SECONDS:
                break  # every call was tried once; more must not take all the time
            batch = pending[: self._engine.cores * _BATCHES]
            pending = pending[len(batch) :]
            for trial in stage.run(batch, limit=limit):
                exploration.screened.append(trial)
                self._progress.advance(SCREENING_PHASE, str(trial.call.site))
                if differs(trial.result, base, self._options.require):
                    sensitive.add(trial.call.site)
            pending = [entry for entry in pending if entry[0].site not in sensitive]
        self._progress.end(SCREENING_PHASE)
        exploration.screening_seconds = self._clock() - started

    def _sample(self, stage: StagePort, exploration: Exploration, limit: float) -> None:
        """Draw whole-run orders until enough were tried or the time is spent."""
        sensitive = frozenset(
            trial.call.site
            for trial in exploration.screened
            if differs(trial.result, exploration.base.outcome, self._options.require)
        )
        call = decision_call(exploration.calls, sensitive)
        exploration.decision = call
        if call is None:
            return
        wanted = self._options.orders or MOST_ORDERS
        seconds = self._options.budget
        if seconds is None and self._options.orders is None:
            seconds = INJECTION_SECONDS
        fewest = min(wanted, FEWEST_ORDERS)
        exploration.asked = wanted
        started = self._clock()
        orders = itertools.islice(sample(call, self._options.seed), wanted)
        self._progress.begin(SAMPLE_PHASE, wanted)
        while batch := list(itertools.islice(orders, self._engine.cores * _BATCHES)):
            for trial in stage.run(batch, limit=limit):
                exploration.sampled.append(trial)
                self._progress.advance(SAMPLE_PHASE, f"from {trial.call.site}")
            spent = self._clock() - started
            if seconds is not None and spent >= seconds and len(exploration.sampled) >= fewest:
                break
        self._progress.end(SAMPLE_PHASE)
        exploration.sample_seconds = self._clock() - started
