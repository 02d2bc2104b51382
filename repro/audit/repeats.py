"""Runs that differed, made again in the environment of the reference.

Owns which of them are repeated. Whole runs are each made in an environment of their own, so a
difference may come of that: if it is gone once the run is repeated where the reference was
made, it did. What follows is `repro.audit.attribute`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.audit.evidence import differs
from repro.audit.runs import Run, parallel_request
from repro.model.delivery import Delivery

if TYPE_CHECKING:
    from repro.audit.evidence import Evidence
    from repro.audit.runs import EnginePort, Planner
    from repro.model.outcome import Outcome
    from repro.model.run import RunRequest


def repeat_where_unexplained(
    engine: EnginePort, planner: Planner, evidence: Evidence, limit: float
) -> None:
    """Repeat what differs from the jobs' one run, unless that is explained already.

    Now the folder is free in which the reference was made: a path in the result is no longer a
    difference.
    """
    runs, exploration = evidence.runs, evidence.exploration
    outcome = evidence.base or evidence.reference
    rung = evidence.options.explored
    if outcome is None:
        return
    if exploration is not None and runs.backwards is not None:
        if differs(runs.backwards.result, outcome, rung):
            runs.backwards = _run(engine, planner.backwards())
        exploration.backwards = runs.backwards.result
        if differs(runs.backwards.result, outcome, rung):
            return  # jobs are to blame, wherever they ran
    for delivery in (Delivery.ORDERED, Delivery.NATIVE):
        if delivery is Delivery.NATIVE and _order_matters(evidence):
            continue
        if _differs(evidence, delivery, outcome):
            request = parallel_request(planner, delivery, engine.cores, limit, same=True)
            runs.again[delivery] = _run(engine, request)


def _run(engine: EnginePort, request: RunRequest) -> Run:
    ((_, result),) = engine.run_all([request], together=1)
    return Run(request, result)


def _order_matters(evidence: Evidence) -> bool:
    exploration, rung = evidence.exploration, evidence.options.explored
    return exploration is not None and any(
        exploration.shown(trial, rung) for trial in exploration.alone()
    )


def _differs(evidence: Evidence, delivery: Delivery, outcome: Outcome) -> bool:
    rung = evidence.options.explored
    return any(differs(result, outcome, rung) for result in evidence.runs.good(delivery))
