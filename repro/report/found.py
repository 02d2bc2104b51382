"""What was found, in words: where, why, and how much.

Owns the sentences about causes, the extent and the bound; other sites are in
`repro.report.sites`. The records are in
`repro.model.findings`.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from repro.model.findings import CauseKind
from repro.model.rung import Rung
from repro.report.headline import things
from repro.report.story import Answer, Difference, Item, Place, Prose, Tone
from repro.report.words import CAUSES, RUNGS, counted, listed, percent, spaced

if TYPE_CHECKING:
    from repro.model.findings import Cause, Diversity, TopLatency, Witness
    from repro.model.result import CheckResult

_MOVED = 6
_DIFFERENCE_LINES = 14
_SWAP = 2


def causes(result: CheckResult) -> tuple[Answer, ...]:
    """Say for each cause where it is and why it makes outcomes differ."""
    answers: list[Answer] = []
    for number, cause in enumerate(result.causes, 1):
        lead = ""
        if len(result.causes) > 1:
            lead = f"cause {number} of {len(result.causes)}, {CAUSES[cause.kind]}:"
        answers += [
            Answer("where", tuple(_where(cause, lead, result))),
            Answer("why", tuple(Prose(text) for text in _why(cause, result))),
        ]
        witness = result.witness_of(cause)
        if witness is not None and (example := _example(witness, result)):
            answers.append(example)
    return tuple(answers)


def extent(result: CheckResult) -> tuple[Answer, ...]:
    """Say how much of what may survive a run shows, and what the orders tried prove."""
    answers: list[Answer] = []
    if result.diversity is not None:
        answers.append(Answer("extent", tuple(_diversity(result.diversity, result))))
    if result.bound is not None:
        bound = result.bound
        orders = counted(bound.orders, "injected order")
        if bound.differing:
            text = f"{bound.differing} of {orders} {_differ(bound.differing)} from serial"
        elif bound.upper_rate >= 1:
            text = f"0 of {orders} {_differ(bound.orders)}: too few to bound the rate"
        else:
            text = (
                f"0 of {orders} differ; so the rate is below {percent(bound.upper_rate)}, "
                "at 95% confidence"
            )
        answers.append(Answer("bound", (Prose(text),)))
    return tuple(answers)


def _differ(count: int) -> str:
    return "differs" if count == 1 else "differ"


def _where(cause: Cause, lead: str, result: CheckResult) -> list[Item]:
    items: list[Item] = [Prose(lead)] if lead else []
    if cause.site is None:
        return [*items, Prose("in the search as a whole: no single site could be named")]
    items.append(Place(str(cause.site), cause.site.function, Tone.BAD))
    for site in result.sites if cause.kind is CauseKind.ORDER else ():
        if site.site == cause.site and site.orders_tried:
            orders = counted(site.orders_tried, "order")
            inside = ", inside a job of another call" if site.nested else ""
            items.append(
                Prose(
                    f"{site.differing} of {orders} tried at this site alone "
                    f"{_differ(site.differing)}; it has {counted(site.jobs, 'job')}{inside}"
                )
            )
    return items


def _why(cause: Cause, result: CheckResult) -> list[str]:
    match cause.kind:
        case CauseKind.ORDER:
            witness = result.witness_of(cause)
            return _order(witness, cause.first_rung, result) if witness else [_no_witness(cause)]
        case CauseKind.JOBS:
            return ["jobs gave other results when run in another order: they are not independent"]
        case CauseKind.ENVIRONMENT:
            if cause.settings:
                names = listed(spaced(name) for name in cause.settings)
                return [f"serial runs differ when this alone is changed: {names}"]
            axis = result.axes.environment
            names = listed(spaced(name) for name in axis.varied) if axis else ""
            text = f"serial runs differ when these are varied: {names or 'their settings'}"
            alone = "" if cause.settings is None else "; none of them alone is enough"
            return [text + alone]
        case CauseKind.WORKERS:
            text = (
                "delivered in job order, with the same jobs, another worker count gives another "
                "outcome: the search cuts its work by it"
            )
            return [text]
        case CauseKind.UNKNOWN:
            return [
                "runs differ although their order, jobs, settings and worker count were the same"
            ]


def _no_witness(cause: Cause) -> str:
    rung = f" ({RUNGS[cause.first_rung]} first)" if cause.first_rung else ""
    if cause.site is None:
        return f"orders of whole runs change the outcome{rung}; none tried at one site alone does"
    return (
        f"orders tried here change the outcome{rung}; no smaller reordering was singled out, so "
        "the jobs that do it can't be named"
    )


def _order(witness: Witness, first: Rung | None, result: CheckResult) -> list[str]:
    of_all = f"of its {counted(witness.jobs, 'job')}"
    labels = [f'"{label}"' for label in witness.moved[:_MOVED]]
    hidden = witness.moved_count - len(labels)
    names = listed([*labels, f"{hidden} more"] if hidden > 0 else labels)
    what = "swapping two" if witness.moved_count == _SWAP else f"moving {witness.moved_count}"
    return [f"{what} {of_all} is enough: {names}", _effect(witness, first, result)]


def _effect(witness: Witness, first: Rung | None, result: CheckResult) -> str:
    least = counted(witness.workers_needed, "worker")
    workers = f"this very order needs {least} if each takes one job at a time; others need fewer"
    several = things(result)
    if not witness.lost and not witness.gained:
        if first is Rung.OBJECTIVES:
            return f"the {several} stay the same, their objective values don't; {workers}"
        return f"the {several} stay the same, their order doesn't; {workers}"
    tied = " with the same objective values: they tie" if result.objectives_hold else ""
    lost = counted(witness.lost, several.removesuffix("s"), several)
    if not witness.gained:
        return f"that alone loses {lost} and brings no other; {workers}"
    return f"that alone replaces {lost} by {witness.gained:,} others{tied}; {workers}"


def _example(witness: Witness, result: CheckResult) -> Answer | None:
    """Show one lost row beside the most similar one gained, as their differing lines."""
    if not witness.lost_trees or not witness.gained_trees:
        return None
    lost = witness.lost_trees[0]
    gained = max(witness.gained_trees, key=lambda tree: _likeness(lost, tree))
    old, new = lost.splitlines(), gained.splitlines()
    lines = list(difflib.unified_diff(old, new, lineterm="", n=1))[3:]
    shown = ["  ..." if line.startswith("@@") else line for line in lines]
    if len(shown) > _DIFFERENCE_LINES:
        hidden = len(shown) - _DIFFERENCE_LINES
        shown = [*shown[:_DIFFERENCE_LINES], f"  ({counted(hidden, 'more line')})"]
    kind = things(result).removesuffix("s")
    what = f"one {kind} lost (-), and the most similar one gained (+), where they differ:"
    return Answer("example", (Prose(what), Difference(tuple(shown))))


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(a=one.splitlines(), b=other.splitlines()).ratio()


def _top(top: TopLatency) -> Prose:
    settled = f"{top.settled} settled (in every outcome)"
    return Prose(f"top {top.n} by latency: {settled}, {top.drawn} drawn")


def _diversity(found: Diversity, result: CheckResult) -> list[Prose]:
    tie = "that tie" if result.objectives_hold else "that may survive"
    estimate = ""
    if found.estimated is not None and found.estimated > found.seen:
        interval = ""
        if found.low is not None and found.high is not None:
            interval = f", 95% interval {found.low:,} to {found.high:,}"
        estimate = f" (all that were seen; estimated {found.estimated:,}{interval})"
    if found.per_run == found.seen == found.core:
        text = f"every outcome has the same {found.seen:,} {things(result)}"
    else:
        text = (
            f"a run shows {found.per_run:,} {things(result)} of at least {found.seen:,} {tie}"
            f"{estimate}; {found.core:,} are in every outcome"
        )
    said = [Prose(text)]
    if found.top_latency is not None:
        said.append(_top(found.top_latency))
    return said
