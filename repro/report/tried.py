"""What was tried, in words: deliveries, latency groups, and what was varied besides.

Owns the sentences about evidence. The records are in `repro.model.evidence`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.model.delivery import Delivery
from repro.model.findings import CauseKind
from repro.model.rung import Rung
from repro.report.story import Answer, DeliveryRow, Prose, Tone
from repro.report.words import GLOSSES, RUNGS, counted, listed, rungs, spaced

if TYPE_CHECKING:
    from repro.model.evidence import (
        DeliveryResult,
        EnvironmentAxis,
        ExecutionOrderAxis,
        Holds,
        WorkersAxis,
    )
    from repro.model.result import CheckResult

_ON_ROWS = (Rung.OBJECTIVES, Rung.STRATEGIES, Rung.SURVIVORS)
_LABELS = 3


def deliveries(result: CheckResult) -> tuple[DeliveryRow, ...]:
    """Return one line for each delivery that was judged."""
    return tuple(
        DeliveryRow(
            delivery,
            _count(delivery, found),
            _finding(delivery, found, result),
            _tone(delivery, found, result),
        )
        for delivery in Delivery
        if (found := result.deliveries.get(delivery)) is not None
    )


def legend(result: CheckResult) -> str:
    """Say what the deliveries that were judged mean."""
    said = (f"{name}: {GLOSSES[name]}" for name in Delivery if name in result.deliveries)
    return "; ".join(said)


def varied(result: CheckResult) -> tuple[Answer, ...]:
    """Say what held of latency groups, job purity, worker counts and settings."""
    axes = result.axes
    answers = [
        _latency(result),
        _jobs(axes.execution_order) if axes.execution_order else None,
        _workers(axes.workers, result.probe.workers) if axes.workers else None,
        _settings(axes.environment) if axes.environment else None,
    ]
    return tuple(answer for answer in answers if answer is not None)


def broken_words(holds: Holds) -> str:
    """Say what holds and what doesn't, leaving out what follows from it."""
    broken, kept = holds.broken, holds.kept
    if broken == (Rung.BYTES,):
        return "the same rows in the same order; columns, types or float bits differ"
    on_rows = [rung for rung in _ON_ROWS if rung in broken]
    if not on_rows:
        return "the same rows, in another order"
    held = [rung for rung in _ON_ROWS if rung in kept]
    if not held:
        return f"{rungs(on_rows)} differ"
    return f"{rungs(held)} {'hold' if _plural(held) else 'holds'}, {rungs(on_rows)} don't"


def _plural(several: list[Rung]) -> bool:
    return len(several) > 1 or several[0] is not Rung.ROW_ORDER


def _count(delivery: Delivery, found: DeliveryResult) -> str:
    if delivery is Delivery.INJECTED:
        count = found.runs if found.orders_tried is None else found.orders_tried
        text = counted(count, "order")
    else:
        text = counted(found.runs, "run")
    return f"{text}, {found.failed} FAILED" if found.failed else text


def _finding(delivery: Delivery, found: DeliveryResult, result: CheckResult) -> str:
    if delivery is Delivery.INJECTED and not found.orders_tried and not found.failed:
        return "no order to try: no call's results can reach the search in another order"
    if not found.runs and not found.orders_tried:
        return "no outcome, so nothing can be said"
    if not found.holds.judged:
        return "not judged: there is no serial outcome to hold it to"
    if delivery is Delivery.INJECTED:
        return _injected(found)
    cores = f"on {counted(found.cores, 'core')}: " if found.cores else ""
    return cores + (_differing(found) if found.holds.broken else _agreeing(delivery, found, result))


def _agreeing(delivery: Delivery, found: DeliveryResult, result: CheckResult) -> str:
    strongest = found.holds.kept[-1]
    down_to = f"down to {RUNGS[strongest]}"
    if delivery is Delivery.SERIAL:
        return f"identical, {down_to}" if found.runs > 1 else "the outcome that others are held to"
    if delivery is Delivery.NATIVE and _order_matters(result):
        return "equal to serial this time; completion order can change it, see below"
    return f"identical to serial, {down_to}"


def _order_matters(result: CheckResult) -> bool:
    return any(cause.kind is CauseKind.ORDER for cause in result.causes)


def _differing(found: DeliveryResult) -> str:
    return f"DIFFERS: {broken_words(found.holds)}"


def _injected(found: DeliveryResult) -> str:
    if not found.holds.broken:
        return f"all identical to serial, down to {RUNGS[found.holds.kept[-1]]}"
    if not found.differing:
        return f"none differs on the required rung; {broken_words(found.holds)}"
    verb = "DIFFERS" if found.differing == 1 else "DIFFER"
    outcomes = f", {counted(found.distinct_outcomes, 'outcome')}" if found.distinct_outcomes else ""
    orders = f"{found.differing} of {found.orders_tried}"
    return f"{orders} {verb}{outcomes}: {broken_words(found.holds)}"


def _tone(delivery: Delivery, found: DeliveryResult, result: CheckResult) -> Tone:
    held = found.holds.on(result.require)
    if held is False:
        return Tone.BAD
    if delivery is Delivery.NATIVE and _order_matters(result):
        return Tone.DOUBT
    if held is None and not found.failed and found.orders_tried == 0:
        return Tone.PLAIN
    return Tone.DOUBT if found.failed or held is None else Tone.GOOD


def _latency(result: CheckResult) -> Answer | None:
    held = result.latency_groups_hold
    if held is None:
        return None
    if held:
        groups = result.latency_groups
        count = "the same latency groups"
        if groups is not None:
            count = (
                f"the same {counted(groups.groups, 'latency group')} "
                f"({counted(groups.rows, 'row')}) every time"
            )
        return _one("latency", f"{count}, whoever is in them", Tone.GOOD)
    broken = listed(
        name for name, found in result.deliveries.items() if found.latency_groups is False
    )
    text = (
        f"latency groups DON'T HOLD in {broken} runs: how many there are, or their sizes, changes"
    )
    return _one("latency", text, Tone.BAD)


def _jobs(axis: ExecutionOrderAxis) -> Answer:
    opaque = ""
    if axis.opaque:
        opaque = (
            f"; results of {counted(len(axis.opaque), 'job')} can't be compared: "
            f"{listed(axis.opaque, cap=_LABELS)}"
        )
    if not axis.jobs:
        text = f"no job could be compared between execution orders{opaque}"
        return _one("jobs", text, Tone.DOUBT if opaque else Tone.PLAIN)
    orders = f"{counted(len(axis.tried), 'execution order')} ({listed(axis.tried)})"
    what = f"{counted(axis.jobs, 'job')} at {counted(axis.sites, 'site')} ran in {orders}"
    if axis.holds is False:
        return _one(
            "jobs", f"{what}: results DIFFER, so jobs are not independent{opaque}", Tone.BAD
        )
    if axis.holds:
        return _one("jobs", f"{what}: each gave the same result{opaque}", Tone.GOOD)
    return _one("jobs", f"{what}: whether results are the same can't be said{opaque}", Tone.DOUBT)


def _workers(axis: WorkersAxis, own: int) -> Answer:
    alike: dict[str, list[int]] = {}
    for count in axis.tried:
        holds = axis.holds.get(count)
        alike.setdefault("not judged" if holds is None else _against(holds), []).append(count)
    differing = any(holds.broken for holds in axis.holds.values())
    equal = alike.pop("equal", [])
    said = [
        f"{listed(counts)} {'worker' if counts == [1] else 'workers'}: {how}"
        for how, counts in alike.items()
    ]
    if equal:
        noun = "" if said else " worker" if equal == [1] else " workers"
        said.append(f"{listed(equal)}{noun}: equal")
    about = f" (workers that the search is told of; {own} in this probe)"
    return _one("workers", "; ".join(said) + about, Tone.DOUBT if differing else Tone.GOOD)


def _against(holds: Holds) -> str:
    if holds.all_hold:
        return "equal"
    if not holds.judged:
        return "not judged"
    broken = holds.broken
    on_rows = [rung for rung in _ON_ROWS if rung in broken] or list(broken[:1])
    if not on_rows:
        return "equal as far as judged"
    return f"{rungs(on_rows)} {'differ' if _plural(on_rows) else 'differs'}"


def _settings(axis: EnvironmentAxis) -> Answer:
    names = listed(spaced(name) for name in axis.varied)
    what = f"{counted(len(axis.tried), 'serial run')} with {names or 'no setting'} varied"
    if not axis.holds.judged:
        return _one("settings", f"{what}: not judged", Tone.DOUBT)
    if axis.holds.broken:
        return _one("settings", f"{what} DIFFER: {broken_words(axis.holds)}", Tone.BAD)
    strongest = RUNGS[axis.holds.kept[-1]]
    return _one("settings", f"{what}: identical, down to {strongest}", Tone.GOOD)


def _one(label: str, text: str, tone: Tone) -> Answer:
    return Answer(label, (Prose(text, tone),))
