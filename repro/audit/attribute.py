"""Attributing differences: which kind of cause, at which site, on which rung.

Owns the order in which explanations are tried, most specific first. Leaves finding the
differences to `repro.audit.judge` and the smallest reordering to `repro.audit.witness`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.audit.evidence import Evidence, differs, first_rung
from repro.audit.judge import holds_against
from repro.model.delivery import Delivery
from repro.model.findings import Cause, CauseKind
from repro.model.rung import LADDER, Rung

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repro.model.evidence import DeliveryResult
    from repro.model.trace import Site


def find_causes(
    evidence: Evidence, deliveries: dict[Delivery, DeliveryResult]
) -> tuple[Cause, ...]:
    """Attribute every difference that was seen, most specific cause first."""
    causes = [*_order_causes(evidence), *_job_causes(evidence, deliveries)]
    if not any(cause.kind is CauseKind.JOBS for cause in causes):
        causes += _serial_causes(evidence, deliveries)
    causes += _worker_causes(evidence, deliveries)
    causes += _native_causes(evidence, deliveries, causes)
    return tuple(causes)


def _serial_causes(evidence: Evidence, deliveries: dict[Delivery, DeliveryResult]) -> list[Cause]:
    """Blame the environment where changing it explains why serial runs differ."""
    serial = deliveries.get(Delivery.SERIAL)
    if serial is None or not serial.holds.broken:
        return []
    rung, blame = serial.holds.broken[0], evidence.blame
    if blame is None or blame.unstable:
        return [Cause(kind=CauseKind.UNKNOWN, first_rung=rung)]
    return [Cause(kind=CauseKind.ENVIRONMENT, first_rung=rung, settings=blame.settings)]


def _order_causes(evidence: Evidence) -> list[Cause]:
    exploration, base = evidence.exploration, evidence.base
    if exploration is None or base is None:
        return []
    found: dict[Site, Rung] = {}
    for trial in exploration.screened:
        rung = first_rung(base, trial.result)
        if rung is not None and differs(trial.result, base, evidence.options.require):
            earlier = found.get(trial.call.site, rung)
            found[trial.call.site] = min(rung, earlier, key=LADDER.index)
    sites = {witness.site: place for place, witness in enumerate(evidence.witnesses)}
    causes = [
        Cause(kind=CauseKind.ORDER, site=site, first_rung=rung, witness=sites.get(site))
        for site, rung in found.items()
    ]
    if not causes:
        rungs = [
            rung
            for trial in exploration.sampled
            if differs(trial.result, base, evidence.options.require)
            and (rung := first_rung(base, trial.result)) is not None
        ]
        if rungs:
            causes.append(Cause(kind=CauseKind.ORDER, first_rung=min(rungs, key=LADDER.index)))
    return causes


def _job_causes(evidence: Evidence, deliveries: dict[Delivery, DeliveryResult]) -> list[Cause]:
    """Blame jobs where their results depend on execution order and outcomes differ too."""
    exploration = evidence.exploration
    if exploration is None or exploration.base.purity is None:
        return []
    differing = exploration.base.purity.differing
    rungs = [rung for found in deliveries.values() for rung in found.holds.broken]
    if exploration.backwards is not None and evidence.base is not None:
        rung = first_rung(evidence.base, exploration.backwards)
        if rung is not None and not differing:
            return [Cause(kind=CauseKind.JOBS, first_rung=rung)]
        rungs += [] if rung is None else [rung]
    if not differing or not rungs:
        return []
    calls = exploration.base.trace.calls
    sites = dict.fromkeys(calls[call].site for call, _ in differing)
    weakest = min(rungs, key=LADDER.index)
    return [Cause(kind=CauseKind.JOBS, site=site, first_rung=weakest) for site in sites]


def _worker_causes(evidence: Evidence, deliveries: dict[Delivery, DeliveryResult]) -> list[Cause]:
    """Blame the worker count where delivery in submission order differs from serial as well."""
    reference, base = evidence.reference, evidence.base
    serial, ordered = deliveries.get(Delivery.SERIAL), deliveries.get(Delivery.ORDERED)
    if serial is not None and serial.holds.broken:
        return []  # a reference that doesn't hold still says nothing of worker counts
    broken = ordered.holds.broken if ordered else ()
    if not broken and base is not None and reference is not None:
        broken = holds_against(reference, [base]).broken
    return [Cause(kind=CauseKind.WORKERS, first_rung=broken[0])] if broken else []


def _native_causes(
    evidence: Evidence, deliveries: dict[Delivery, DeliveryResult], causes: Iterable[Cause]
) -> list[Cause]:
    """Explain native runs that differ where nothing found so far can."""
    native = deliveries.get(Delivery.NATIVE)
    if native is None or not native.holds.broken:
        return []
    if any(cause.kind in (CauseKind.ORDER, CauseKind.JOBS) for cause in causes):
        return []
    cores = native.cores or 0
    served = evidence.runs.by_workers.get(cores)
    if served is not None and served.result.outcome is not None:
        theirs = {
            r.outcome.digests[Rung.BYTES]
            for r in evidence.runs.good(Delivery.NATIVE)
            if r.outcome is not None
        }
        if theirs == {served.result.outcome.digests[Rung.BYTES]}:
            return [Cause(kind=CauseKind.WORKERS, first_rung=native.holds.broken[0])]
    return [Cause(kind=CauseKind.UNKNOWN, first_rung=native.holds.broken[0])]
