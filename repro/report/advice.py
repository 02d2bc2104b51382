"""What to do now, in words: the cure for each cause, and how to see a finding again.

Owns the sentences and commands that a reader acts on.
"""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from repro.model.delivery import Delivery
from repro.model.findings import CauseKind
from repro.model.result import Verdict
from repro.report.headline import judged, spec, trusted
from repro.report.reasons import is_note, words
from repro.report.story import Answer, Command, Item, Prose
from repro.report.words import RUNGS

if TYPE_CHECKING:
    from repro.model.result import CheckResult

_MORE_ORDERS = 200
_MORE_RUNS = 10


def now(result: CheckResult) -> tuple[Answer, ...]:
    """Say what to do, and how to see the finding again."""
    answers = [Answer("now", tuple(_advice(result)))]
    tokens = dict.fromkeys(
        witness.token for cause in result.causes if (witness := result.witness_of(cause))
    )
    if tokens:
        commands = tuple(Command(again(result, replay=token)) for token in tokens)
        what = "to see it again, with the same probe and versions, on any machine:"
        answers.append(Answer("replay", (Prose(what), *commands)))
    return tuple(answers)


def again(result: CheckResult, **options: str | int | tuple[str, ...]) -> str:
    """Return the command, or for an object the Python call, that checks this search again.

    Args:
        result: The check that is to be repeated.
        options: Keywords of `repro.check`; several `deliveries` are several options there.
    """
    if not result.probe.has_command:
        words = [f"{name}={_literal(value)}" for name, value in options.items()]
        return f"repro.check({', '.join(['search', *words])})"
    pairs: list[str] = []
    for name, value in options.items():
        option = "--delivery" if name == "deliveries" else f"--{name}"
        values = value if isinstance(value, tuple) else (value,)
        pairs += [f"{option} {shlex.quote(str(each))}" for each in values]
    return " ".join(["repro check", spec(result), *pairs])


def _literal(value: str | int | tuple[str, ...]) -> str:
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def _advice(result: CheckResult) -> list[Item]:
    match result.verdict:
        case Verdict.REPRODUCIBLE:
            return _advice_same(result)
        case Verdict.NONDETERMINISTIC:
            return _advice_differs(result)
        case Verdict.INCONCLUSIVE:
            said = [words(reason) for reason in result.reasons if not is_note(reason)]
            todo = dict.fromkeys(one.do.replace("PROBE", spec(result)) for one in said if one.do)
            return [Prose(text) for text in todo or ["check again"]]


def _advice_same(result: CheckResult) -> list[Item]:
    if result.causes:
        only = f"nothing to fix if {RUNGS[result.require]} are all that is published. For the rest:"
        return [Prose(only), *_advice_differs(result)]
    if not result.as_shipped:
        keep = f"keep to {judged(result)} delivery. To judge the search as it is shipped:"
        return [Prose(keep), Command(again(result))]
    if result.bound is None or result.bound.orders >= _MORE_ORDERS:
        return [Prose("nothing to fix")]
    more = again(result, orders=_MORE_ORDERS)
    return [Prose("nothing to fix; more orders give a tighter bound:"), Command(more)]


def _advice_differs(result: CheckResult) -> list[Item]:
    kinds = dict.fromkeys(cause.kind for cause in result.causes)
    lists = [_advice_on(kind, result) for kind in kinds or [CauseKind.UNKNOWN]]
    return [item for items in lists for item in items]


def _advice_on(kind: CauseKind, result: CheckResult) -> list[Item]:
    match kind:
        case CauseKind.ORDER:
            return _cure(result)
        case CauseKind.JOBS:
            text = (
                "make the jobs pure: what one returns must not depend on what ran before it in "
                "the same process, nor on time or chance"
            )
        case CauseKind.ENVIRONMENT:
            text = "make the search ignore those settings, or fix them and publish them with it"
        case CauseKind.WORKERS:
            text = (
                "publish the worker count with the result and keep to it: "
                f"--workers {result.probe.workers} is what was checked"
            )
        case CauseKind.UNKNOWN:
            more = again(result, runs=_MORE_RUNS)
            return [
                Prose("look closer with more runs, and compare two with repro diff:"),
                Command(more),
            ]
    return [Prose(text)]


def _cure(result: CheckResult) -> list[Item]:
    check = again(result, deliveries=("serial", "ordered"))
    held = result.holds_in(Delivery.ORDERED)
    if held is False:
        where = RUNGS[result.require]
        return [
            Prose(
                "publish serial runs: ordered delivery (repro.deterministic(), --delivery ordered) "
                f"is no cure here, its {where} differs from serial"
            )
        ]
    cure = (
        "run the search inside repro.deterministic(), which is --delivery ordered: parallel at "
        "full speed, results taken in job order"
    )
    if held is None or Delivery.ORDERED not in trusted(result):
        return [
            Prose(f"{cure}. It was not shown to be a cure here; test it first:"),
            Command(check),
        ]
    return [
        Prose(f"{cure}. Or run it serially. To check either way, with exit code 0:"),
        Command(check),
    ]
