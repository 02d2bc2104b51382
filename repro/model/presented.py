"""A list that somebody is about to publish, once it was judged row by row.

Owns the records. How rows are judged is in `repro.audit.presented`, what the list was before
in `repro.model.ranked`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Showing(StrEnum):
    """What is wrong or right with one row of a list that is to be published."""

    SETTLED = "settled"
    """Its rank is settled, and the LoopTree is the one that holds it."""
    WITH_TIES = "withTies"
    """Its rank is drawn, and the list shows every LoopTree that was seen there."""
    DRAWN = "drawn"
    """Its rank is drawn, and the list shows only some of the LoopTrees that were seen there."""
    MISPLACED = "misplaced"
    """The LoopTree was seen, but never at this rank."""
    UNSEEN = "unseen"
    """The LoopTree was seen in no outcome."""

    @property
    def holds(self) -> bool:
        """Whether the row may be published as it stands."""
        return self in {Showing.SETTLED, Showing.WITH_TIES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Presented:
    """One row of a list that is to be published.

    Attributes:
        rank: The rank that the list gives it.
        survivor: Digest of its LoopTree, or the text that the list has for it.
        showing: What is to be said of it.
        seen: How many LoopTrees were seen at that rank.
        shown: How many of these the list shows there.
        places: The first ranks at which it was seen, where it is misplaced.
    """

    rank: int
    survivor: str
    showing: Showing
    seen: int
    shown: int
    places: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PresentedList:
    """A list that is to be published, row by row.

    Attributes:
        name: Where it comes from.
        kind: `outcome`, `ranking`, `csv` or `pickle`.
        rows: What is to be said of each row, in the order of the list.
    """

    name: str
    kind: str
    rows: tuple[Presented, ...]

    @property
    def holds(self) -> bool:
        """Whether it may be published as it stands."""
        return all(row.showing.holds for row in self.rows)
