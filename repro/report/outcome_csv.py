"""Outcomes and ranked lists as CSV, one row for each LoopTree, for spreadsheets and pandas.

Owns the columns, in both directions:

- `rank`: from 1; rows whose ranked values agree within 1e-6 share the first of their ranks;
- `row`: the row's place in the search's table, from 0 (of an outcome), or
- `standing`, `outcomes`: whether the rank is settled, and how many outcomes have the LoopTree
  there (of a list that may be published);
- one column for each objective, by its full name;
- `survivor`: digest of the normalised LoopTree;
- `text`: its canonical text, over several lines in one quoted cell.

Reading needs `survivor` or `text`, and `rank` or the objective that is ranked by. It ignores
columns that it doesn't know. Leaves files to `repro.cli`.
"""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

from repro.audit.places import ranked
from repro.audit.witness import survivor_text
from repro.errors import OutcomeError
from repro.model.ranked import Draft, DraftRow

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from repro.model.outcome import Outcome, Row
    from repro.model.ranked import RankedList

_RANK, _ROW, _STANDING, _OUTCOMES = "rank", "row", "standing", "outcomes"
_SURVIVOR, _TEXT = "survivor", "text"
_OWN = frozenset({_RANK, _ROW, _STANDING, _OUTCOMES, _SURVIVOR, _TEXT})
_AGAIN = "write it with `repro run PROBE --csv FILE` or `repro ranking PROBE --all-ties FILE`"


def to_csv(outcome: Outcome, *, by: str | None = None) -> str:
    """Return an outcome as CSV, in the order of its ranks.

    Args:
        outcome: The outcome.
        by: Full name of the objective that it is ranked by, smaller being better; by default
            its latency. Without either there is no column `rank`, and the search's own order.

    Raises:
        OutcomeError: An objective has the name of another column.
    """
    by = outcome.latency if by is None else by
    names = outcome.objectives
    _refuse_clash(names)
    order: list[tuple[list[int], Row]] = [([place], row) for place, row in enumerate(outcome.rows)]
    if by is not None:
        spots = ranked(outcome, by, sorted({by, *names}))
        order = [([spot.place.first, spot.index], spot.row) for spot in spots]
    return _write(
        [*([] if by is None else [_RANK]), _ROW, *names, _SURVIVOR, _TEXT],
        (
            [*place, *map(repr, row.objectives), row.survivor, survivor_text(outcome, row)]
            for place, row in order
        ),
    )


def ranked_csv(ranking: RankedList) -> str:
    """Return a list that may be published as CSV."""
    names = sorted({name for row in ranking.rows for name in row.objectives})
    _refuse_clash(names)
    return _write(
        [_RANK, _STANDING, _OUTCOMES, *names, _SURVIVOR, _TEXT],
        (
            [
                row.rank,
                row.standing.value,
                row.outcomes,
                *(repr(float(row.objectives[name])) for name in names),
                row.survivor,
                row.text,
            ]
            for row in ranking.rows
        ),
    )


def from_csv(text: str, name: str) -> Draft:
    """Read a list that somebody is about to publish.

    Args:
        text: The file's content.
        name: What to call it in messages.

    Raises:
        OutcomeError: It has no rows, a column is missing, or a cell can't be read.
    """
    try:
        lines = list(csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), strict=True))
    except csv.Error as error:
        raise OutcomeError(f"this isn't CSV: {error}", where=name, do=_AGAIN) from error
    head, *rows = [line for line in lines if line] or [[]]
    columns = [column.strip() for column in head]
    if not {_SURVIVOR, _TEXT} & set(columns):
        raise OutcomeError(
            "a list needs a column `survivor` or a column `text`, to say which LoopTree a row is",
            where=f"{name}, columns: {', '.join(columns)}"[:300],
            do=_AGAIN,
        )
    if len(set(columns)) != len(columns):
        raise OutcomeError("a column's name occurs twice", where=name, do="rename one of them")
    if not rows:
        raise OutcomeError("the list has no rows", where=name, do=_AGAIN)
    return Draft(
        name=name,
        kind="csv",
        rows=tuple(
            _row(columns, row, f"{name}, row {place}") for place, row in enumerate(rows, start=1)
        ),
    )


def _row(columns: Sequence[str], cells: Sequence[str], where: str) -> DraftRow:
    if len(cells) != len(columns):
        what = f"it has {len(cells)} cells, the head has {len(columns)}"
        raise OutcomeError(what, where=where, do="quote cells that hold commas or line breaks")
    found = dict(zip(columns, cells, strict=True))
    return DraftRow(
        objectives=_objectives(found),
        rank=_rank(found.get(_RANK, ""), where),
        survivor=found.get(_SURVIVOR, "").strip().lower() or None,
        text=found.get(_TEXT, "") or None,
    )


def _rank(cell: str, where: str) -> int | None:
    if not cell.strip():
        return None
    try:
        rank = float(cell)
    except ValueError:
        rank = 0.0
    if rank < 1 or not rank.is_integer():
        raise OutcomeError(
            f"{cell!r:.60} is no rank", where=where, do="ranks are whole numbers from 1"
        )
    return int(rank)


def _objectives(cells: Mapping[str, str]) -> dict[str, float]:
    """Return the cells that are numbers, of columns that aren't a list's own."""
    found: dict[str, float] = {}
    for column, cell in cells.items():
        if column in _OWN:
            continue
        try:
            found[column] = float(cell)
        except ValueError:
            continue
    return found


def _refuse_clash(names: Iterable[str]) -> None:
    clash = next((name for name in names if name in _OWN), None)
    if clash is not None:
        raise OutcomeError(
            f"an objective is called {clash!r}, which is the name of another column of the CSV",
            where=f"objective {clash}",
            do="rename it in the search, or write JSON",
        )


def _write(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    file = io.StringIO(newline="")
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(head)
    writer.writerows(rows)
    return file.getvalue()
