"""The ladder of sameness: the five rungs on which two outcomes can be equal.

Owns the rungs' names and their order. What each rung means in bytes is in `repro.canon`;
how two outcomes are compared on it is in `repro.audit.compare`.
"""

from __future__ import annotations

from enum import StrEnum


class Rung(StrEnum):
    """One rung of the ladder of sameness, weakest first.

    `bytes` implies `rowOrder`, which implies the other three. `survivors` implies
    `strategies`. `objectives` neither implies nor follows from `survivors` or `strategies`.
    """

    OBJECTIVES = "objectives"
    """The multiset of objective vectors."""
    STRATEGIES = "strategies"
    """The set of LoopTrees with tile sizes left out."""
    SURVIVORS = "survivors"
    """The set of normalised LoopTrees."""
    ROW_ORDER = "rowOrder"
    """The sequence of normalised rows with their objectives."""
    BYTES = "bytes"
    """Columns, dtypes, float bits and exact LoopTrees, in order."""


LADDER: tuple[Rung, ...] = tuple(Rung)
"""All rungs, weakest first."""
