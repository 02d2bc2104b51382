"""The LoopTrees of drawn ranks, shown in full or by what tells them apart.

Owns which of them are shown and what of each; a list that is cut says so. Leaves everything
else about a ranking to `repro.report.ranking`.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

from rich.text import Text

from repro.model.ranking import Doubt
from repro.report.beside import Hanging, whole
from repro.report.changed import short_name
from repro.report.words import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from repro.model.ranking import Contender, Rank, RankingResult

_LINES = 24
"""How many lines of one difference are shown."""
_DIGITS = 8
_STYLES = {"-": "red", "+": "green"}


def things(result: RankingResult, *, one: bool = False) -> str:
    """Return what the rows of this search are called."""
    name = "LoopTree" if result.probe.finds_looptrees else "row"
    return name if one else f"{name}s"


def value_text(value: float | str) -> str:
    """Return a value to eight digits, which tell float32 numbers apart."""
    return value if isinstance(value, str) else f"{value:.{_DIGITS}g}"


def often(outcomes: int, sampled: int, result: RankingResult) -> str:
    """Say in how many outcomes something was seen: of random orders, if it was in any."""
    seen = result.outcomes
    if sampled:
        return f"{sampled} of {counted(seen.sampled, 'random order')}"
    return f"{outcomes} of {counted(seen.total, 'outcome')}"


def contenders(result: RankingResult, show: int) -> Iterator[RenderableType]:
    """Yield the LoopTrees of each drawn rank; of ranks that tie once.

    Args:
        result: The ranking.
        show: How many of each.
    """
    if not show:
        return
    told: set[tuple[int, int, frozenset[str]]] = set()
    for rank in result.ranks:
        key = (rank.first, rank.last, frozenset(found.survivor for found in rank.contenders))
        if rank.settled or key in told:
            continue
        told.add(key)
        yield Text()
        yield from _rank(rank, result, show)


def _rank(rank: Rank, result: RankingResult, show: int) -> Iterator[RenderableType]:
    shown = rank.contenders[:show]
    several = things(result)
    ranks = f"Ranks {rank.first} to {rank.last}" if rank.first < rank.last else f"Rank {rank.rank}"
    one = things(result, one=True)
    yield Text(f"{ranks}: {counted(rank.seen, one, several)} seen ({len(shown)} shown)", "bold")
    first = shown[0]
    yield Hanging("   ", _about(first, rank, result, "serial's own"), indent=3)
    yield from (whole(f"     {line}", "dim") for line in first.text.splitlines())
    for other in shown[1:]:
        yield Hanging("   ", _about(other, rank, result, "another"), indent=3)
        yield from _difference(first.text.splitlines(), other.text.splitlines())
    hidden = rank.seen - len(shown)
    if hidden > 0:
        where = "--show N shows more, --all-ties FILE writes all"
        text = f"{counted(hidden, 'more', 'more')} not shown: {where}"
        yield Hanging("   ", text, "dim", indent=3)


def _about(found: Contender, rank: Rank, result: RankingResult, who: str) -> str:
    """Say how often a LoopTree is there, and how its values differ from the ranked one's."""
    text = f"{who}, in {often(found.outcomes, found.sampled, result)}"
    if found.survivor == rank.survivor:
        values = [f"{short_name(name)} {value_text(v)}" for name, v in found.objectives.items()]
        return f"{text}, at {listed(values, cap=6)}:"
    if found.model_equal:
        return f"{text}, with the same objective values; where it differs:"
    ours = rank.contenders[0].objectives
    differing = [
        f"{short_name(name)} {value_text(value)}"
        for name, value in found.objectives.items()
        if value != ours.get(name)
    ]
    tied = "" if Doubt.MOVED in rank.doubts else f", tied on {short_name(result.by)} alone"
    return f"{text}{tied}, at {listed(differing, cap=6)}; where it differs:"


def _difference(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[RenderableType]:
    lines = list(difflib.unified_diff(ours, theirs, lineterm="", n=0))[2:]
    marked = ["..." if line.startswith("@@") else line for line in lines][1:]
    for line in marked[:_LINES]:
        yield whole(f"     {line}", _STYLES.get(line[:1], "dim"))
    if len(marked) > _LINES:
        yield whole(f"     ({counted(len(marked) - _LINES, 'more line')})", "dim")
