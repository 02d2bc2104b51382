"""The record of how two outcomes differ.

Owns facts only: rows are named by their places in either outcome, so that a record stays
small however large the outcomes are. `repro.audit.compare` fills it in; words are made in
`repro.report.diff`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from repro.model.rung import LADDER, Rung

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMA = "repro.diff/1"

type Pair = tuple[int, int]
"""A row of the first outcome and one of the second, by place."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many rows, and how many distinct LoopTrees or other identities, an outcome has."""

    rows: int
    survivors: int
    strategies: int


@dataclass(frozen=True, slots=True)
class LatencyGroups:
    """The rows of an outcome grouped by latency.

    Attributes:
        latencies: The first latency of each group, ascending, in the search's own unit.
        sizes: How many rows each group has.
    """

    latencies: tuple[float, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ColumnChanges:
    """How a second table's columns differ from a first's.

    Attributes:
        new: Columns that only the second has.
        gone: Columns that only the first has.
        retyped: Columns whose type differs.
        reordered: Whether the columns that both have are in different orders.
    """

    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    retyped: tuple[str, ...] = ()
    reordered: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the changes as JSON values."""
        return {
            "new": list(self.new),
            "gone": list(self.gone),
            "retyped": list(self.retyped),
            "reordered": self.reordered,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """How a second outcome differs from a first.

    Every row of either outcome is in exactly one of `same`, `revalued`, `lost` and `gained`;
    the others look closer at the rows in these.

    Attributes:
        equal: For each rung, whether the outcomes are equal on it.
        first: Counts of the first outcome.
        second: Counts of the second outcome.
        same: How many rows both have, by normalised form and objectives.
        revalued: Pairs of rows with the same normalised form but other objectives.
        lost: Places in the first outcome of rows that the second doesn't have.
        gained: Places in the second outcome of rows that the first doesn't have.
        tie_swapped: Pairs of a lost and a gained row with equal objectives.
        cosmetic: Pairs among the same rows whose exact forms differ.
        moved: The fewest of the same rows that have to move for their order to be equal.
        lost_survivors: How many normalised forms only the first outcome has.
        gained_survivors: How many normalised forms only the second outcome has.
        latency_groups_equal: Whether latency groups are equal; `None` without latencies.
        columns: How the tables' columns differ.
    """

    equal: Mapping[Rung, bool]
    first: Counts
    second: Counts
    same: int
    revalued: tuple[Pair, ...]
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    tie_swapped: tuple[Pair, ...]
    cosmetic: tuple[Pair, ...]
    moved: int
    lost_survivors: int
    gained_survivors: int
    latency_groups_equal: bool | None
    columns: ColumnChanges

    @property
    def first_rung(self) -> Rung | None:
        """The weakest rung on which the outcomes differ, or `None` if they are equal."""
        return next((rung for rung in LADDER if not self.equal[rung]), None)

    @property
    def reordered(self) -> bool:
        """Whether both outcomes have the same rows, but in different orders."""
        return self.moved > 0 and not (self.lost or self.gained or self.revalued)

    def holds(self, required: Rung) -> bool:
        """Whether the outcomes are equal on the required rung."""
        return self.equal[required]

    def to_dict(self, *, require: Rung = Rung.ROW_ORDER) -> dict[str, Any]:
        """Return the comparison as JSON values; rows are places counted from 0."""
        return {
            "schema": SCHEMA,
            "require": require,
            "holds": self.holds(require),
            "equal": {rung.value: self.equal[rung] for rung in LADDER},
            "firstRung": self.first_rung,
            "first": _counts(self.first),
            "second": _counts(self.second),
            "same": self.same,
            "revalued": [list(pair) for pair in self.revalued],
            "lost": list(self.lost),
            "gained": list(self.gained),
            "tieSwapped": [list(pair) for pair in self.tie_swapped],
            "cosmetic": [list(pair) for pair in self.cosmetic],
            "reordered": self.reordered,
            "moved": self.moved,
            "lostSurvivors": self.lost_survivors,
            "gainedSurvivors": self.gained_survivors,
            "latencyGroupsEqual": self.latency_groups_equal,
            "columns": self.columns.to_dict(),
        }


def _counts(counts: Counts) -> dict[str, int]:
    return {field.name: getattr(counts, field.name) for field in fields(counts)}
