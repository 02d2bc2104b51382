"""What keeps a check from concluding, and what a reader should know besides.

Owns the codes and facts; their words are in `repro.report`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from repro.audit.evidence import raised
from repro.audit.witness import token_text
from repro.model.delivery import Delivery
from repro.model.result import Reason
from repro.model.run import Ending, RunResult

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repro.audit.evidence import Evidence
    from repro.audit.orders import Exploration
    from repro.model.record import Json
    from repro.model.run import Trial

_BAD = {
    Ending.CRASHED: "runCrashed",
    Ending.TIMED_OUT: "runTimedOut",
    Ending.SILENT: "runWithoutOutcome",
    Ending.DISK_FULL: "diskFull",
    Ending.CONTROL: "canaryFailed",
}


def find_reasons(evidence: Evidence) -> tuple[list[Reason], list[Reason]]:
    """Return what keeps the check from concluding, and notes that don't."""
    against: list[Reason] = []
    notes: list[Reason] = []
    for run in evidence.runs.all():
        reason = _bad_run(str(run.request.delivery), run.result)
        if reason is not None:
            against.append(reason)
    if evidence.exploration is not None:
        _exploration_reasons(evidence, evidence.exploration, against, notes)
    elif _native_alone(evidence):
        against.append(Reason("nativeAlone", {"sites": _unordered_sites(evidence)}))
    elif evidence.options.judges(Delivery.INJECTED):
        against.append(Reason("runWithoutOutcome", {"delivery": "injected", "run": 1}))
    if _compared(evidence) < 2:  # noqa: PLR2004 - one outcome equals itself
        against.append(Reason("oneOutcome"))
    return _merged(against), _merged(notes)


def _compared(evidence: Evidence) -> int:
    """Count the outcomes that could have differed from each other."""
    exploration = evidence.exploration
    whole = sum(run.result.outcome is not None for run in evidence.runs.all())
    return whole + (0 if exploration is None else 1 + len(exploration.trials))


def _native_alone(evidence: Evidence) -> bool:
    """Whether native runs are to speak for orders that nobody tried."""
    return evidence.options.judges(Delivery.NATIVE) and _unordered_sites(evidence) > 0


def _unordered_sites(evidence: Evidence) -> int:
    return len(
        {
            call.site
            for result in evidence.runs.good(Delivery.NATIVE)
            for call in result.trace.permutable
        }
    )


def _bad_run(delivery: str, result: RunResult) -> Reason | None:
    failure = result.failure
    facts = {
        "delivery": delivery,
        "signal": failure.kind if failure else None,
        "detail": failure.message if failure else None,
    }
    if result.ending in _BAD:
        return Reason(_BAD[result.ending], {k: v for k, v in facts.items() if v is not None})
    if raised(result) and failure is not None:
        error = f"{failure.kind}: {failure.message}"
        return Reason("searchFailed", {"delivery": delivery, "error": error, "site": failure.where})
    return None


def _exploration_reasons(
    evidence: Evidence, exploration: Exploration, against: list[Reason], notes: list[Reason]
) -> None:
    bad_base = _bad_run("injected", exploration.base)
    if bad_base is not None:
        against.append(bad_base)
        return
    trace = exploration.base.trace
    against += [
        Reason("uncontrolledCall", {"site": str(call.site), "reason": call.uncontrolled})
        for call in trace.uncontrolled
    ]
    if not trace.calls:
        against.append(Reason("noJoblibCall"))
    elif not exploration.calls and not trace.uncontrolled:
        notes.append(Reason("noUnorderedJobs"))
    for trial in exploration.trials:
        failure = trial.result.failure
        if trial.result.ending in _BAD:
            detail = failure.kind if failure else None
            against.append(Reason("orderCrashed", {**_where(evidence, trial), "signal": detail}))
        elif trial.result.outcome is None and failure is not None:
            error = f"{failure.kind}: {failure.message}"
            notes.append(Reason("orderFailed", {**_where(evidence, trial), "error": error}))
    if exploration.fallback is not None:
        notes.append(Reason("fallbackFresh", {"reason": exploration.fallback}))
    _sample_reasons(evidence, exploration, against, notes)
    _purity_reasons(exploration, against, notes)


def _where(evidence: Evidence, trial: Trial) -> dict[str, Json]:
    """Say at which site an order was injected, and how to inject it again."""
    facts: dict[str, Json] = {"site": str(trial.call.site)}
    if evidence.identity is not None:
        order, rest = trial.injection.order, trial.injection.rest
        facts["token"] = token_text(trial.call, order, evidence.identity, rest=rest)
    return facts


def _sample_reasons(
    evidence: Evidence, exploration: Exploration, against: list[Reason], notes: list[Reason]
) -> None:
    if not exploration.calls:
        return
    if exploration.replayed:
        notes.append(Reason("replayed", {"site": str(exploration.calls[0].site)}))
        return
    done, asked = len(exploration.sampled), exploration.asked
    if done == 0:
        against.append(Reason("budgetExhausted", {"asked": asked, "done": 0}))
    elif done < asked and evidence.options.orders is not None:
        notes.append(Reason("ordersCutShort", {"asked": asked, "done": done}))
    tried = {trial.call.site for trial in exploration.screened}
    against += [
        Reason("uncontrolledCall", {"site": str(call.site), "reason": "no order was tried"})
        for call in exploration.base.trace.permutable
        if call.site not in tried
    ]


def _purity_reasons(exploration: Exploration, against: list[Reason], notes: list[Reason]) -> None:
    purity = exploration.base.purity
    calls = exploration.base.trace.calls
    if purity is None:
        return
    if purity.opaque:
        call, job, path = purity.opaque[0]
        label = calls[call].labels[job]
        against.append(
            Reason("jobsOpaque", {"jobs": len(purity.opaque), "path": f"{label}: {path}"})
        )
    if purity.differing:
        call, job = purity.differing[0]
        notes.append(
            Reason(
                "jobsDiffer",
                {
                    "jobs": len(purity.differing),
                    "first": calls[call].labels[job],
                    "site": str(calls[call].site),
                },
            )
        )


def _merged(reasons: Iterable[Reason]) -> list[Reason]:
    """Return each reason once; what happened several times says how often."""
    counted: dict[str, tuple[Reason, int]] = {}
    for reason in reasons:
        key = json.dumps([reason.code, dict(reason.facts)], sort_keys=True, default=str)
        first, count = counted.get(key, (reason, 0))
        counted[key] = (first, count + 1)
    return [
        Reason(reason.code, {**reason.facts, "times": count}) if count > 1 else reason
        for reason, count in counted.values()
    ]
