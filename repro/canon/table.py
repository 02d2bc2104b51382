"""A search's table, column by column, whatever it came as.

Owns reading a pandas frame or a list of rows into columns, and refusing what has no canonical
form. Leaves what the columns mean to `repro.canon.frame`.
"""

from __future__ import annotations

import numbers
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from repro.canon.cells import ABSENT, cell_text, float_text
from repro.errors import InfeasibleError, OpaqueValueError, OutcomeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import numpy as np

INDEX = "<index>"
"""Name of the column that a frame's row labels become, where they aren't just 0, 1, 2, ..."""

NAMED_INDEX = "<labels>"
"""The same where the labels are names, or have a name: then they are part of what a row is."""

_REAL = "iuf"
_ABSENT = object()


@dataclass(slots=True)
class Column:
    """One column of a table.

    Attributes:
        name: Its name.
        kind: The type of its cells, as the search's table has it.
        cells: Its cells, as Python values.
        numbers: The same as an array, where they are real numbers of one numpy type.
        texts: The cells' canonical texts, once they were asked for or where they are given
            from outside because the cells aren't to be read.
    """

    name: str
    kind: str
    cells: Sequence[Any]
    numbers: np.ndarray[Any, Any] | None = None
    texts: Sequence[str] | None = None

    def is_numeric(self) -> bool:
        """Whether every cell is a real number, and none a truth value."""
        return self.numbers is not None or all(map(_is_real, self.cells))

    def floats(self) -> np.ndarray[Any, Any]:
        """Return the cells as float64; whole numbers beyond 2**53 are rounded.

        Raises:
            OutcomeError: A cell isn't a real number.
        """
        import numpy as np

        if self.numbers is not None:
            return self.numbers.astype("<f8")
        values = np.empty(len(self.cells), dtype="<f8")
        for place, cell in enumerate(self.cells):
            try:
                values[place] = float(cell)
            except (TypeError, ValueError, OverflowError) as error:
                raise OutcomeError(
                    f"an objective must be a real number, and this cell is {cell!r:.40}",
                    where=f"column {self.name!r}, row {place}",
                    do="leave the column out of the objectives, or make its cells numbers",
                ) from error
        return values

    def written(self) -> Sequence[str]:
        """Return each cell's canonical text.

        Raises:
            OutcomeError: A cell has no canonical text.
        """
        if self.texts is None:
            if self.numbers is None:
                self.texts = [self._text(place, cell) for place, cell in enumerate(self.cells)]
            else:
                write = float_text if self.numbers.dtype.kind == "f" else str
                self.texts = [write(cell) for cell in self.cells]
        return self.texts

    def content(self) -> bytes:
        """Return what the column's cells count as on the `bytes` rung.

        Numbers count with their bits; other cells with their canonical texts and lengths.
        """
        if self.numbers is not None:
            order = self.numbers.dtype.newbyteorder("<")
            return self.numbers.astype(order).tobytes()
        texts = self.written()
        lengths = ",".join(map(str, map(len, texts)))
        return "\n".join([lengths, *texts]).encode("utf-8", "surrogatepass")

    def _text(self, place: int, cell: object) -> str:
        if cell is _ABSENT:
            return ABSENT
        try:
            return cell_text(cell)
        except (OpaqueValueError, RecursionError) as error:
            raise OutcomeError(
                f"a cell has no canonical form: {error}",
                where=f"column {self.name!r}, row {place}",
                do="leave the column out of the search's table, or put plain values into it",
            ) from error


@dataclass(frozen=True, slots=True)
class Table:
    """Columns of equal length, each name once."""

    columns: tuple[Column, ...]
    height: int

    def names(self) -> list[str]:
        """Return the columns' names, in order."""
        return [column.name for column in self.columns]

    def pick(self, names: Iterable[str], role: str) -> list[Column]:
        """Return the named columns.

        Raises:
            OutcomeError: There is no such column; `role` says what it was wanted for.
        """
        known = {column.name: column for column in self.columns}
        wanted = list(names)
        for name in wanted:
            if name not in known:
                raise OutcomeError(
                    f"the search's table has no column {name!r}, which is to be {role}",
                    where=f"columns: {', '.join(known)}"[:300],
                    do="name columns that the search returns",
                )
        return [known[name] for name in wanted]

    def rewritten(self, texts: Mapping[str, Sequence[str]]) -> Table:
        """Return the table with canonical texts given for some columns."""
        columns = (
            replace(column, texts=texts[column.name], numbers=None)
            if column.name in texts
            else column
            for column in self.columns
        )
        return Table(tuple(columns), self.height)


def table_of_frame(frame: Any) -> Table:  # noqa: ANN401 - pandas isn't imported here
    """Read a pandas DataFrame.

    Raises:
        InfeasibleError: It has no rows.
        OutcomeError: Two columns have the same name.
    """
    columns = [_frame_column(_label(name), series) for name, series in frame.items()]
    default = type(frame.index).__name__ == "RangeIndex" and (
        (frame.index.start, frame.index.step) == (0, 1)
    )
    if not default:
        # Labels that pandas numbered are leftovers; names, and what has a name, say something.
        plain = frame.index.nlevels == 1 and frame.index.name is None
        numbered = plain and getattr(frame.index.dtype, "kind", "O") in "iu"
        columns.append(_frame_column(INDEX if numbered else NAMED_INDEX, frame.index))
    return _table(columns, len(frame))


def table_of_rows(rows: Sequence[Mapping[str, Any]]) -> Table:
    """Read a list of rows, each a mapping from column names to cells.

    A key that only some rows have is a column whose other cells are absent.

    Raises:
        InfeasibleError: There are no rows.
        OutcomeError: A row isn't a mapping, or two of its keys read the same.
    """
    names: dict[Any, None] = {}
    for place, row in enumerate(rows):
        if not isinstance(row, dict):
            raise OutcomeError(
                f"a row of the search's result is a {type(row).__name__}, not a mapping",
                where=f"row {place}",
                do="return a pandas DataFrame, or a list of dicts from column names to cells",
            )
        names.update(dict.fromkeys(row))
    columns = [_rows_column(name, [row.get(name, _ABSENT) for row in rows]) for name in names]
    return _table(columns, len(rows))


def _table(columns: list[Column], height: int) -> Table:
    if height == 0:
        raise InfeasibleError(
            "the search ended without a single row: nothing was found that fits",
            do="loosen the constraints, or give the architecture more room",
        )
    counts = Counter(column.name for column in columns)
    twice = [name for name, count in counts.items() if count > 1]
    if twice:
        raise OutcomeError(
            f"the search's table has {counts[twice[0]]} columns named {twice[0]!r}",
            where=f"columns: {', '.join(counts)}"[:300],
            do="give every column a name of its own: rows can't be compared otherwise",
        )
    return Table(tuple(columns), height)


def _frame_column(name: str, series: Any) -> Column:  # noqa: ANN401
    import numpy as np
    import pandas as pd

    kind = series.dtype
    if isinstance(kind, np.dtype) and kind.kind in _REAL:
        values = series.to_numpy()
        return Column(name, str(kind), values.tolist(), numbers=values)
    cells = series.tolist()
    if isinstance(kind, pd.CategoricalDtype):
        labels = ", ".join(map(cell_text, kind.categories))
        return Column(name, f"category[{labels}; ordered={kind.ordered}]", cells)
    if getattr(kind, "kind", "O") in _REAL:
        # A masked number has no bits; it counts as not a number.
        cells = [float("nan") if cell is pd.NA else cell for cell in cells]
    return Column(name, str(kind), cells)


def _rows_column(label: Any, cells: list[Any]) -> Column:  # noqa: ANN401
    import numpy as np

    kinds = {"absent" if cell is _ABSENT else type(cell).__name__ for cell in cells}
    values = np.array(cells, dtype="<f8") if kinds == {"float"} else None
    return Column(_label(label), "|".join(sorted(kinds)), cells, numbers=values)


def _label(name: Any) -> str:  # noqa: ANN401
    return name if isinstance(name, str) else cell_text(name)


def _is_real(cell: object) -> bool:
    if isinstance(cell, bool):
        return False
    return isinstance(cell, numbers.Real) or bool(getattr(cell, "is_Number", False))
