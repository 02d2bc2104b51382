"""Injected orders: trials site by site, then whole-run orders from the decision point.

Owns the phase: how it spends its budget, when it stops, and what it falls back on where
forking is impossible. The strategies are `repro.audit.explore`, the forks `repro.engine`.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from repro.audit.evidence import Evidence, broken_rungs
from repro.audit.explore import decision_call, sample, screening
from repro.audit.options import (
    FEWEST_ORDERS,
    INJECTION_SECONDS,
    MOST_ORDERS,
    SCREENING_SECONDS,
    CheckOptions,
)
from repro.audit.witness import Shrinker, describe
from repro.model.delivery import Delivery, Injection, Swaps
from repro.model.run import Mode, RunRequest, RunResult, Trial
from repro.model.rung import LADDER, Rung

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from repro.audit.runs import EnginePort, Planner, StagePort
    from repro.model.progress import Progress
    from repro.model.trace import Call, Site

JOBS_PHASE = "jobs, in two orders"
SCREENING_PHASE = "orders, site by site"
SAMPLE_PHASE = "orders, whole runs"
_LOCATED = 3
"""How many whole-run orders are taken apart, if the first can't be laid to one call."""
_CALLS_TRIED = 64
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
        backwards: From `repro.audit.repeats`: a whole run with each call's jobs run last to
            first, delivered in submission order, in the environment of the base run.
        located: Trials of one call alone that show again what a whole-run order showed.
        unsteady: Sites where submission order itself, tried again, gave another outcome, with
            the rungs that it broke: an order says nothing there of these.
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
    located: list[Trial] = field(default_factory=list)
    unsteady: dict[Site, frozenset[Rung]] = field(default_factory=dict)
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
        return self.screened + self.sampled + self.located

    def alone(self, site: Site | None = None) -> list[Trial]:
        """Trials of one call alone; of one site, if it is named."""
        trials = self.screened + self.located
        return [trial for trial in trials if site in (None, trial.call.site)]

    def shown(self, trial: Trial, explored: Rung) -> Rung | None:
        """Return the weakest rung that a trial's order breaks by itself, down to `explored`."""
        base = self.base.outcome
        if trial.injection.rest:
            shaky = frozenset().union(*self.unsteady.values())
        else:
            shaky = self.unsteady.get(trial.call.site, frozenset())
        if base is None:
            return None
        broken = (rung for rung in broken_rungs(trial.result, base) if rung not in shaky)
        rung = next(broken, None)
        return rung if rung in LADDER[: LADDER.index(explored) + 1] else None


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
            same=True,
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

    def explore(self, evidence: Evidence, limit: float, *, shrink: bool = True) -> None:
        """Run the jobs once, try orders until the budget is spent, and shrink what differs.

        Args:
            evidence: Takes what is found.
            limit: Seconds that one run or order may take.
            shrink: Whether the smallest reordering at each sensitive site is asked for.
        """
        stage, base = self._stage(limit)
        exploration = evidence.exploration = Exploration(base)
        try:
            if base.outcome is None:
                return
            if base.unforkable is not None and base.trace.permutable:
                stage = self._fall_back(stage, exploration, base.unforkable)
            ready = stage.ready
            exploration.calls = tuple(c for c in base.trace.permutable if c.index in ready)
            self._screen(stage, exploration, limit)
            self._verify(stage, exploration, limit)
            if exploration.unsteady and exploration.fallback is None and evidence.steady:
                reason = "trials forked from one process disturb one another"
                stage = self._fall_back(stage, exploration, reason)
                exploration.screened.clear()
                exploration.unsteady.clear()
                self._screen(stage, exploration, limit)
                self._verify(stage, exploration, limit)
            self._sample(stage, exploration, limit)
            self._locate(stage, exploration, limit)
            if shrink:
                self._shrink(stage, evidence, limit)
        finally:
            stage.close()

    def _fall_back(self, stage: StagePort, exploration: Exploration, reason: str) -> FreshStage:
        exploration.fallback = reason
        stage.close()
        return FreshStage(self._engine, self._planner, exploration.base)

    def _verify(self, stage: StagePort, exploration: Exploration, limit: float) -> None:
        """See that it is the order which makes the difference, at each site that shows one.

        Submission order must give the outcome of the base run again, and the order that
        differed the same other outcome again. If they don't, the search or its jobs change
        with something else, or trials disturb one another.
        """
        first: dict[Site, Trial] = {}
        for trial in exploration.screened:
            if exploration.shown(trial, self._options.explored):
                first.setdefault(trial.call.site, trial)
        for trial in first.values():
            self._control(stage, trial, exploration, limit)

    def _control(
        self, stage: StagePort, trial: Trial, exploration: Exploration, limit: float
    ) -> None:
        """Note on which rungs a call's site is unsteady."""
        base, site = exploration.base.outcome, trial.call.site
        if base is None:
            return
        submitted = Injection(trial.call.index, Swaps())
        (control,) = stage.run([(trial.call, submitted)], limit=limit)
        (again,) = stage.run([(trial.call, trial.injection)], limit=limit)
        shaky = set(broken_rungs(control.result, base))
        ours, theirs = trial.result.outcome, again.result.outcome
        if ours is None or theirs is None:
            shaky |= set() if ours is theirs else set(LADDER)
        else:
            shaky |= {rung for rung in LADDER if ours.digests[rung] != theirs.digests[rung]}
        if self._options.explored in shaky:
            exploration.unsteady[site] = frozenset(shaky)

    def _locate(self, stage: StagePort, exploration: Exploration, limit: float) -> None:
        """Where only whole-run orders differ, find the call that is enough by itself."""
        rung = self._options.explored
        if any(exploration.shown(trial, rung) for trial in exploration.screened):
            return
        found = [trial for trial in exploration.sampled if exploration.shown(trial, rung)]
        for whole in found[:_LOCATED]:
            alone = []
            for call in exploration.base.trace.permutable:
                order = Swaps.from_permutation(whole.injection.permutation(call, call.jobs))
                if order.pairs:
                    alone.append((call, Injection(call.index, order)))
            trials = list(stage.run(alone[:_CALLS_TRIED], limit=limit))
            for trial in trials:
                if exploration.shown(trial, rung):
                    self._control(stage, trial, exploration, limit)
            exploration.located = [trial for trial in trials if exploration.shown(trial, rung)]
            if exploration.located:
                return

    def _stage(self, limit: float) -> tuple[StagePort, RunResult]:
        self._progress.begin(JOBS_PHASE, None)
        stage = self._engine.stage(
            self._planner.request(
                Delivery.INJECTED,
                mode=Mode.STAGE,
                workers=self._planner.workers,
                limit=limit * 2,  # the jobs may run twice on one core
                purity=True,
                same=True,
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
            self._options.explored,
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
                if exploration.shown(trial, self._options.explored):
                    sensitive.add(trial.call.site)
            pending = [entry for entry in pending if entry[0].site not in sensitive]
        self._progress.end(SCREENING_PHASE)
        exploration.screening_seconds = self._clock() - started

    def _sample(self, stage: StagePort, exploration: Exploration, limit: float) -> None:
        """Draw whole-run orders until enough were tried or the time is spent."""
        sensitive = frozenset(
            trial.call.site
            for trial in exploration.screened
            if exploration.shown(trial, self._options.explored)
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
