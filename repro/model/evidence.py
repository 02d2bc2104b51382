"""What a check tried and what held: deliveries, axes, and the reference they were held to.

Owns the records of the evidence in a check's result. Leaves what follows from it, causes and
extent, to `repro.model.findings`, and the result as a whole to `repro.model.result`.
"""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - record.py reads annotations
from dataclasses import dataclass

from repro.model.delivery import Delivery  # noqa: TC001 - record.py reads annotations
from repro.model.record import optional
from repro.model.rung import LADDER, Rung

_FIELDS = {
    Rung.OBJECTIVES: "objectives",
    Rung.STRATEGIES: "strategies",
    Rung.SURVIVORS: "survivors",
    Rung.ROW_ORDER: "row_order",
    Rung.BYTES: "bytes",
}


@dataclass(frozen=True, slots=True)
class Holds:
    """On which rungs of the ladder some outcomes are all equal; `None` is not judged."""

    objectives: bool | None = None
    strategies: bool | None = None
    survivors: bool | None = None
    row_order: bool | None = None
    bytes: bool | None = None

    @classmethod
    def of(cls, rungs: Mapping[Rung, bool | None]) -> Holds:
        """Build it from a mapping; rungs that it lacks are not judged."""
        return cls(*(rungs.get(rung) for rung in LADDER))

    @classmethod
    def everywhere(cls) -> Holds:
        """Return the one that holds on every rung."""
        return cls.of(dict.fromkeys(LADDER, True))

    def on(self, rung: Rung) -> bool | None:
        """Say whether the outcomes are equal on one rung."""
        value: bool | None = getattr(self, _FIELDS[rung])
        return value

    @property
    def broken(self) -> tuple[Rung, ...]:
        """The rungs that don't hold, weakest first."""
        return tuple(rung for rung in LADDER if self.on(rung) is False)

    @property
    def kept(self) -> tuple[Rung, ...]:
        """The rungs that hold, weakest first."""
        return tuple(rung for rung in LADDER if self.on(rung))

    @property
    def all_hold(self) -> bool:
        """Whether every rung was judged and holds."""
        return len(self.kept) == len(LADDER)

    @property
    def judged(self) -> bool:
        """Whether any rung was judged at all."""
        return any(self.on(rung) is not None for rung in LADDER)


@dataclass(frozen=True, slots=True)
class Reference:
    """The outcome that all others are held to."""

    delivery: Delivery
    runs: int
    rows: int
    digests: Mapping[Rung, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class DeliveryResult:
    """The runs of one delivery: whether they equal each other and serial.

    Attributes:
        runs: Runs that ended with an outcome; for injected orders those delivered whole.
        holds: Rungs on which all outcomes equal each other and serial.
        latency_groups: Whether the latency groups are the same; `None` where not judged.
        failed: Runs that crashed, hung, or left no outcome.
        seconds: Wall time of each run.
        cores: Processes that native runs used.
        orders_tried: Injected orders whose outcomes are known.
        differing: How many of these differ from serial on the required rung.
        distinct_outcomes: Different outcomes among them, by the required rung.
    """

    runs: int
    holds: Holds
    latency_groups: bool | None = None
    failed: int = 0
    seconds: tuple[float, ...] = ()
    cores: int | None = optional()
    orders_tried: int | None = optional()
    differing: int | None = optional()
    distinct_outcomes: int | None = optional()

    @property
    def agrees(self) -> bool:
        """Whether there are outcomes and nothing at all differs."""
        return self.runs > 0 and self.holds.all_hold


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionOrderAxis:
    """Jobs run in several orders, to test that they are pure.

    Attributes:
        tried: Names of the execution orders.
        sites: Sites whose jobs were compared.
        jobs: Jobs that were compared.
        holds: Whether each job gave the same result every time; `None` where not judged.
        opaque: Labels of jobs whose results can't be compared.
    """

    tried: tuple[str, ...]
    sites: int
    jobs: int
    holds: bool | None
    opaque: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkersAxis:
    """Logical worker counts, by what each holds against the probe's own count."""

    tried: tuple[int, ...]
    holds: Mapping[int, Holds]


@dataclass(frozen=True, slots=True)
class EnvironmentAxis:
    """Environments of the serial runs, and what held across them."""

    tried: tuple[Mapping[str, str | int | None], ...]
    holds: Holds

    @property
    def varied(self) -> tuple[str, ...]:
        """Names of the settings that weren't the same in all runs, in order of appearance."""
        names = dict.fromkeys(name for setting in self.tried for name in setting)
        return tuple(
            name for name in names if len({setting.get(name) for setting in self.tried}) > 1
        )


@dataclass(frozen=True, slots=True)
class Axes:
    """What was varied besides delivery; `None` where it wasn't."""

    execution_order: ExecutionOrderAxis | None = None
    workers: WorkersAxis | None = None
    environment: EnvironmentAxis | None = None


@dataclass(frozen=True, slots=True)
class LatencyGroups:
    """Latency groups of the reference outcome: rows whose latencies agree within 1e-6."""

    groups: int
    rows: int
    column: str
