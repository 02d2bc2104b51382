"""Outcomes of serial runs and injected orders, without a verdict on them.

Owns gathering what a statement about outcomes, such as a ranking's, rests on. Leaves a whole
check to `repro.audit.check` and the orders themselves to `repro.audit.orders`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.audit.check import require_reference
from repro.audit.evidence import Evidence
from repro.audit.orders import Explorer
from repro.audit.runs import Planner, Runs, run_serial
from repro.model.delivery import Delivery

if TYPE_CHECKING:
    from collections.abc import Callable

    from repro.audit.options import CheckOptions
    from repro.audit.runs import EnginePort
    from repro.model.outcome import Outcome
    from repro.model.progress import Progress
    from repro.model.search import SearchSource


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
    run_serial(engine, planner, runs, progress, counts=())
    require_reference(runs, source.name, arguments)
    evidence = Evidence(options, planner.workers, runs, identity=planner.identity)
    if evidence.reference is not None:
        accept(evidence.reference)
    limit = planner.limit(runs.good(Delivery.SERIAL))
    Explorer(engine, planner, options, progress, clock=clock).explore(evidence, limit, shrink=False)
    return evidence


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
