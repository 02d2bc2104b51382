"""How two outcomes differ, for a terminal or a log.

Owns the words and the order of a comparison's answers: whether what is required holds, which
rungs do, how many rows went which way, and then the pairs themselves, capped and saying so.
Colours only repeat what the words and marks say. Leaves the facts to `repro.audit.compare`,
the trees' text to `repro.canon.looptree`, and printing to `repro.cli`.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.text import Text

from repro.canon.cells import float_text
from repro.canon.looptree import exact, normalised
from repro.model.identities import FlatIdentity
from repro.model.rung import LADDER, Rung
from repro.report.beside import Beside, Hanging, whole
from repro.report.words import RUNGS, counted, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from repro.model.comparison import Comparison, Counts, Pair
    from repro.model.outcome import Outcome

WIDTH = 80
"""Columns of a comparison that is written as plain text."""

LIMIT = 3
"""How many of each kind of difference are shown where nobody asks for more."""

_INDENT = 3
_LABEL = 11
_HEADS = ("A", "B")
_OBJECTIVES = 6


@dataclass(frozen=True, slots=True)
class Difference:
    """Two outcomes, how they differ, and what is asked of them.

    Attributes:
        first: The outcome called A.
        second: The outcome called B.
        comparison: How B differs from A.
        names: Where they come from, such as file names.
        required: The rung on which they are to be equal.
        limit: How many of each kind of difference are shown.
    """

    first: Outcome
    second: Outcome
    comparison: Comparison
    names: tuple[str, str] = _HEADS
    required: Rung = Rung.ROW_ORDER
    limit: int = LIMIT


def difference(diff: Difference) -> RenderableType:
    """Return the report as a rich renderable."""
    return Group(*_heads(diff), *_counts(diff), *_details(diff))


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


def short_name(objective: str) -> str:
    """Return an objective as people call it: `Total<SEP>latency` is `latency`."""
    return objective.removeprefix("Total<SEP>").replace("<SEP>", " ")


def _heads(diff: Difference) -> Iterator[RenderableType]:
    what = diff.comparison
    things = _things(diff)
    width = max(map(len, diff.names))
    for head, name, counts in zip(_HEADS, diff.names, (what.first, what.second), strict=True):
        parts = [counted(counts.rows, "row"), counted(counts.survivors, f"distinct {things[0]}")]
        if things[0] == "LoopTree":
            parts.append(counted(counts.strategies, "strategy", "strategies"))
        yield Text.assemble((f"{head}  ", "bold"), f"{name:<{width}}   {', '.join(parts)}")
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
        yield _line("tied", f"{pairs} a gained one with equal objectives")
    yield from _columns(diff)


def _columns(diff: Difference) -> Iterator[RenderableType]:
    changes = diff.comparison.columns
    told = [
        f"{verb} {listed(map(repr, names), cap=_OBJECTIVES)}"
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


def _details(diff: Difference) -> Iterator[RenderableType]:
    what = diff.comparison
    tied = {ours for ours, _ in what.tie_swapped}, {theirs for _, theirs in what.tie_swapped}
    lost = [row for row in what.lost if row not in tied[0]]
    gained = [row for row in what.gained if row not in tied[1]]
    yield from _section(
        diff, "Swapped at equal objectives", what.tie_swapped, lambda pair: _tie(diff, pair)
    )
    yield from _section(
        diff,
        "Revalued: the same, but other objectives",
        what.revalued,
        lambda p: _revalued(diff, p),
    )
    yield from _section(
        diff, "Lost, with no equal in B", lost, lambda row: _alone(diff.first, "A", row)
    )
    yield from _section(
        diff, "Gained, with no equal in A", gained, lambda row: _alone(diff.second, "B", row)
    )
    yield from _section(
        diff, "Cosmetic: the same, written differently", what.cosmetic, lambda p: _cosmetic(diff, p)
    )


def _section[T](
    diff: Difference,
    title: str,
    items: Sequence[T],
    show: Callable[[T], Iterable[RenderableType]],
) -> Iterator[RenderableType]:
    """Show the first few items, and say how many there are."""
    if not items or not diff.limit:
        return
    shown = min(len(items), diff.limit)
    yield Text()
    yield Text(f"{title} ({shown:,} of {len(items):,} shown)", "bold")
    for item in islice(items, shown):
        yield Text()
        yield from show(item)
    if shown < len(items):
        left = len(items) - shown
        yield Text()
        yield Text(f"{left:,} more not shown: --limit {len(items)} shows all", "dim")


def _tie(diff: Difference, pair: Pair) -> Iterator[RenderableType]:
    yield _title(f"A row {pair[0]}, B row {pair[1]}", _objectives(diff.first, pair[0]))
    yield _beside(diff, pair, _normal)


def _revalued(diff: Difference, pair: Pair) -> Iterator[RenderableType]:
    ours, theirs = _values(diff.first, pair[0]), _values(diff.second, pair[1])
    changed = [
        f"{short_name(name)} {float_text(before)} -> {float_text(after)}"
        for name in {**ours, **theirs}
        if (before := ours.get(name, 0.0)) != (after := theirs.get(name, 0.0))
    ]
    what = listed(changed, cap=_OBJECTIVES) or "in another row of its kind"
    yield _title(f"A row {pair[0]}, B row {pair[1]}", what)
    yield from _body(diff.first, pair[0])


def _alone(outcome: Outcome, head: str, row: int) -> Iterator[RenderableType]:
    yield _title(f"{head} row {row}", _objectives(outcome, row))
    yield from _body(outcome, row)


def _cosmetic(diff: Difference, pair: Pair) -> Iterator[RenderableType]:
    yield _title(f"A row {pair[0]}, B row {pair[1]}", _objectives(diff.first, pair[0]))
    yield _beside(diff, pair, _exact)


def _beside(diff: Difference, pair: Pair, write: Callable[[Outcome, int], list[str]]) -> Beside:
    left, right = write(diff.first, pair[0]), write(diff.second, pair[1])
    return Beside(left, right, _HEADS, indent=_INDENT)


def _body(outcome: Outcome, row: int) -> Iterator[RenderableType]:
    yield from (whole(" " * _INDENT + line) for line in _normal(outcome, row))


def _normal(outcome: Outcome, row: int) -> list[str]:
    identity = outcome.identities[outcome.rows[row].exact]
    if isinstance(identity, FlatIdentity):
        return _cells(identity)
    return normalised(identity).splitlines()


def _exact(outcome: Outcome, row: int) -> list[str]:
    identity = outcome.identities[outcome.rows[row].exact]
    return _cells(identity) if isinstance(identity, FlatIdentity) else exact(identity).splitlines()


def _cells(identity: FlatIdentity) -> list[str]:
    return [f"{name} = {text}" for name, text in identity.cells]


def _values(outcome: Outcome, row: int) -> dict[str, float]:
    return dict(zip(outcome.objectives, outcome.rows[row].objectives, strict=True))


def _objectives(outcome: Outcome, row: int) -> str:
    values = _values(outcome, row)
    told = [f"{short_name(name)} {_rounded(value)}" for name, value in values.items()]
    return listed(told, cap=_OBJECTIVES) or "no objectives"


def _rounded(value: float) -> str:
    return float_text(value) if value.is_integer() else f"{value:.7g}"


def _things(diff: Difference) -> tuple[str, str]:
    """Return what rows stand for: one of them, and several."""
    some = next(iter(diff.first.identities.values()), None)
    return ("row", "rows") if isinstance(some, FlatIdentity) else ("LoopTree", "LoopTrees")


def _of(same: int, first: Counts, second: Counts) -> str:
    if first.rows == second.rows:
        return f"{same:,} of {counted(first.rows, 'row')}"
    return f"{counted(same, 'row')}; A has {first.rows:,}, B has {second.rows:,}"


def _title(where: str, what: str) -> Hanging:
    return Hanging(f"{where}: ", what, indent=_INDENT)


def _line(label: str, text: str, style: str = "") -> Hanging:
    head = f"  {label:<{_LABEL}}"
    return Hanging(head, text, style, indent=len(head))
