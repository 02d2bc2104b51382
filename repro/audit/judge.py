"""From evidence to a verdict: what holds, what caused what doesn't, and what isn't known.

Owns the rule. It is pure: the same runs and trials give the same result. Words are made in
`repro.report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.audit.bound import bound
from repro.audit.compare import latency_groups, latency_groups_agree
from repro.audit.evidence import UNDECIDED, differs, raised
from repro.model.delivery import Delivery
from repro.model.evidence import (
    Axes,
    DeliveryResult,
    EnvironmentAxis,
    ExecutionOrderAxis,
    Holds,
    LatencyGroups,
    Reference,
    WorkersAxis,
)
from repro.model.findings import SiteResult
from repro.model.result import Verdict
from repro.model.rung import LADDER, Rung
from repro.model.trace import Call, Site, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repro.audit.evidence import Evidence
    from repro.audit.orders import Exploration
    from repro.audit.runs import Run
    from repro.model.outcome import Outcome
    from repro.model.result import Reason
    from repro.model.run import Purity, RunResult

_OPAQUE_SHOWN = 10


def holds_against(reference: Outcome, outcomes: Sequence[Outcome]) -> Holds:
    """Say on which rungs outcomes all equal the reference; nothing is judged without any."""
    if not outcomes:
        return Holds()
    return Holds.of(
        {rung: all(o.digests[rung] == reference.digests[rung] for o in outcomes) for rung in LADDER}
    )


def judge_deliveries(evidence: Evidence) -> dict[Delivery, DeliveryResult]:
    """Judge each delivery that was asked for against the serial reference."""
    reference = evidence.reference
    judged: dict[Delivery, DeliveryResult] = {}
    for delivery in Delivery:
        if not evidence.options.judges(delivery) or reference is None:
            continue
        if delivery is Delivery.INJECTED:
            judged[delivery] = _injected(evidence, reference)
        else:
            runs = evidence.runs.by_delivery.get(delivery, [])
            judged[delivery] = _whole_runs(delivery, runs, reference)
    return judged


def _whole_runs(delivery: Delivery, runs: Sequence[Run], reference: Outcome) -> DeliveryResult:
    results = [run.result for run in runs]
    outcomes = [result.outcome for result in results if result.outcome is not None]
    native = delivery is Delivery.NATIVE
    cores = [int(result.environment.get("cores", 0)) for result in results]
    return DeliveryResult(
        runs=len(outcomes),
        holds=holds_against(reference, outcomes),
        latency_groups=_same_groups(reference, outcomes),
        failed=len(results) - len(outcomes),
        seconds=tuple(round(r.seconds, 3) for r in results if r.seconds is not None),
        cores=max(cores, default=None) if native else None,
    )


def _injected(evidence: Evidence, reference: Outcome) -> DeliveryResult:
    """Judge every order tried, and count the whole-run orders: they alone are a sample."""
    exploration = evidence.exploration
    trials = exploration.trials if exploration else []
    sampled = exploration.sampled if exploration else []
    if exploration and exploration.replayed:
        sampled = exploration.screened
    base, rung = evidence.base, evidence.options.require
    outcomes = [trial.result.outcome for trial in trials if trial.result.outcome is not None]
    known = [base, *outcomes] if base is not None and trials else outcomes
    holds = holds_against(reference, known)
    if any(raised(trial.result) for trial in trials):
        holds = Holds.of(dict.fromkeys(LADDER, False))  # no outcome equals none
    decided = [trial for trial in sampled if trial.result.ending not in UNDECIDED]
    return DeliveryResult(
        runs=sum(trial.result.outcome is not None for trial in sampled),
        holds=holds,
        latency_groups=_same_groups(reference, outcomes),
        failed=len(trials) - len(outcomes),
        orders_tried=len(decided),
        differing=sum(differs(trial.result, base, rung) for trial in decided),
        distinct_outcomes=len({_variant(trial.result, rung) for trial in decided}),
    )


def _variant(result: RunResult, rung: Rung) -> str:
    if result.outcome is not None:
        return result.outcome.digests[rung]
    return f"raised {result.failure.kind}" if result.failure else "raised"


def _same_groups(reference: Outcome, outcomes: Sequence[Outcome]) -> bool | None:
    ours = latency_groups(reference)
    if ours is None or not outcomes:
        return None
    theirs = [latency_groups(outcome) for outcome in outcomes]
    return all(groups is not None and latency_groups_agree(ours, groups) for groups in theirs)


def judge_sites(evidence: Evidence) -> tuple[SiteResult, ...]:
    """Say of each site whether orders tried there alone changed the outcome."""
    trace = _trace(evidence)
    by_site: dict[Site, list[Call]] = {}
    for call in trace.calls:
        by_site.setdefault(call.site, []).append(call)
    return tuple(_site(site, calls, evidence) for site, calls in by_site.items())


def _trace(evidence: Evidence) -> Trace:
    if evidence.exploration is not None:
        return evidence.exploration.base.trace
    for delivery in (Delivery.ORDERED, Delivery.NATIVE, Delivery.SERIAL):
        for result in evidence.runs.good(delivery):
            if result.trace.calls:
                return result.trace
    return Trace()


def _site(site: Site, calls: Sequence[Call], evidence: Evidence) -> SiteResult:
    exploration = evidence.exploration
    trials = exploration.alone(site) if exploration else []
    rung = evidence.options.explored
    shaky = exploration is not None and site in exploration.unsteady
    differing = sum(
        exploration is not None and exploration.shown(trial, rung) is not None for trial in trials
    )
    decided = [trial for trial in trials if trial.result.ending not in UNDECIDED]
    largest = max(calls, key=lambda call: call.jobs)
    unordered = any(call.unordered for call in calls)
    sensitive: bool | None = None
    if differing:
        sensitive = True
    elif shaky:
        trials = decided = []
    elif decided or (unordered and largest.jobs < 2):  # noqa: PLR2004 - one job has one order
        sensitive = False
    limit = bound(len(decided), differing)
    return SiteResult(
        file=site.file,
        line=site.line,
        function=site.function,
        calls=len(calls),
        jobs=largest.jobs,
        unordered=unordered,
        order_sensitive=sensitive,
        orders_tried=len(decided),
        differing=differing,
        upper_rate=limit.upper_rate if limit else None,
        nested=any(call.nested for call in calls),
    )


def judge_axes(evidence: Evidence) -> Axes:
    """Say what was varied besides delivery, and what held."""
    return Axes(_execution_order(evidence), _workers(evidence), _environment(evidence))


def _execution_order(evidence: Evidence) -> ExecutionOrderAxis | None:
    exploration = evidence.exploration
    if exploration is None or exploration.base.purity is None:
        return None
    purity: Purity = exploration.base.purity
    holds: bool | None = not purity.differing
    if holds and (purity.jobs == 0 or purity.opaque or purity.untested):
        holds = _backwards_agrees(exploration)
    calls = exploration.base.trace.calls
    labels = [calls[call].labels[job] for call, job, _ in purity.opaque]
    return ExecutionOrderAxis(
        tried=("submitted", "reversed"),
        sites=len({calls[index].site for index in _compared(purity, calls)}),
        jobs=purity.jobs,
        holds=holds,
        opaque=tuple(labels[:_OPAQUE_SHOWN]),
    )


def _backwards_agrees(exploration: Exploration) -> bool | None:
    """Judge by whole outcomes where jobs could not be compared one by one."""
    base, backwards = exploration.base.outcome, exploration.backwards
    if base is None or backwards is None or backwards.outcome is None:
        return None
    return backwards.outcome.digests[Rung.BYTES] == base.digests[Rung.BYTES]


def _compared(purity: Purity, calls: Sequence[Call]) -> list[int]:
    untested = set(purity.untested)
    return [call.index for call in calls if call.jobs > 1 and call.index not in untested]


def _workers(evidence: Evidence) -> WorkersAxis | None:
    reference = evidence.reference
    if reference is None:
        return None
    found: dict[int, Holds] = {}
    serial = [r.outcome for r in evidence.runs.good(Delivery.SERIAL) if r.outcome is not None]
    found[1] = holds_against(reference, serial)
    if evidence.base is not None:
        found[evidence.workers] = holds_against(reference, [evidence.base])
    for count, run in evidence.runs.by_workers.items():
        outcome = run.result.outcome
        found[count] = holds_against(reference, [] if outcome is None else [outcome])
    if len(found) == 1:
        return None
    return WorkersAxis(tuple(sorted(found)), {count: found[count] for count in sorted(found)})


def _environment(evidence: Evidence) -> EnvironmentAxis | None:
    reference = evidence.reference
    runs = evidence.runs.by_delivery.get(Delivery.SERIAL, [])
    outcomes = [run.result.outcome for run in runs if run.result.outcome is not None]
    if reference is None or not outcomes:
        return None
    tried = tuple(run.request.variation.to_dict() for run in runs)
    return EnvironmentAxis(tried, holds_against(reference, outcomes))


def verdict(
    evidence: Evidence,
    deliveries: dict[Delivery, DeliveryResult],
    against: Sequence[Reason],
) -> Verdict:
    """Decide. One difference on the required rung is enough; calm needs everything known."""
    rung = evidence.options.require
    held = [found.holds.on(rung) for found in deliveries.values()]
    exploration = evidence.exploration
    backwards = exploration.backwards if exploration else None
    if any(value is False for value in held):
        return Verdict.NONDETERMINISTIC
    if backwards is not None and differs(backwards, evidence.base, rung):
        return Verdict.NONDETERMINISTIC
    base, reference = evidence.base, evidence.reference
    if base is not None and reference is not None and base.digests[rung] != reference.digests[rung]:
        return Verdict.NONDETERMINISTIC
    nothing_to_inject = (
        exploration is not None and exploration.base.outcome is not None and not exploration.calls
    )
    known = [
        value is True or (delivery is Delivery.INJECTED and nothing_to_inject)
        for delivery, value in zip(deliveries, held, strict=True)
    ]
    if against or not known or not all(known):
        return Verdict.INCONCLUSIVE
    return Verdict.REPRODUCIBLE


def reference_of(evidence: Evidence) -> Reference | None:
    """Describe the outcome that the others were held to."""
    outcome = evidence.reference
    if outcome is None:
        return None
    return Reference(
        Delivery.SERIAL,
        len(evidence.runs.good(Delivery.SERIAL)),
        len(outcome.rows),
        dict(outcome.digests),
    )


def groups_of(outcome: Outcome | None) -> LatencyGroups | None:
    """Count the latency groups of an outcome that has latencies."""
    if outcome is None or outcome.latency is None:
        return None
    groups = latency_groups(outcome)
    if groups is None:
        return None
    return LatencyGroups(len(groups.sizes), len(outcome.rows), outcome.latency)
