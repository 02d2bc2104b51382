"""Attributing differences: which kind of cause, at which site, on which rung.

Owns the order in which explanations are tried, most specific first. A difference is laid to
what differs between two runs that are alike in all else:

- `order`: one call's results delivered in another order, all else from the same process;
- `jobs`: jobs run last to first, or spread over processes, at the same worker count, in the
  same environment and delivery order;
- `workers`: one path and another count, in the same environment, served in one process;
- `environment`: the same run, there and here;
- `unknown`: the same run twice, or nothing of these.

Leaves finding the differences to `repro.audit.judge` and the smallest reordering to
`repro.audit.witness`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.audit.evidence import Evidence, differs, first_rung
from repro.model.delivery import Delivery
from repro.model.findings import Cause, CauseKind
from repro.model.rung import LADDER, Rung

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repro.model.evidence import DeliveryResult
    from repro.model.outcome import Outcome
    from repro.model.run import RunResult
    from repro.model.trace import Site


def find_causes(
    evidence: Evidence, deliveries: dict[Delivery, DeliveryResult]
) -> tuple[Cause, ...]:
    """Attribute every difference that was seen, most specific cause first."""
    serial = _broken(evidence, deliveries, Delivery.SERIAL)
    steady = evidence.steady
    causes = [*_order_causes(evidence), *_job_causes(evidence, serial, steady=steady)]
    causes += _serial_causes(evidence, causes, serial)
    if steady:
        causes += _worker_causes(evidence, deliveries)
        causes += _parallel_causes(evidence, causes)
    return tuple(causes)


def _serial_causes(
    evidence: Evidence, causes: Iterable[Cause], broken: tuple[Rung, ...]
) -> list[Cause]:
    """Blame the environment where changing it explains why serial runs differ."""
    if not broken:
        return []
    blame = evidence.blame
    if blame is not None and not blame.unstable:
        settings = blame.settings
        return [Cause(kind=CauseKind.ENVIRONMENT, first_rung=broken[0], settings=settings)]
    if any(cause.kind is CauseKind.JOBS for cause in causes):
        return []
    return [Cause(kind=CauseKind.UNKNOWN, first_rung=broken[0])]


def _broken(
    evidence: Evidence, deliveries: dict[Delivery, DeliveryResult], delivery: Delivery
) -> tuple[Rung, ...]:
    """Return the rungs that a delivery breaks, if causes are told for any of them."""
    found = deliveries.get(delivery)
    broken = found.holds.broken if found else ()
    return broken if evidence.options.explored in broken else ()


def _told(evidence: Evidence, base: Outcome | None, result: RunResult) -> Rung | None:
    """Return the weakest rung that a result breaks, if it is one that causes are told for."""
    if base is None or not differs(result, base, evidence.options.explored):
        return None
    return first_rung(base, result)


def _again(evidence: Evidence, delivery: Delivery, expected: Outcome | None) -> bool:
    """Whether a run, repeated in the environment of the reference, gave what is expected."""
    run = evidence.runs.again.get(delivery)
    outcome = None if run is None else run.result.outcome
    return outcome is not None and expected is not None and _alike(evidence, outcome, expected)


def _alike(evidence: Evidence, ours: Outcome, theirs: Outcome) -> bool:
    rung = evidence.options.explored
    return ours.digests[rung] == theirs.digests[rung]


def _order_causes(evidence: Evidence) -> list[Cause]:
    exploration, base = evidence.exploration, evidence.base
    if exploration is None or base is None:
        return []
    found: dict[Site, Rung] = {}
    for trial in exploration.alone():
        rung = exploration.shown(trial, evidence.options.explored)
        if rung is not None:
            earlier = found.get(trial.call.site, rung)
            found[trial.call.site] = min(rung, earlier, key=LADDER.index)
    sites = {witness.site: place for place, witness in enumerate(evidence.witnesses)}
    causes = [
        Cause(kind=CauseKind.ORDER, site=site, first_rung=rung, witness=sites.get(site))
        for site, rung in found.items()
    ]
    if not causes and not exploration.unsteady:
        rungs = [
            rung
            for trial in exploration.sampled
            if (rung := exploration.shown(trial, evidence.options.explored)) is not None
        ]
        if rungs:
            causes.append(Cause(kind=CauseKind.ORDER, first_rung=min(rungs, key=LADDER.index)))
    return causes


def _job_causes(evidence: Evidence, serial: tuple[Rung, ...], *, steady: bool) -> list[Cause]:
    """Blame jobs where running them in another order changes the outcome.

    If the search doesn't even repeat itself, its jobs are to blame only where their own
    results differ.
    """
    exploration, base = evidence.exploration, evidence.base
    if exploration is None or base is None or exploration.backwards is None:
        return []
    rung = _told(evidence, base, exploration.backwards)
    purity = exploration.base.purity
    differing = purity.differing if purity is not None else ()
    if rung is None or not (steady or differing):
        return []
    weakest = min([rung, *serial], key=LADDER.index) if not steady else rung
    calls = exploration.base.trace.calls
    sites: Iterable[Site | None] = dict.fromkeys(calls[call].site for call, _ in differing)
    return [
        Cause(kind=CauseKind.JOBS, site=site, first_rung=weakest)
        for site in sites or [_only_site(evidence)]
    ]


def _only_site(evidence: Evidence) -> Site | None:
    """Return the one site whose jobs could have run in another order, if there is just one."""
    exploration = evidence.exploration
    calls = exploration.base.trace.calls if exploration else ()
    sites = {call.site for call in calls if call.jobs > 1}
    return sites.pop() if len(sites) == 1 else None


def _worker_causes(evidence: Evidence, deliveries: dict[Delivery, DeliveryResult]) -> list[Cause]:
    """Blame the worker count where the same environment gives another outcome at another one."""
    reference, base = evidence.reference, evidence.base
    if reference is None:
        return []
    rung = None
    if evidence.exploration is not None and base is not None:
        rung = _told(evidence, reference, evidence.exploration.base)
    elif broken := _broken(evidence, deliveries, Delivery.ORDERED):
        rung = None if _again(evidence, Delivery.ORDERED, reference) else broken[0]
    return [] if rung is None else [Cause(kind=CauseKind.WORKERS, first_rung=rung)]


def _parallel_causes(evidence: Evidence, causes: Iterable[Cause]) -> list[Cause]:
    """Explain whole parallel runs that differ from the jobs' one run where nothing else does."""
    kinds = {cause.kind for cause in causes}
    base = evidence.base or evidence.reference
    found: list[Cause] = []
    for delivery in (Delivery.ORDERED, Delivery.NATIVE):
        rungs = [
            rung
            for result in evidence.runs.good(delivery)
            if (rung := _told(evidence, base, result)) is not None
        ]
        explained = {CauseKind.JOBS}
        if delivery is Delivery.NATIVE:
            explained.add(CauseKind.ORDER)
        elif evidence.base is None:
            explained.add(CauseKind.WORKERS)
        if not rungs or explained & kinds:
            continue
        kind = _kind_of(evidence, delivery, base)
        if kind in kinds:
            continue
        kinds.add(kind)
        site = _only_site(evidence) if kind is CauseKind.JOBS else None
        found.append(Cause(kind=kind, site=site, first_rung=min(rungs, key=LADDER.index)))
    return found


def _kind_of(evidence: Evidence, delivery: Delivery, base: Outcome | None) -> CauseKind:
    if _again(evidence, delivery, base):
        return CauseKind.ENVIRONMENT
    if delivery is Delivery.ORDERED:
        return CauseKind.JOBS  # only the processes that they ran in are left to differ
    again = evidence.runs.again.get(delivery)
    theirs = None if again is None else again.result.outcome
    for run in evidence.runs.by_workers.values():
        served = run.result.outcome
        if theirs is not None and served is not None and _alike(evidence, served, theirs):
            return CauseKind.WORKERS
    return CauseKind.UNKNOWN
