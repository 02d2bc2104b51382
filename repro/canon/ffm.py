"""What the columns of AccelForge's FFM table mean.

Owns which of them are objectives, which one a row stands for, and how the mappings in it are
written. Knows the columns by their names only. Leaves the walk of a mapping to
`repro.canon.mapping` and everything about tables to `repro.canon.frame`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from repro.canon.frame import outcome_from_frame
from repro.canon.looptree import exact, from_cells, from_mapping
from repro.errors import InfeasibleError, OutcomeError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repro.model.outcome import Outcome

SEPARATOR = "<SEP>"
TOTAL_MAPPING = f"Total{SEPARATOR}mapping"
LATENCY = f"Total{SEPARATOR}latency"

_MAPPING = f"{SEPARATOR}mapping"
_OBJECTIVES = (f"Total{SEPARATOR}", f"reservation{SEPARATOR}")


def outcome_from_mappings(frame: Any) -> Outcome:  # noqa: ANN401 - a pandas DataFrame
    """Return the outcome of an FFM search, from the `data` of its `Mappings`.

    Objectives are the `Total<SEP>` columns except the mapping, and the `reservation<SEP>`
    columns, where one that is absent means zero. A row stands for the LoopTree that its
    `Total<SEP>mapping` cell makes.

    Raises:
        InfeasibleError: The search returned no mapping.
        OutcomeError: The table isn't an FFM table, or holds something unknown here.
    """
    if len(frame) == 0:
        raise InfeasibleError(
            "the search returned no mapping: its mapspace is empty or over-constrained",
            do="loosen the constraints, or give the architecture's memories more room",
        )
    names = [str(name) for name in frame.columns]
    if TOTAL_MAPPING not in names:
        raise OutcomeError(
            f"an FFM search's table must have a column {TOTAL_MAPPING!r}",
            where=f"columns: {', '.join(names)}"[:300],
            do="pass the rows that `join_pmappings` returned, with their mappings",
        )
    trees = from_cells(frame[TOTAL_MAPPING])
    objectives = [
        name for name in names if name.startswith(_OBJECTIVES) and not name.endswith(_MAPPING)
    ]
    texts: dict[str, Sequence[str]] = {TOTAL_MAPPING: [exact(tree) for tree in trees]}
    # An Einsum's pmapping with the row's strides makes its part of the whole tree, but joining
    # parts forgets whose storage node it was; so on the `bytes` rung they count themselves.
    for name in names:
        if name.endswith(_MAPPING) and name != TOTAL_MAPPING:
            texts[name] = _pmapping_texts(frame[name])
    return outcome_from_frame(
        frame,
        objectives=objectives,
        latency=LATENCY if LATENCY in names else None,
        trees=trees,
        texts=texts,
    )


def _pmapping_texts(cells: Sequence[Any]) -> list[str]:
    """Return the exact text of each pmapping; many rows share one."""
    texts: dict[int, tuple[Any, str]] = {}
    written = []
    for cell in cells:
        # The pmapping is kept with its text: its id can't be given to another meanwhile.
        if id(cell) not in texts:
            texts[id(cell)] = (cell, exact(from_mapping(cell)))
        written.append(texts[id(cell)][1])
    return written
