"""Lists of ranked LoopTrees: what somebody is about to publish, and what may be published.

Owns both records, and the JSON form `repro.ranked/1` of the second. Their CSV form is
`repro.report.outcome_csv`, reading files is `repro.cli.drafts`.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - record.py reads annotations
from dataclasses import dataclass
from typing import Any, Self

from repro.errors import ResultError
from repro.model.findings import Bound  # noqa: TC001 - record.py reads annotations
from repro.model.ranking import OutcomesSeen, Standing  # noqa: TC001 - same
from repro.model.record import from_json, to_json
from repro.model.setting import ProbeRef  # noqa: TC001 - same

SCHEMA = "repro.ranked/1"


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """One row of a list that somebody is about to publish. It names its LoopTree somehow.

    Attributes:
        objectives: Objective values by full name, as far as the list has any.
        rank: The rank that the list gives it, or `None` if it leaves that to the values.
        survivor: Digest of its normalised form.
        text: Its canonical text.
    """

    objectives: Mapping[str, float]
    rank: int | None = None
    survivor: str | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A list that somebody is about to publish.

    Attributes:
        name: Where it comes from.
        kind: `outcome`, `ranking`, `csv` or `pickle`.
        rows: Its rows, in its own order.
        whole: Whether it has every objective, so that one it lacks is zero in every row.
    """

    name: str
    kind: str
    rows: tuple[DraftRow, ...]
    whole: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedRow:
    """One LoopTree at a rank of a list that may be published.

    Attributes:
        rank: Its rank; of ranks that are shared the first.
        standing: Whether that rank is settled.
        outcomes: In how many outcomes it stands there.
        survivor: Digest of its normalised form.
        objectives: Its objective values, by full name.
        text: Its canonical text.
    """

    rank: int
    standing: Standing
    outcomes: int
    survivor: str
    objectives: Mapping[str, float | str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedList:
    """A ranking that may be published: every rank with all LoopTrees that were seen there.

    Attributes:
        by: Full name of what it is ranked by; smaller is better.
        probe: The search.
        outcomes: How many outcomes it rests on.
        bound: What is known of orders that weren't tried, for each settled rank.
        fresh: How many LoopTrees one more order is expected to add; `None` if not known.
        rows: By rank; within one the serial outcome's own first, then by how often seen.
    """

    by: str
    probe: ProbeRef
    outcomes: OutcomesSeen
    bound: Bound | None
    fresh: float | None
    rows: tuple[RankedRow, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        body: dict[str, Any] = to_json(self)
        return {"schema": SCHEMA} | body

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read the JSON form.

        Raises:
            ResultError: It isn't one of this version, or a key or value is wrong.
        """
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ResultError(f"this isn't a list of schema {SCHEMA}", where="list.schema")
        return from_json(cls, {k: v for k, v in data.items() if k != "schema"}, "list")

    def draft(self, name: str) -> Draft:
        """Return it as a list that somebody is about to publish."""
        rows = tuple(
            DraftRow(
                objectives={key: float(value) for key, value in row.objectives.items()},
                rank=row.rank,
                survivor=row.survivor,
                text=row.text,
            )
            for row in self.rows
        )
        return Draft(name=name, kind="ranking", rows=rows, whole=True)
