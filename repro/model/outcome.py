"""The record of one search's outcome: its Pareto rows and what they stand for.

Owns the records and their JSON form `repro.outcome/1` (docs/schema/outcome.schema.json).
How rows come out of a search's table is in `repro.canon.frame`, how the digests are made in
`repro.canon.rungs`, how two outcomes are compared in `repro.audit.compare`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from repro.errors import OutcomeError
from repro.model.identities import decode, encode
from repro.model.rung import Rung

if TYPE_CHECKING:
    from collections.abc import Mapping

    from repro.model.identities import Identity

SCHEMA = "repro.outcome/1"


@dataclass(frozen=True, slots=True)
class Row:
    """One row of an outcome.

    Attributes:
        objectives: Values in the order of `Outcome.objectives`.
        exact: Digest (xxh3-128, hex) of the exact form of what the row stands for.
        survivor: Digest of its normalised form.
        strategy: Digest of its normalised form without tile sizes.
    """

    objectives: tuple[float, ...]
    exact: str
    survivor: str
    strategy: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one run of a search returned, in canonical form and in the order it came in.

    Attributes:
        objectives: Names of the objectives, sorted. One that is zero in every row is left
            out, so that it equals one that the search didn't report.
        rows: The rows, in the order of the search's table.
        identities: Exact digest -> the LoopTree or the cells that it stands for.
        columns: Name and type of every column of the search's table, in order.
        digests: One digest for each rung of the ladder.
        latency: The objective that latency groups are made of, if the search has one.
    """

    objectives: tuple[str, ...]
    rows: tuple[Row, ...]
    identities: Mapping[str, Identity]
    columns: tuple[tuple[str, str], ...]
    digests: Mapping[Rung, str]
    latency: str | None = None

    def latencies(self) -> list[float]:
        """Return each row's latency, in row order; empty for a search without one.

        A latency that is zero in every row isn't among the objectives and reads as zeros.
        """
        if self.latency is None:
            return []
        if self.latency not in self.objectives:
            return [0.0] * len(self.rows)
        place = self.objectives.index(self.latency)
        return [row.objectives[place] for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON values.

        Objectives that aren't finite become the texts `inf`, `-inf` and `nan`.
        """
        digests = {row.exact: row for row in self.rows}
        index = {exact: place for place, exact in enumerate(digests)}
        return {
            "schema": SCHEMA,
            "objectives": list(self.objectives),
            "latency": self.latency,
            "columns": [{"name": name, "type": kind} for name, kind in self.columns],
            "digests": {rung.value: self.digests[rung] for rung in Rung},
            **encode(self.identities, digests),
            "rows": [
                {"objectives": _written(row.objectives), "identity": index[row.exact]}
                for row in self.rows
            ],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote. Identities are decoded when they are looked at.

        Raises:
            OutcomeError: It isn't an outcome, or one of a schema unknown here.
        """
        schema = data.get("schema") if isinstance(data, dict) else None
        if schema != SCHEMA:
            raise OutcomeError(
                f"this is not an outcome of schema {SCHEMA}",
                where=f"schema: {schema!r}",
                do="give a file that `repro run` wrote",
            )
        try:
            return cls._read(data)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            raise OutcomeError(
                "this outcome is damaged: a part is missing or of the wrong kind",
                where=f"{type(error).__name__}: {error}",
                do="write it again with `repro run`",
            ) from error

    @classmethod
    def _read(cls, data: Mapping[str, Any]) -> Self:
        forms, identities = decode(data)
        objectives = tuple(data["objectives"])
        rows = tuple(
            Row(_read_floats(row["objectives"], len(objectives)), *forms[row["identity"]])
            for row in data["rows"]
        )
        return cls(
            objectives=objectives,
            rows=rows,
            identities=identities,
            columns=tuple((column["name"], column["type"]) for column in data["columns"]),
            digests={rung: data["digests"][rung.value] for rung in Rung},
            latency=data["latency"],
        )


def _written(values: tuple[float, ...]) -> list[float | str]:
    return [value if math.isfinite(value) else str(value) for value in values]


def _read_floats(values: list[float | str], width: int) -> tuple[float, ...]:
    if len(values) != width:
        raise ValueError(f"a row has {len(values)} objectives, not {width}")
    return tuple(map(float, values))
