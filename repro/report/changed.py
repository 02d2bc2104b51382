"""The rows in which two outcomes differ, shown in full.

Owns which rows are shown, how many of each kind, and what of each. Leaves how many there are
to `repro.report.diff`, texts side by side to `repro.report.beside`, and the trees' own text to
`repro.canon.looptree`.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from rich.text import Text

from repro.canon.cells import float_text
from repro.canon.looptree import exact, normalised
from repro.model.identities import FlatIdentity
from repro.model.rung import Rung
from repro.report.beside import Beside, Hanging, whole
from repro.report.words import listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from rich.console import RenderableType

    from repro.model.comparison import Comparison, Pair
    from repro.model.outcome import Outcome

HEADS = ("A", "B")
INDENT = 3
MANY = 6
"""How many names, such as objectives, are listed in one sentence."""

_LIMIT = 3


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
    names: tuple[str, str] = HEADS
    required: Rung = Rung.ROW_ORDER
    limit: int = _LIMIT


def changed_rows(diff: Difference) -> Iterator[RenderableType]:
    """Yield what shows the rows that differ, kind by kind, each kind capped."""
    what = diff.comparison
    tied = {ours for ours, _ in what.tie_swapped}, {theirs for _, theirs in what.tie_swapped}
    lost = [row for row in what.lost if row not in tied[0]]
    gained = [row for row in what.gained if row not in tied[1]]
    yield from _section(
        diff,
        "Tie-swapped: lost and gained at equal objectives",
        what.tie_swapped,
        lambda pair: _tie(diff, pair),
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
        f"{short_name(name)} {before} -> {after}"
        for name in {**ours, **theirs}
        if (before := float_text(ours.get(name, 0.0)))
        != (after := float_text(theirs.get(name, 0.0)))
    ]
    yield _title(f"A row {pair[0]}, B row {pair[1]}", listed(changed, cap=MANY))
    yield from _body(diff.first, pair[0])


def _alone(outcome: Outcome, head: str, row: int) -> Iterator[RenderableType]:
    yield _title(f"{head} row {row}", _objectives(outcome, row))
    yield from _body(outcome, row)


def _cosmetic(diff: Difference, pair: Pair) -> Iterator[RenderableType]:
    yield _title(f"A row {pair[0]}, B row {pair[1]}", _objectives(diff.first, pair[0]))
    yield _beside(diff, pair, _exact)


def _beside(diff: Difference, pair: Pair, write: Callable[[Outcome, int], list[str]]) -> Beside:
    left, right = write(diff.first, pair[0]), write(diff.second, pair[1])
    return Beside(left, right, HEADS, indent=INDENT)


def _body(outcome: Outcome, row: int) -> Iterator[RenderableType]:
    yield from (whole(" " * INDENT + line) for line in _normal(outcome, row))


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
    return listed(told, cap=MANY) or "no objectives"


def _rounded(value: float) -> str:
    return float_text(value) if value.is_integer() else f"{value:.7g}"


def short_name(objective: str) -> str:
    """Return an objective as people call it: `Total<SEP>latency` is `latency`."""
    return objective.removeprefix("Total<SEP>").replace("<SEP>", " ")


def _title(where: str, what: str) -> Hanging:
    return Hanging(f"{where}: ", what, indent=INDENT)
