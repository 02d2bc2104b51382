"""How two outcomes differ.

Owns the pairing of rows and the comparison of latency groups. Works on digests and numbers
alone, in O(n log n), and never decodes a LoopTree. Leaves the record to
`repro.model.comparison` and showing it to `repro.report.diff`.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from itertools import chain
from typing import TYPE_CHECKING

from repro.model.comparison import ColumnChanges, Comparison, Counts, LatencyGroups
from repro.model.rung import LADDER

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from repro.model.comparison import Pair
    from repro.model.outcome import Outcome

LATENCY_TOLERANCE = 1e-6
"""Relative: AccelForge computes rows in float32, whose steps are 6e-8 to 1.2e-7."""

type _Vector = tuple[float | None, ...]
"""Objective values, with `None` for what is no number, so that equal vectors are equal."""


def compare(first: Outcome, second: Outcome) -> Comparison:
    """Return how a second outcome differs from a first.

    Rows are first matched by normalised form and objectives; of what is left over, rows with
    the same normalised form are revalued, and the others are lost or gained. If a form occurs
    several times, as many of its rows are matched as both outcomes have. An objective that
    only one of the outcomes has counts as zero in the other.
    """
    values = _vectors(first, second)
    forms = [row.survivor for row in first.rows], [row.survivor for row in second.rows]
    keys = [list(zip(forms[side], values[side], strict=True)) for side in (0, 1)]
    same, *rest = _match((keys[0], range(len(keys[0]))), (keys[1], range(len(keys[1]))))
    revalued, lost, gained = _match((forms[0], rest[0]), (forms[1], rest[1]))
    return Comparison(
        equal={rung: first.digests[rung] == second.digests[rung] for rung in LADDER},
        first=_counts(first),
        second=_counts(second),
        same=len(same),
        revalued=tuple(revalued),
        lost=tuple(lost),
        gained=tuple(gained),
        tie_swapped=tuple(_ties((first, values[0], lost), (second, values[1], gained))),
        cosmetic=tuple(pair for pair in same if _differs_exactly(first, second, pair)),
        moved=len(same) - _longest_run([place for _, place in same]),
        lost_survivors=len(set(forms[0]).difference(forms[1])),
        gained_survivors=len(set(forms[1]).difference(forms[0])),
        latency_groups_equal=_latencies_agree(first, second),
        columns=_columns(dict(first.columns), dict(second.columns)),
    )


def latency_groups(outcome: Outcome) -> LatencyGroups | None:
    """Return an outcome's latency groups, or `None` if it has no latencies.

    Latencies are sorted, and a group takes in all that are within 1e-6, relative, of its
    first: of that one and not of its neighbour, so that a long ladder of small steps doesn't
    become one group. Those that are no number come last, in one group.
    """
    if outcome.latency is None:
        return None
    latencies = outcome.latencies()
    numbers = sorted(latency for latency in latencies if not math.isnan(latency))
    firsts: list[float] = []
    sizes: list[int] = []
    for latency in chain(numbers, [math.nan] * (len(latencies) - len(numbers))):
        if firsts and _close(firsts[-1], latency):
            sizes[-1] += 1
        else:
            firsts.append(latency)
            sizes.append(1)
    return LatencyGroups(tuple(firsts), tuple(sizes))


def latency_groups_agree(first: LatencyGroups, second: LatencyGroups) -> bool:
    """Whether groups have the same sizes, and latencies within 1e-6, whoever is in them."""
    return first.sizes == second.sizes and all(
        _close(one, other) for one, other in zip(first.latencies, second.latencies, strict=True)
    )


def _vectors(first: Outcome, second: Outcome) -> tuple[list[_Vector], list[_Vector]]:
    """Return both outcomes' objective vectors over the objectives of either."""
    if first.objectives == second.objectives:
        return [_vector(row.objectives) for row in first.rows], [
            _vector(row.objectives) for row in second.rows
        ]
    names = sorted({*first.objectives, *second.objectives})
    return _spread(first, names), _spread(second, names)


def _spread(outcome: Outcome, names: Sequence[str]) -> list[_Vector]:
    places = {name: place for place, name in enumerate(outcome.objectives)}
    order = [places.get(name) for name in names]
    return [
        _vector(tuple(0.0 if place is None else row.objectives[place] for place in order))
        for row in outcome.rows
    ]


def _vector(values: tuple[float, ...]) -> _Vector:
    if any(map(math.isnan, values)):
        return tuple(None if math.isnan(value) else value for value in values)
    return values


def _match[K: Hashable](
    ours: tuple[Sequence[K], Sequence[int]], theirs: tuple[Sequence[K], Sequence[int]]
) -> tuple[list[Pair], list[int], list[int]]:
    """Pair places whose keys are equal, first with first, second with second and so on.

    Args:
        ours: The first side's keys, and the places among them that are to be paired.
        theirs: The same of the second side.

    Returns:
        The pairs and the places left over on either side, in the order of the places.
    """
    waiting: dict[K, list[int]] = {}
    for place in reversed(theirs[1]):
        waiting.setdefault(theirs[0][place], []).append(place)
    pairs: list[Pair] = []
    left: list[int] = []
    for place in ours[1]:
        fitting = waiting.get(ours[0][place])
        if fitting:
            pairs.append((place, fitting.pop()))
        else:
            left.append(place)
    return pairs, left, sorted(chain.from_iterable(waiting.values()))


def _ties(
    ours: tuple[Outcome, list[_Vector], list[int]],
    theirs: tuple[Outcome, list[_Vector], list[int]],
) -> list[Pair]:
    """Pair lost and gained rows with equal objectives, those of one strategy first."""
    strategies = [
        [(vector, row.strategy) for vector, row in zip(vectors, outcome.rows, strict=True)]
        for outcome, vectors, _ in (ours, theirs)
    ]
    alike, left, right = _match((strategies[0], ours[2]), (strategies[1], theirs[2]))
    others, *_ = _match((ours[1], left), (theirs[1], right))
    return sorted(alike + others)


def _differs_exactly(first: Outcome, second: Outcome, pair: Pair) -> bool:
    return first.rows[pair[0]].exact != second.rows[pair[1]].exact


def _longest_run(places: Sequence[int]) -> int:
    """Return the length of the longest increasing subsequence, by patience sorting."""
    tails: list[int] = []
    for place in places:
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
    return len(tails)


def _counts(outcome: Outcome) -> Counts:
    return Counts(
        rows=len(outcome.rows),
        survivors=len({row.survivor for row in outcome.rows}),
        strategies=len({row.strategy for row in outcome.rows}),
    )


def _columns(ours: Mapping[str, str], theirs: Mapping[str, str]) -> ColumnChanges:
    common = [name for name in ours if name in theirs]
    return ColumnChanges(
        new=tuple(name for name in theirs if name not in ours),
        gone=tuple(name for name in ours if name not in theirs),
        retyped=tuple(name for name in common if ours[name] != theirs[name]),
        reordered=common != [name for name in theirs if name in ours],
    )


def _latencies_agree(first: Outcome, second: Outcome) -> bool | None:
    if first.latency != second.latency:
        return False
    ours, theirs = latency_groups(first), latency_groups(second)
    if ours is None or theirs is None:
        return None
    return latency_groups_agree(ours, theirs)


def _close(one: float, other: float) -> bool:
    if math.isclose(one, other, rel_tol=LATENCY_TOLERANCE):
        return True
    return math.isnan(one) and math.isnan(other)
