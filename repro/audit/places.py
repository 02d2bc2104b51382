"""Outcomes as rankings: which rows share which ranks, and what was seen at them.

Owns the ranking of an outcome by one objective, and looking up in many outcomes what stands
at given ranks. Smaller is better. Rows whose values agree within 1e-6, relative, share their
ranks: float32 rows can't tell them apart (`repro.audit.compare`). Leaves judging to
`repro.audit.ranking`.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.audit.compare import LATENCY_TOLERANCE
from repro.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repro.model.outcome import Outcome, Row

_TOTAL = "Total<SEP>"

type Vector = tuple[float, ...]
"""Objective values of a row, over the objectives of all outcomes; one that it lacks is zero."""


@dataclass(frozen=True, slots=True)
class Place:
    """Ranks that rows of one outcome share, from 1, and the least value among them."""

    first: int
    last: int
    value: float

    def agrees(self, other: Place) -> bool:
        """Whether these are the same ranks, at the same value."""
        ours, theirs = (self.first, self.last), (other.first, other.last)
        return ours == theirs and close(self.value, other.value)


@dataclass(frozen=True, slots=True)
class Spot:
    """A row in its outcome's ranking; `index` is its place in the search's table, from 0."""

    place: Place
    index: int
    row: Row
    value: float
    vector: Vector


@dataclass(slots=True)
class Contestant:
    """A LoopTree seen at a place.

    Attributes:
        outcome: The first outcome that has it there.
        spot: Its row in that outcome.
        outcomes: How many outcomes have it there.
        sampled: How many of those of independently drawn orders.
    """

    outcome: Outcome
    spot: Spot
    outcomes: int = 0
    sampled: int = 0


class Seen:
    """Outcomes of one search, each ranked by the same objective.

    Args:
        outcomes: All of them, the serial reference first.
        by: Full name of the objective.
        sampled: How many of the last ones are those of independently drawn orders.
    """

    def __init__(self, outcomes: Sequence[Outcome], by: str, sampled: int = 0) -> None:
        """Rank every outcome."""
        self.outcomes = outcomes
        self.by = by
        self.sampled = sampled
        self.names = tuple(sorted({by}.union(*(outcome.objectives for outcome in outcomes))))
        self._spots = [ranked(outcome, by, self.names) for outcome in outcomes]
        self._values, self._entries = self._by_value()
        self._survivors = {
            spot.row.survivor: (outcome, spot)
            for outcome, spots in reversed(list(zip(outcomes, self._spots, strict=True)))
            for spot in reversed(spots)
        }

    @property
    def rows(self) -> int:
        """How many ranks the serial outcome has."""
        return len(self._spots[0])

    def serial(self, rank: int) -> Spot:
        """Return the serial outcome's row at a rank."""
        return self._spots[0][rank - 1]

    def places(self, top: int) -> list[Place]:
        """Return the places of the serial outcome that reach into the first ranks."""
        return list(dict.fromkeys(spot.place for spot in self._spots[0][:top]))

    def at(self, place: Place) -> Iterator[tuple[int, list[Spot]]]:
        """Yield what stands at a place in each outcome, with the outcome's index."""
        for index, spots in enumerate(self._spots):
            yield index, _meeting(spots, place)

    def contestants(self, place: Place) -> dict[str, Contestant]:
        """Return what stands at a place in any outcome, by survivor digest.

        Those of the serial outcome come first, in its order.
        """
        found: dict[str, Contestant] = {}
        for index, spots in self.at(place):
            for survivor, spot in {spot.row.survivor: spot for spot in spots}.items():
                entry = found.setdefault(survivor, Contestant(self.outcomes[index], spot))
                entry.outcomes += 1
                entry.sampled += self.is_sampled(index)
        return found

    def model_equal(self, spot: Spot) -> set[str]:
        """Return the survivors seen at any rank with a row's objective values, all of them."""
        if math.isnan(spot.value):
            near = self._entries
        else:
            room = 2 * LATENCY_TOLERANCE * abs(spot.value)
            low = bisect_left(self._values, spot.value - room)
            near = self._entries[low : bisect_right(self._values, spot.value + room)]
        return {
            survivor
            for vector, survivor in near
            if all(close(*pair) for pair in zip(vector, spot.vector, strict=True))
        }

    def is_sampled(self, index: int) -> bool:
        """Whether an outcome is that of an independently drawn order."""
        return index >= len(self.outcomes) - self.sampled

    def find(self, survivor: str) -> tuple[Outcome, Spot] | None:
        """Return the first outcome that has a LoopTree, and its row there."""
        return self._survivors.get(survivor)

    @property
    def survivors(self) -> Iterator[tuple[Outcome, Spot]]:
        """Every LoopTree seen, once, with an outcome that has it."""
        return iter(self._survivors.values())

    def first_ranks(self, survivor: str) -> tuple[int, ...]:
        """Return the ranks at which a LoopTree was seen; of ranks that are shared the first."""
        return tuple(
            sorted(
                {
                    spot.place.first
                    for spots in self._spots
                    for spot in spots
                    if spot.row.survivor == survivor
                }
            )
        )

    def _by_value(self) -> tuple[list[float], list[tuple[Vector, str]]]:
        """Return every vector with every survivor seen at it, in the order of ranked values."""
        distinct = {
            (spot.value, spot.vector, spot.row.survivor) for spots in self._spots for spot in spots
        }
        ordered = sorted(distinct, key=lambda entry: sortable(entry[0]))
        values = [math.inf if math.isnan(value) else value for value, _, _ in ordered]
        return values, [(vector, survivor) for _, vector, survivor in ordered]


def ranked(outcome: Outcome, by: str, names: Sequence[str]) -> list[Spot]:
    """Return an outcome's rows in the order of their ranks, each with the ranks it shares.

    Rows that share theirs keep the search's order. What is no number comes last.

    Args:
        outcome: The outcome.
        by: The objective that it is ranked by; one that it lacks is zero in every row.
        names: The objectives of the vectors, `by` among them.
    """
    columns = [
        outcome.objectives.index(name) if name in outcome.objectives else None for name in names
    ]
    vectors = [
        tuple(0.0 if column is None else row.objectives[column] for column in columns)
        for row in outcome.rows
    ]
    key = list(names).index(by)
    order = sorted(range(len(vectors)), key=lambda index: sortable(vectors[index][key]))
    spots: list[Spot] = []
    while len(spots) < len(order):
        start = len(spots)
        value = vectors[order[start]][key]
        end = start + 1
        while end < len(order) and close(value, vectors[order[end]][key]):
            end += 1
        place = Place(start + 1, end, value)
        spots += [
            Spot(place, index, outcome.rows[index], vectors[index][key], vectors[index])
            for index in order[start:end]
        ]
    return spots


def resolve(outcome: Outcome, name: str) -> str:
    """Return the full name of an objective.

    Args:
        outcome: An outcome that has it.
        name: The full name, or what people call it: `latency` for `Total<SEP>latency`, spaces
            for `<SEP>`. `latency` also means whatever the search calls its latency.

    Raises:
        UsageError: There is no such objective, or it is zero in every row.
    """
    spelt = name.replace(" ", "<SEP>")
    tries = [name, _TOTAL + name, spelt, _TOTAL + spelt]
    if name == "latency" and outcome.latency is not None:
        tries.append(outcome.latency)
    found = next((full for full in tries if full in outcome.objectives), None)
    if found is not None:
        return found
    columns = {column for column, _ in outcome.columns}
    zero = next((full for full in tries if full in columns), None)
    do = f"rank by one of: {', '.join(outcome.objectives)}" if outcome.objectives else None
    if zero is not None:
        what = f"{zero!r} is no objective of this search, or zero in every row: it ranks nothing"
    else:
        what = f"there is no objective {name!r}"
    raise UsageError(what, where="--by", do=do)


def close(one: float, other: float) -> bool:
    """Whether two values are the same to a reader of float32 rows."""
    if math.isclose(one, other, rel_tol=LATENCY_TOLERANCE):
        return True
    return math.isnan(one) and math.isnan(other)


def _meeting(spots: Sequence[Spot], place: Place) -> list[Spot]:
    """Return the rows of a ranking that stand at one of a place's ranks."""
    if place.first > len(spots):
        return []
    start = spots[place.first - 1].place.first - 1
    end = spots[min(place.last, len(spots)) - 1].place.last
    return list(spots[start:end])


def sortable(value: float) -> tuple[bool, float]:
    """Return a key by which values are sorted, what is no number last."""
    return math.isnan(value), 0.0 if math.isnan(value) else value
