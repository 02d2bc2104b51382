"""What a ranking is worth: every rank with the LoopTrees that were seen at it.

Owns the records and their JSON form, whose schema is `docs/schema/ranking.schema.json`. How
ranks are judged, and what *settled* and *drawn* mean, is in `repro.audit.ranking`; how a list
that somebody is about to publish is held to them in `repro.audit.presented`; words are made
in `repro.report.ranking`.

Wherever the records say LoopTree, a search that isn't about LoopTrees has its own rows.
"""

from __future__ import annotations

import math
from collections.abc import Mapping  # noqa: TC003 - record.py reads annotations
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from repro.errors import ResultError
from repro.model.findings import Bound  # noqa: TC001 - record.py reads annotations
from repro.model.presented import PresentedList  # noqa: TC001 - same
from repro.model.record import from_json, to_json
from repro.model.result import Reason  # noqa: TC001 - record.py reads annotations
from repro.model.setting import Environment, ProbeRef  # noqa: TC001 - same

SCHEMA = "repro.ranking/1"


def number(value: float) -> float | str:
    """Return a value as JSON can hold it: `inf`, `-inf` and `nan` as texts."""
    return value if math.isfinite(value) else str(value)


class RankingVerdict(StrEnum):
    """What is concluded of a whole ranking. It knows what it is: callers compare no text."""

    SETTLED = "settled"
    DRAWN = "drawn"
    INCONCLUSIVE = "inconclusive"

    @property
    def holds(self) -> bool:
        """Whether the ranking may be published as it stands."""
        return self is RankingVerdict.SETTLED

    @property
    def exit_code(self) -> int:
        """The exit code of `repro ranking`."""
        return {RankingVerdict.SETTLED: 0, RankingVerdict.DRAWN: 1}.get(self, 5)


class Standing(StrEnum):
    """What was seen of one rank."""

    SETTLED = "settled"
    """In every outcome one and the same LoopTree, and no other, stands at it."""
    DRAWN = "drawn"
    """More than one LoopTree was seen at it, or its LoopTree was seen elsewhere."""


class Doubt(StrEnum):
    """Why a rank is drawn; there can be several reasons."""

    COMPETED = "competed"
    """Other LoopTrees were seen with the same objective values, all of them."""
    SHARED = "shared"
    """Within one outcome, a LoopTree with other objective values shares the ranked one."""
    MOVED = "moved"
    """In some outcomes other values stand at this rank."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Contender:
    """One LoopTree that was seen at a rank.

    Attributes:
        survivor: Digest of its normalised form.
        outcomes: In how many outcomes it was seen there.
        sampled: In how many of those of independently drawn orders.
        model_equal: Whether all its objective values are those of the rank's LoopTree.
        objectives: Its objective values.
        text: Its canonical text.
    """

    survivor: str
    outcomes: int
    sampled: int
    model_equal: bool
    objectives: Mapping[str, float | str]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """One rank of the serial ranking.

    Attributes:
        rank: Which, from 1.
        first: First rank of those that tie with it in the serial outcome.
        last: Last rank of those.
        standing: Whether it is settled.
        doubts: Why it isn't.
        value: What it is ranked by, in the search's own unit.
        survivor: Digest of the LoopTree that the serial outcome has there.
        held: In how many outcomes that LoopTree stands there.
        held_sampled: In how many of those of independently drawn orders.
        competing: How many model-equal LoopTrees were seen over all outcomes, its own included.
        seen: How many LoopTrees were seen at this rank, model-equal or not.
        contenders: Them, the serial one first, then by how often they were seen; may be capped.
    """

    rank: int
    first: int
    last: int
    standing: Standing
    doubts: tuple[Doubt, ...]
    value: float | str
    survivor: str
    held: int
    held_sampled: int
    competing: int
    seen: int
    contenders: tuple[Contender, ...]

    @property
    def settled(self) -> bool:
        """Whether it is settled."""
        return self.standing is Standing.SETTLED


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomesSeen:
    """How many outcomes a ranking was judged by.

    Attributes:
        serial: Of serial runs.
        injected: Of injected orders, submission order among them, and of a run whose jobs ran
            last to first.
        sampled: How many of the injected ones are whole-run orders, drawn independently.
    """

    serial: int
    injected: int
    sampled: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.serial + self.injected


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsClaim:
    """Groups of rows whose ranked values agree within 1e-6: a claim of their own.

    Attributes:
        groups: How many groups the serial outcome has.
        rows: How many rows.
        holds: Whether all outcomes have the same groups, whoever is in them.
        differing: How many outcomes have others.
        top_holds: The same of the groups that reach into the judged ranks alone.
        top_differing: How many outcomes have others there.
    """

    groups: int
    rows: int
    holds: bool
    differing: int
    top_holds: bool
    top_differing: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TiesSeen:
    """How many LoopTrees were seen at the judged ranks, and an estimate of all there are.

    Attributes:
        seen: Over all outcomes.
        estimated: Estimate of how many there are; `None` with too few sampled orders.
        low: Lower end of its 95% interval.
        high: Upper end of its 95% interval.
        fresh: How many LoopTrees one more order is expected to add (Good, 1953).
    """

    seen: int
    estimated: int | None = None
    low: int | None = None
    high: int | None = None
    fresh: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingResult:
    """What a ranking is worth. Field by field the JSON of `docs/schema/ranking.schema.json`."""

    verdict: RankingVerdict
    reasons: tuple[Reason, ...]
    probe: ProbeRef
    by: str
    asked: int
    rows: int
    outcomes: OutcomesSeen
    ranks: tuple[Rank, ...]
    groups: GroupsClaim
    ties: TiesSeen
    bound: Bound | None
    presented: PresentedList | None
    environment: Environment
    total_seconds: float

    @property
    def settled(self) -> int:
        """How many of the judged ranks are settled."""
        return sum(rank.settled for rank in self.ranks)

    @property
    def drawn(self) -> int:
        """How many are drawn."""
        return len(self.ranks) - self.settled

    @property
    def exit_code(self) -> int:
        """The exit code of `repro ranking`."""
        return self.verdict.exit_code

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        body: dict[str, Any] = to_json(self)
        head = {"schema": SCHEMA, "verdict": body.pop("verdict"), "exitCode": self.exit_code}
        return head | {"settled": self.settled, "drawn": self.drawn} | body

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read the JSON form.

        Raises:
            ResultError: It isn't one of this version, or a key or value is wrong.
        """
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            raise ResultError(
                f"this isn't the result of a ranking of schema {SCHEMA}", where="result.schema"
            )
        derived = {"schema", "exitCode", "settled", "drawn"}
        result = from_json(cls, {k: v for k, v in data.items() if k not in derived})
        for key, own in (
            ("exitCode", result.exit_code),
            ("settled", result.settled),
            ("drawn", result.drawn),
        ):
            if data.get(key) != own:
                what = f"{key} is {data.get(key)!r:.60}, which doesn't go with the rest: {own}"
                raise ResultError(what, where=f"result.{key}")
        return result
