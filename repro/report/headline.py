"""The verdict in words: the headline, and whether to publish.

Owns the sentences that a reader looks for first. What to do then is told by
`repro.report.advice`; whether a claim holds was decided by `repro.audit` long before.
"""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from repro.model.delivery import Delivery
from repro.model.findings import CauseKind
from repro.model.result import Verdict
from repro.model.rung import LADDER, Rung
from repro.report.reasons import is_note, words
from repro.report.story import Answer, Headline, Item, Prose, Tone
from repro.report.words import DEPENDS_ON, RUNGS, counted, listed, subject

if TYPE_CHECKING:
    from repro.model.result import CheckResult

_BADGES = {
    Verdict.REPRODUCIBLE: ("REPRODUCIBLE", Tone.GOOD),
    Verdict.NONDETERMINISTIC: ("NOT REPRODUCIBLE", Tone.BAD),
    Verdict.INCONCLUSIVE: ("INCONCLUSIVE", Tone.DOUBT),
}
_IMPURE = frozenset({CauseKind.JOBS, CauseKind.UNKNOWN})


def headline(result: CheckResult) -> Headline:
    """Return the verdict as one line."""
    badge, tone = _BADGES[result.verdict]
    scope = f"with {judged(result)} delivery" if result.deliveries else ""
    scope = "as shipped" if result.as_shipped else scope
    return Headline(badge, scope, _meaning(result), tone)


def publish(result: CheckResult) -> tuple[Answer, ...]:
    """Answer "may I publish?", and where the check can't conclude, say why."""
    answers = [Answer("publish", tuple(_publish(result)))]
    reasons = [reason for reason in result.reasons if not is_note(reason)]
    if not result.conclusive and reasons:
        said = [words(reason) for reason in reasons]
        answers.append(Answer("because", tuple(Prose(one.what, Tone.DOUBT) for one in said)))
    return tuple(answers)


def spec(result: CheckResult) -> str:
    """Return how the probe is named on the command line, quoted so that it is safe to paste."""
    probe = result.probe
    if probe.arguments is None:
        return shlex.quote(probe.name)
    try:
        return shlex.join(shlex.split(probe.arguments))
    except ValueError:  # unbalanced quotes
        return shlex.quote(probe.arguments)


def things(result: CheckResult) -> str:
    """Return what the rows of this search are called."""
    return "LoopTrees" if result.probe.finds_looptrees else "rows"


def judged(result: CheckResult) -> str:
    """Name the deliveries that were judged."""
    return listed(delivery for delivery in Delivery if delivery in result.deliveries)


def _broken(result: CheckResult) -> Rung | None:
    """Return the weakest rung that anything breaks, by cause or by delivery."""
    rungs = {cause.first_rung for cause in result.causes}
    rungs |= {rung for found in result.deliveries.values() for rung in found.holds.broken}
    return next((rung for rung in LADDER if rung in rungs), None)


def _kept(result: CheckResult) -> Rung | None:
    """Return the strongest rung that holds in every delivery, together with all below it."""
    found = result.deliveries.values()
    kept = [rung for rung in LADDER if found and all(each.holds.on(rung) for each in found)]
    return kept[-1] if kept else None


def _meaning(result: CheckResult) -> str:
    match result.verdict:
        case Verdict.REPRODUCIBLE:
            return _same(result)
        case Verdict.NONDETERMINISTIC:
            return _differs(result)
        case Verdict.INCONCLUSIVE:
            return "the check is incomplete, so it proves nothing"


def _same(result: CheckResult) -> str:
    broken, kept = _broken(result), _kept(result)
    if broken is None or LADDER.index(broken) > LADDER.index(Rung.ROW_ORDER):
        down_to = f", down to {RUNGS[kept]}" if kept else ""
        return f"everything tried gave the same outcome{_at_workers(result)}{down_to}"
    required = RUNGS[result.require]
    return f"{required} hold, as was required; {_depends(result, broken)}"


def _at_workers(result: CheckResult) -> str:
    """Name the worker count that a claim holds for, where another one was seen to differ."""
    axis = result.axes.workers
    others = [count for count in axis.holds if axis.holds[count].broken] if axis else []
    if not others:
        return ""
    own = counted(result.probe.workers, "worker")
    return f" at {own} (at {listed(map(str, others))} it differs)"


def _differs(result: CheckResult) -> str:
    return _depends(result, _broken(result) or result.require)


def _depends(result: CheckResult, rung: Rung) -> str:
    """Say what depends on what: `which LoopTrees survive depends on completion order`."""
    first = [cause for cause in result.causes if cause.first_rung in (rung, None)]
    kinds = list(dict.fromkeys(cause.kind for cause in first or result.causes))
    what = subject(rung, things(result))
    if not kinds:
        return what.does("differ")
    if kinds == [CauseKind.UNKNOWN]:
        return f"{what.does('change')} from run to run; the cause was not found"
    count = len(result.causes)
    more = f" ({count} causes in all, see below)" if count > len(kinds) else ""
    return f"{what.does('depend')} on {listed(DEPENDS_ON[kind] for kind in kinds)}{more}"


def trusted(result: CheckResult) -> list[Delivery]:
    """Return the deliveries to publish from: those that held, unless jobs themselves vary."""
    impure = any(cause.kind in _IMPURE for cause in result.causes)
    choices = [Delivery.SERIAL] if impure else [Delivery.SERIAL, Delivery.ORDERED]
    return [delivery for delivery in choices if result.holds_in(delivery)]


def _publish(result: CheckResult) -> list[Item]:
    match result.verdict:
        case Verdict.REPRODUCIBLE:
            return _publish_all(result)
        case Verdict.NONDETERMINISTIC:
            return [*_publish_some(result), _publish_from(result)]
        case Verdict.INCONCLUSIVE:
            text = "no, not on this evidence: nothing may be claimed until the check is whole"
            return [Prose(text, Tone.DOUBT)]


def _publish_all(result: CheckResult) -> list[Item]:
    broken = _broken(result)
    if broken is not None and LADDER.index(broken) <= LADDER.index(Rung.ROW_ORDER):
        beyond = subject(broken, things(result)).text
        return [
            Prose(f"{RUNGS[result.require]}: yes, as was asked", Tone.GOOD),
            Prose(f"{beyond}: no, that is not the same every time", Tone.BAD),
        ]
    if not result.as_shipped:
        text = f"yes, from {judged(result)} delivery; as shipped (native) it was not judged"
    elif result.bound is None:
        text = "yes: serial and parallel runs gave the same outcome"
    else:
        text = "yes: serial and parallel runs gave the same outcome; 'bound' says how sure that is"
    if at := _at_workers(result):
        text = f"{text};{at}, so name the count with the result"
    return [Prose(text, Tone.GOOD)]


def _publish_some(result: CheckResult) -> list[Item]:
    broken = _broken(result)
    if result.objectives_hold is not True or broken is Rung.OBJECTIVES:
        text = "as shipped: no, even the objective values are not the same every time"
        return [Prose(text, Tone.BAD)]
    what = f"objective values and {things(result)}"
    if broken in (Rung.STRATEGIES, Rung.SURVIVORS):
        what = "objective values"
    missing = subject(broken or result.require, things(result)).text
    return [
        Prose(f"{what}: yes, they held in everything tried", Tone.GOOD),
        Prose(f"{missing}: no, not as shipped", Tone.BAD),
    ]


def _publish_from(result: CheckResult) -> Prose:
    safe = trusted(result)
    if not safe:
        return Prose("no delivery that was judged is safe to publish from", Tone.BAD)
    strong = all(result.deliveries[each].holds.all_hold for each in safe)
    down_to = RUNGS[Rung.BYTES if strong else result.require]
    names = listed(safe, "or")
    held = "it held" if len(safe) == 1 else "both held"
    return Prose(
        f"everything, if run with {names} delivery: yes, {held} down to {down_to}", Tone.GOOD
    )
