"""One run of a search in a process of its own: what was asked, and what came of it.

Owns the records that travel between the audit and the engine, and between the engine's two
processes. Leaves running to `repro.engine`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from repro.model.delivery import Delivery, Injection
from repro.model.outcome import Outcome
from repro.model.trace import Call, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping


class Mode(StrEnum):
    """How a fresh process treats the search's joblib calls."""

    PLAIN = "plain"
    """Leave them to joblib, in the delivery that is asked for."""
    SERVED = "served"
    """Run the jobs in this process; so many logical workers cost no processes."""
    STAGE = "stage"
    """Serve them, and park a snapshot at every call whose order could matter."""


class Ending(StrEnum):
    """How a run ended."""

    OUTCOME = "outcome"
    FAILED = "failed"
    """The search raised; the message is its own."""
    INFEASIBLE = "infeasible"
    """The search found that there is no mapping at all."""
    INPUT = "input"
    """The search's inputs, or the rows that it returned, can't be used as they stand."""
    CONTROL = "control"
    """The joblib boundary, or the search behind it, isn't what control relies on."""
    CRASHED = "crashed"
    """The process was ended by a signal or with a non-zero status, and left no word."""
    TIMED_OUT = "timedOut"
    SILENT = "silent"
    """The process ended with status 0 and left no outcome."""
    DISK_FULL = "diskFull"


@dataclass(frozen=True, slots=True)
class Variation:
    """What is varied in a run's environment while its inputs stay the same.

    Attributes:
        hash_seed: `PYTHONHASHSEED`; 0 would switch randomisation off.
        time_zone: `TZ`, or `None` for the user's own.
        locale: `LC_ALL`, or `None` for the user's own.
        threads: Value of the usual thread-count variables (`OMP_NUM_THREADS`, …), or `None`.
        folder: Number of the folder that holds the run's working and temporary folders, so
            that a run can be repeated in the same place; `None` takes a new one.
    """

    hash_seed: int
    time_zone: str | None = None
    locale: str | None = None
    threads: int | None = None
    folder: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form; what wasn't varied is left out."""
        pairs = {
            "hashSeed": self.hash_seed,
            "timeZone": self.time_zone,
            "locale": self.locale,
            "threads": self.threads,
            "folder": self.folder,
        }
        return {key: value for key, value in pairs.items() if value is not None}


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run that is asked for.

    Attributes:
        search: JSON form of the search (`SearchSource.describe`).
        mode: How joblib calls are treated.
        delivery: Which delivery the run stands for.
        workers: Logical worker count; `None` is the search's own as shipped.
        processes: Physical workers; `None` leaves them at the logical count.
        variation: Its environment.
        limit: Seconds after which the run is ended, or `None`.
        injection: With `Mode.SERVED`, an order to inject.
        purity: With `Mode.STAGE`, whether jobs are tried in a second execution order.
        backwards: With `Mode.SERVED`, whether each call's jobs run last to first.
    """

    search: Mapping[str, Any]
    mode: Mode
    delivery: Delivery
    workers: int | None
    variation: Variation
    processes: int | None = None
    limit: float | None = None
    injection: Injection | None = None
    purity: bool = False
    backwards: bool = False

    @property
    def label(self) -> str:
        """A few words for progress displays."""
        if self.delivery in (Delivery.SERIAL, Delivery.NATIVE) or self.workers is None:
            return str(self.delivery)
        return f"{self.delivery}, {self.workers} workers"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form that a fresh process is given."""
        return {
            "search": dict(self.search),
            "mode": self.mode.value,
            "delivery": self.delivery.value,
            "workers": self.workers,
            "processes": self.processes,
            "injection": None if self.injection is None else self.injection.to_dict(),
            "purity": self.purity,
            "backwards": self.backwards,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunRequest:
        """Read the JSON form; environment and limit were already applied from outside."""
        injection = data["injection"]
        return cls(
            search=data["search"],
            mode=Mode(data["mode"]),
            delivery=Delivery(data["delivery"]),
            workers=data["workers"],
            variation=Variation(0),
            processes=data["processes"],
            injection=None if injection is None else Injection.from_dict(injection),
            purity=data["purity"],
            backwards=data["backwards"],
        )


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a run ended without an outcome.

    Attributes:
        kind: Name of the exception, or of the signal.
        message: What it says; the search's own words where there are any.
        where: The last place in the search's code, `file:line`, or `None`.
        traceback: The full traceback where there is one; reports keep it for `--json`.
    """

    kind: str
    message: str
    where: str | None = None
    traceback: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "kind": self.kind,
            "message": self.message,
            "where": self.where,
            "traceback": self.traceback,
        }


@dataclass(frozen=True, slots=True)
class Purity:
    """What running the jobs in a second execution order showed.

    Attributes:
        calls: How many calls were tried.
        jobs: How many jobs were compared.
        differing: `(call index, job index)` of jobs whose results differ.
        opaque: `(call index, job index, path)` of jobs whose results can't be seen through.
        untested: Call indices where the second order could not be run.
    """

    calls: int = 0
    jobs: int = 0
    differing: tuple[tuple[int, int], ...] = ()
    opaque: tuple[tuple[int, int, str], ...] = ()
    untested: tuple[int, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "calls": self.calls,
            "jobs": self.jobs,
            "differing": [list(pair) for pair in self.differing],
            "opaque": [list(entry) for entry in self.opaque],
            "untested": list(self.untested),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Purity:
        """Read the JSON form."""
        return cls(
            calls=data["calls"],
            jobs=data["jobs"],
            differing=tuple((call, job) for call, job in data["differing"]),
            opaque=tuple((call, job, path) for call, job, path in data["opaque"]),
            untested=tuple(data["untested"]),
        )


@dataclass(frozen=True, slots=True)
class RunResult:
    """What came of one run."""

    ending: Ending
    outcome: Outcome | None = None
    trace: Trace = field(default_factory=Trace)
    failure: Failure | None = None
    seconds: float | None = None
    """Wall time of the search alone, without imports and loading."""
    environment: Mapping[str, str] = field(default_factory=dict)
    purity: Purity | None = None
    unforkable: str | None = None
    """Why no snapshot could be parked, or `None`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form that a fresh process leaves behind."""
        return {
            "ending": self.ending.value,
            "outcome": None if self.outcome is None else self.outcome.to_dict(),
            "trace": self.trace.to_dict(),
            "failure": None if self.failure is None else self.failure.to_dict(),
            "seconds": self.seconds,
            "environment": dict(self.environment),
            "purity": None if self.purity is None else self.purity.to_dict(),
            "unforkable": self.unforkable,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> RunResult:
        """Read the JSON form."""
        outcome, failure, purity = data["outcome"], data["failure"], data["purity"]
        return cls(
            ending=Ending(data["ending"]),
            outcome=None if outcome is None else Outcome.from_dict(outcome),
            trace=Trace.from_dict(data["trace"]),
            failure=None if failure is None else Failure(**failure),
            seconds=data["seconds"],
            environment=data["environment"],
            purity=None if purity is None else Purity.from_dict(purity),
            unforkable=data["unforkable"],
        )


@dataclass(frozen=True, slots=True)
class Trial:
    """One injected order and what came of it."""

    injection: Injection
    call: Call
    result: RunResult
