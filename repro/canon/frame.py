"""From a search's table to its outcome.

Owns which columns are objectives, what a row stands for, and the rule that an objective that
is zero in every row is as good as absent. Leaves reading tables to `repro.canon.table`, what
AccelForge's columns mean to `repro.canon.ffm`, and the digests to `repro.canon.rungs`.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from repro.canon.cells import unsigned
from repro.canon.digest import digest_text
from repro.canon.looptree import exact, normalised, strategy
from repro.canon.rungs import row_digests, table_digest
from repro.canon.table import INDEX, table_of_frame, table_of_rows
from repro.errors import OutcomeError
from repro.model.identities import FlatIdentity
from repro.model.outcome import Outcome, Row
from repro.model.rung import Rung

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from repro.canon.table import Column, Table
    from repro.model.identities import Identity
    from repro.model.looptree import LoopTree

type _Forms = list[tuple[str, str, str]]
"""Exact, survivor and strategy digest of each row."""


def outcome_from_frame(  # noqa: PLR0913 - what a search may say about its table, by name
    frame: Any,  # noqa: ANN401 - a pandas DataFrame; pandas isn't imported here
    *,
    objectives: Sequence[str] | None = None,
    identity: Sequence[str] | None = None,
    latency: str | None = None,
    trees: Sequence[LoopTree] | None = None,
    texts: Mapping[str, Sequence[str]] | None = None,
) -> Outcome:
    """Return the outcome of a search that returned a pandas DataFrame.

    Args:
        frame: The search's table, one row for each result.
        objectives: The columns that are its objectives; by default every numeric one.
        identity: The columns that say what a row stands for; by default all of them.
        latency: The objective that latency groups are made of.
        trees: The LoopTree that each row stands for. Takes the place of `identity`.
        texts: Canonical texts of columns whose cells have none of their own.

    Raises:
        InfeasibleError: The table has no rows.
        OutcomeError: A named column is missing, a name occurs twice, an objective isn't a
            number, or a cell has no canonical form.
    """
    table = table_of_frame(frame)
    return _outcome(table.rewritten(texts or {}), objectives, identity, latency, trees)


def outcome_from_rows(
    rows: Sequence[Mapping[str, Any]],
    *,
    objectives: Sequence[str] | None = None,
    identity: Sequence[str] | None = None,
    latency: str | None = None,
    trees: Sequence[LoopTree] | None = None,
) -> Outcome:
    """Return the outcome of a search that returned a list of dicts.

    Arguments and errors are those of `outcome_from_frame`.
    """
    return _outcome(table_of_rows(rows), objectives, identity, latency, trees)


def _outcome(
    table: Table,
    objectives: Sequence[str] | None,
    identity: Sequence[str] | None,
    latency: str | None,
    trees: Sequence[LoopTree] | None,
) -> Outcome:
    names, vectors = _objectives(table, objectives, latency)
    forms, identities = _tree_forms(trees) if trees else _flat_forms(_identity(table, identity))
    if len(forms) != table.height:
        raise OutcomeError(
            f"there are {len(forms)} LoopTrees for {table.height} rows",
            do="give one LoopTree for each row of the search's table",
        )
    rows = tuple(Row(vector, *form) for vector, form in zip(vectors, forms, strict=True))
    return Outcome(
        objectives=names,
        rows=rows,
        identities=identities,
        columns=tuple((column.name, column.kind) for column in table.columns),
        digests={**row_digests(names, rows), Rung.BYTES: table_digest(table, names, rows)},
        latency=latency,
    )


def _objectives(
    table: Table, names: Sequence[str] | None, latency: str | None
) -> tuple[tuple[str, ...], list[tuple[float, ...]]]:
    """Return the objectives' sorted names and each row's values of them."""
    import numpy as np

    if names is None:
        columns = [c for c in table.columns if c.is_numeric() and c.name != INDEX]
    else:
        columns = table.pick(dict.fromkeys(names), "an objective")
    if latency is not None and latency not in {column.name for column in columns}:
        columns += table.pick([latency], "the latency")
    values = {column.name: column.floats() for column in columns}
    # NaN compares unequal to zero, so a column of NaNs stays.
    kept = tuple(name for name in sorted(values) if bool(np.any(values[name] != 0)))
    if not kept:
        return (), [()] * table.height
    # Adding zero turns -0.0 into 0.0.
    vectors = np.column_stack([values[name] for name in kept]) + 0.0
    return kept, list(map(tuple, vectors.tolist()))


def _identity(table: Table, names: Sequence[str] | None) -> list[Column]:
    if names is None:
        return [column for column in table.columns if column.name != INDEX]
    return table.pick(dict.fromkeys(names), "part of a row's identity")


def _flat_forms(columns: Sequence[Column]) -> tuple[_Forms, dict[str, Identity]]:
    """Return the forms of rows that stand for their cells.

    Columns are digested in the order of their names, for column order isn't part of what a
    row says. Exact and normalised forms differ in negative zeros only.
    """
    if not columns:
        raise OutcomeError(
            "the search's table has no column that says what a row stands for",
            do="name at least one identity column",
        )
    ordered = sorted(columns, key=lambda column: column.name)
    names = [column.name for column in ordered]
    head = json.dumps(names)
    texts = [column.written() for column in ordered]
    forms: _Forms = []
    identities: dict[str, Identity] = {}
    for cells in zip(*texts, strict=True):
        row_exact = row_survivor = _flat_digest(head, cells)
        if "-0" in cells:
            row_survivor = _flat_digest(head, map(unsigned, cells))
        forms.append((row_exact, row_survivor, row_survivor))
        if row_exact not in identities:
            identities[row_exact] = FlatIdentity(tuple(zip(names, cells, strict=True)))
    return forms, identities


def _flat_digest(head: str, cells: Iterable[str]) -> str:
    # A cell's text is one line, and so is JSON: the parts can't run into each other.
    return digest_text("\n".join((head, *cells)))


def _tree_forms(trees: Sequence[LoopTree]) -> tuple[_Forms, dict[str, Identity]]:
    known: dict[LoopTree, tuple[str, str, str]] = {}
    for tree in trees:
        if tree not in known:
            known[tree] = (
                digest_text(exact(tree)),
                digest_text(normalised(tree)),
                digest_text(strategy(tree)),
            )
    return [known[tree] for tree in trees], {form[0]: tree for tree, form in known.items()}
