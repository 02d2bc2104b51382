"""The result of `repro check`: one record that mirrors the published JSON key by key.

Owns `CheckResult`, its verdict, and reading and writing its JSON form, whose schema is
`docs/schema/check.schema.json`. The parts are in `repro.model.setting` (what was checked,
where), `repro.model.evidence` (what was tried) and `repro.model.findings` (what was found).
Leaves judging to `repro.audit` and words to `repro.report`: the record holds codes and facts,
never sentences.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - record.py reads annotations
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Self

from repro.errors import ResultError
from repro.model.delivery import Delivery
from repro.model.evidence import (
    Axes,
    DeliveryResult,
    EnvironmentAxis,
    ExecutionOrderAxis,
    Holds,
    LatencyGroups,
    Reference,
    WorkersAxis,
)
from repro.model.findings import (
    Bound,
    Cause,
    CauseKind,
    Diversity,
    SiteResult,
    TopLatency,
    Witness,
)
from repro.model.record import Json, from_json, to_json
from repro.model.rung import Rung  # noqa: TC001 - record.py reads annotations
from repro.model.setting import Environment, ProbeRef, Timings

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "SCHEMA",
    "Axes",
    "Bound",
    "Cause",
    "CauseKind",
    "CheckResult",
    "DeliveryResult",
    "Diversity",
    "Environment",
    "EnvironmentAxis",
    "ExecutionOrderAxis",
    "Holds",
    "LatencyGroups",
    "ProbeRef",
    "Reason",
    "Reference",
    "SiteResult",
    "Timings",
    "TopLatency",
    "Verdict",
    "Witness",
    "WorkersAxis",
]

SCHEMA = "repro.check/1"


class Verdict(StrEnum):
    """What a check concludes. It knows what it is: callers never compare its text."""

    REPRODUCIBLE = "reproducible"
    NONDETERMINISTIC = "nondeterministic"
    INCONCLUSIVE = "inconclusive"

    @property
    def holds(self) -> bool:
        """Whether the search gave the required rung in everything that was tried."""
        return self is Verdict.REPRODUCIBLE

    @property
    def conclusive(self) -> bool:
        """Whether the check could decide at all."""
        return self is not Verdict.INCONCLUSIVE

    @property
    def exit_code(self) -> int:
        """The exit code of `repro check`."""
        return {Verdict.REPRODUCIBLE: 0, Verdict.NONDETERMINISTIC: 1}.get(self, 5)


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a check can't conclude, or a note on how it was made: a code and its facts."""

    code: str
    facts: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckResult:
    """The result of one check. Field by field the JSON of `docs/schema/check.schema.json`."""

    verdict: Verdict
    require: Rung
    reasons: tuple[Reason, ...]
    probe: ProbeRef
    reference: Reference | None
    deliveries: Mapping[Delivery, DeliveryResult]
    axes: Axes
    sites: tuple[SiteResult, ...]
    causes: tuple[Cause, ...]
    witnesses: tuple[Witness, ...]
    diversity: Diversity | None
    bound: Bound | None
    environment: Environment
    timings: Timings
    latency_groups: LatencyGroups | None

    @property
    def holds(self) -> bool:
        """Whether the claim holds: nothing tried changed the required rung."""
        return self.verdict.holds

    @property
    def conclusive(self) -> bool:
        """Whether the check could decide at all."""
        return self.verdict.conclusive

    @property
    def exit_code(self) -> int:
        """The exit code of `repro check`."""
        return self.verdict.exit_code

    @property
    def as_shipped(self) -> bool:
        """Whether all four deliveries were judged, so that the search as shipped was."""
        return set(self.deliveries) == set(Delivery)

    @property
    def objectives_hold(self) -> bool | None:
        """Whether the objective values were the same in every judged outcome."""
        return _conjunction(found.holds.objectives for found in self.deliveries.values())

    @property
    def latency_groups_hold(self) -> bool | None:
        """Whether the latency groups were the same in every judged outcome."""
        return _conjunction(found.latency_groups for found in self.deliveries.values())

    def holds_in(self, delivery: Delivery) -> bool | None:
        """Say whether a delivery keeps the required rung; `None` if it can't be said."""
        found = self.deliveries.get(delivery)
        return None if found is None or found.failed else found.holds.on(self.require)

    def witness_of(self, cause: Cause) -> Witness | None:
        """Return the smallest reordering that shows a cause, if one was found."""
        return None if cause.witness is None else self.witnesses[cause.witness]

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        body: dict[str, Any] = to_json(self)
        head = {"schema": SCHEMA, "verdict": body.pop("verdict"), "exitCode": self.exit_code}
        return head | body

    @classmethod
    def from_dict(cls, data: object) -> Self:
        """Read the JSON form.

        Raises:
            ResultError: It isn't one of this version, a key is unknown or missing, a value is
                of the wrong type, or values contradict each other.
        """
        if not isinstance(data, dict) or "schema" not in data:
            raise ResultError(
                "this isn't the result of a check: it has no key 'schema'", where="result.schema"
            )
        if data["schema"] != SCHEMA:
            raise ResultError(
                f"the result is of version {data['schema']!r:.60}, this tool reads {SCHEMA!r}",
                where="result.schema",
                do="read it with the version of repro that wrote it",
            )
        if "exitCode" not in data:
            raise ResultError("missing key 'exitCode'", where="result.exitCode")
        body = {key: value for key, value in data.items() if key not in {"schema", "exitCode"}}
        result = from_json(cls, body)
        _refuse_contradictions(result, data["exitCode"])
        return result


def _conjunction(values: Iterable[bool | None]) -> bool | None:
    known = [value for value in values if value is not None]
    return all(known) if known else None


def _refuse_contradictions(result: CheckResult, exit_code: object) -> None:
    verdict = result.verdict
    if exit_code != verdict.exit_code:
        what = f"exit code {exit_code!r:.60} doesn't go with the verdict {verdict.value!r}"
        raise ResultError(what, where="result.exitCode")
    for index, cause in enumerate(result.causes):
        if cause.witness is not None and not 0 <= cause.witness < len(result.witnesses):
            what = f"there is no witness {cause.witness}, there are {len(result.witnesses)}"
            raise ResultError(what, where=f"result.causes[{index}].witness")
