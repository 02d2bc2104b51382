"""Outcomes of serial runs and injected orders, without a verdict on them.

Owns gathering what a statement about outcomes, such as a ranking's, rests on. Leaves a whole
check to `repro.audit.check` and the orders themselves to `repro.audit.orders`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro._version import __version__
from repro.audit.check import require_reference
from repro.audit.evidence import Evidence
from repro.audit.orders import Explorer
from repro.audit.runs import SERIAL_PHASE, Planner, Run, Runs
from repro.model.delivery import Delivery
from repro.model.run import Ending
from repro.model.setting import Environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from repro.audit.options import CheckOptions
    from repro.audit.runs import EnginePort
    from repro.model.outcome import Outcome
    from repro.model.progress import Progress
    from repro.model.search import SearchSource

_HOPELESS = frozenset({Ending.INFEASIBLE, Ending.INPUT, Ending.CONTROL, Ending.FAILED})
"""Endings that every other run of the same search would share."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What was gathered.

    Attributes:
        serial: Of serial runs, the reference first.
        injected: Of the jobs' one run in submission order, of orders at one site alone, and of
            a run whose jobs ran last to first.
        sampled: Of whole-run orders, drawn independently and uniformly.
    """

    serial: tuple[Outcome, ...]
    injected: tuple[Outcome, ...]
    sampled: tuple[Outcome, ...]

    @property
    def all(self) -> tuple[Outcome, ...]:
        """All of them, the reference first and the sampled ones last."""
        return self.serial + self.injected + self.sampled


def survey(  # noqa: PLR0913 - the ports of an audit
    source: SearchSource,
    options: CheckOptions,
    engine: EnginePort,
    progress: Progress,
    *,
    arguments: str | None = None,
    accept: Callable[[Outcome], object] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> Evidence:
    """Run a search serially, then under injected orders.

    Args:
        source: The search.
        options: How many runs and orders; only serial and injected ones are made.
        engine: What runs it.
        progress: What is told how far it is.
        arguments: How the search was named on the command line, for hints.
        accept: Is given the reference before anything else is run, and raises if what is
            asked can't be answered from such outcomes.
        clock: Seconds from any fixed point.

    Raises:
        ReproError: The search can't be run at all, or `accept` refuses.
    """
    planner = Planner(source, options)
    runs = Runs()
    _run_serial(engine, planner, runs, progress)
    require_reference(runs, source.name, arguments)
    evidence = Evidence(options, planner.workers, runs, identity=planner.identity)
    if evidence.reference is not None:
        accept(evidence.reference)
    limit = planner.limit(runs.good(Delivery.SERIAL))
    Explorer(engine, planner, options, progress, clock=clock).explore(evidence, limit)
    return evidence


def _run_serial(engine: EnginePort, planner: Planner, runs: Runs, progress: Progress) -> None:
    """Run the serial repetitions side by side, and the jobs backwards: each needs one core."""
    serial = planner.serial(planner.options.runs_of(Delivery.SERIAL))
    requests = [*serial, planner.backwards()]
    found: dict[int, Run] = {}
    progress.begin(SERIAL_PHASE, len(requests))
    for position, result in engine.run_all(requests, together=engine.cores):
        found[position] = Run(requests[position], result)
        progress.advance(SERIAL_PHASE, requests[position].label)
        if result.ending in _HOPELESS and position < len(serial):
            break
    runs.backwards = found.pop(len(serial), None)
    runs.by_delivery[Delivery.SERIAL] = [found[position] for position in sorted(found)]
    progress.end(SERIAL_PHASE)


def outcomes_of(evidence: Evidence) -> Outcomes:
    """Return every outcome that was gathered."""
    serial = [result.outcome for result in evidence.runs.good(Delivery.SERIAL)]
    exploration, backwards = evidence.exploration, evidence.runs.backwards
    alone = [] if backwards is None else [backwards.result.outcome]
    drawn: list[Outcome | None] = []
    if exploration is not None:
        trials = exploration.screened + exploration.located
        alone += [exploration.base.outcome, *(trial.result.outcome for trial in trials)]
        drawn = [trial.result.outcome for trial in exploration.sampled]
    return Outcomes(_there(serial), _there(alone), _there(drawn))


def _there(outcomes: list[Outcome | None]) -> tuple[Outcome, ...]:
    return tuple(outcome for outcome in outcomes if outcome is not None)


def environment_of(evidence: Evidence) -> Environment:
    """Say where the runs were made, and with which versions."""
    seen = evidence.runs.good(Delivery.SERIAL)[0].environment
    return Environment(
        python=seen["python"],
        tool=__version__,
        joblib=seen["joblib"],
        platform=seen["platform"],
        machine=seen["machine"],
        cores=int(seen["cores"]),
        accelforge=seen.get("accelforge"),
        numpy=seen.get("numpy"),
        pandas=seen.get("pandas"),
        numba=seen.get("numba"),
    )
