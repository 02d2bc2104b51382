"""How two outcomes differ, for a terminal or a log.

Owns the words and the order of a comparison's answers: whether what is required holds, which
rungs do, and how many rows went which way. Colours only repeat what the words say. Leaves the
facts to `repro.audit.compare`, the rows themselves to `repro.report.changed`, and printing to
`repro.cli`.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.text import Text

from repro.model.identities import FlatIdentity
from repro.model.rung import LADDER
from repro.report.beside import Hanging
from repro.report.changed import HEADS, INDENT, MANY, changed_rows
from repro.report.words import RUNGS, counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from repro.model.comparison import Counts
    from repro.report.changed import Difference

WIDTH = 80
"""Columns of a comparison that is written as plain text."""

_LABEL = 13


def difference(diff: Difference) -> RenderableType:
    """Return the report as a rich renderable."""
    return Group(*_heads(diff), *_counts(diff), *changed_rows(diff))


def render(diff: Difference, *, width: int = WIDTH) -> str:
    """Return the report as plain text, without colour."""
    console = Console(
        file=io.StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(difference(diff), crop=False)
    return capture.get()


def _heads(diff: Difference) -> Iterator[RenderableType]:
    what = diff.comparison
    things = _things(diff)
    width = max(map(len, diff.names))
    for head, name, counts in zip(HEADS, diff.names, (what.first, what.second), strict=True):
        parts = [counted(counts.rows, "row"), counted(counts.survivors, f"distinct {things[0]}")]
        if things[0] == "LoopTree":
            parts.append(counted(counts.strategies, "strategy", "strategies"))
        yield Hanging(f"{head}  ", f"{name:<{width}}   {', '.join(parts)}", indent=INDENT)
    yield Text()
    yield _verdict(diff)
    yield Text()
    equal = [RUNGS[rung] for rung in LADDER if what.equal[rung]]
    differ = [RUNGS[rung] for rung in LADDER if not what.equal[rung]]
    if what.latency_groups_equal is not None:
        (equal if what.latency_groups_equal else differ).append("latency groups")
    yield _line("equal", listed(equal) or "nothing", "green" if equal else "")
    yield _line("different", listed(differ) or "nothing", "red" if differ else "")


def _verdict(diff: Difference) -> Text:
    required = RUNGS[diff.required]
    if not diff.comparison.holds(diff.required):
        return Text(f"DIFFERENT: {required} required, and not equal", "bold red")
    if diff.comparison.first_rung is None:
        return Text("EQUAL, down to bytes", "bold green")
    return Text(f"EQUAL as required: {required}", "bold green")


def _counts(diff: Difference) -> Iterator[RenderableType]:
    """Say how many rows went which way; what didn't happen isn't mentioned."""
    what = diff.comparison
    _, things = _things(diff)
    yield _line("in both", _of(what.same, what.first, what.second))
    if what.moved:
        order = "the same rows in another order" if what.reordered else "in another order"
        yield _line("reordered", f"{order}: {counted(what.moved, 'row')} out of place")
    if what.cosmetic:
        yield _line(
            "cosmetic", f"{counted(len(what.cosmetic), 'row')} of these written differently"
        )
    if what.revalued:
        yield _line("revalued", f"{counted(len(what.revalued), 'row')} with other objectives")
    for label, rows, survivors, head in (
        ("lost", what.lost, what.lost_survivors, "A"),
        ("gained", what.gained, what.gained_survivors, "B"),
    ):
        if rows:
            only = f"{survivors:,} {things} that only {head} has"
            yield _line(label, f"{counted(len(rows), 'row')} of {head} alone ({only})")
    if what.tie_swapped:
        pairs = counted(len(what.tie_swapped), "of the lost has", "of the lost have")
        yield _line("tie-swapped", f"{pairs} a gained one with equal objectives")
    yield from _columns(diff)


def _columns(diff: Difference) -> Iterator[RenderableType]:
    changes = diff.comparison.columns
    told = [
        f"{verb} {listed(map(repr, names), cap=MANY)}"
        for verb, names in (
            ("only in A:", changes.gone),
            ("only in B:", changes.new),
            ("of another type:", changes.retyped),
        )
        if names
    ]
    if changes.reordered:
        told.append("in another order")
    if told:
        yield _line("columns", "; ".join(told))


def _things(diff: Difference) -> tuple[str, str]:
    """Return what rows stand for: one of them, and several."""
    some = next(iter(diff.first.identities.values()), None)
    return ("row", "rows") if isinstance(some, FlatIdentity) else ("LoopTree", "LoopTrees")


def _of(same: int, first: Counts, second: Counts) -> str:
    if first.rows == second.rows:
        return f"{same:,} of {counted(first.rows, 'row')}"
    return f"{counted(same, 'row')}; A has {first.rows:,}, B has {second.rows:,}"


def _line(label: str, text: str, style: str = "") -> Hanging:
    head = f"  {label:<{_LABEL}}"
    return Hanging(head, text, style, indent=len(head))
