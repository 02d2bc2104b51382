"""What a search did at the joblib boundary: its sites, calls and jobs.

Owns the records only. They are filled in by `repro.engine.control` and read by
`repro.audit`; none of them holds a live object of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, order=True)
class Site:
    """The place in the source that made a `joblib.Parallel` call.

    Attributes:
        file: Path relative to the import root (`accelforge/mapper/FFM/main.py`), so that it
            reads the same on every machine.
        line: Line of the call in that file, from 1.
        function: Name of the function that made the call.
    """

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        """Name the site as compilers and editors do."""
        return f"{self.file}:{self.line}"

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"file": self.file, "line": self.line, "function": self.function}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Site:
        """Read the JSON form."""
        return cls(str(data["file"]), int(data["line"]), str(data["function"]))


@dataclass(frozen=True, slots=True)
class Call:
    """One call of `joblib.Parallel`, in the order in which the search made them.

    Attributes:
        index: Position in the search's sequence of calls, from 0.
        site: Where the call was made.
        occurrence: How many earlier calls came from the same site.
        labels: One readable name per job, in submission order.
        unordered: Whether the caller asked for results in completion order.
        nested: Whether the call was made inside a job of another call.
        uncontrolled: Why the order of delivery could not be set here, or `None`.
        completed: Job indices in the order in which they completed, where it was observed.
        seconds: Wall time from the call to its last result, where it was observed.
        ready: Wall time from the search's start until all results were there and none was
            delivered yet, where they were held back.
        delivered: How many results the caller took; fewer than `labels` after a `break`.
    """

    index: int
    site: Site
    occurrence: int
    labels: tuple[str, ...]
    unordered: bool
    nested: bool = False
    uncontrolled: str | None = None
    completed: tuple[int, ...] | None = None
    seconds: float | None = None
    ready: float | None = None
    delivered: int = 0

    @property
    def jobs(self) -> int:
        """Number of jobs of the call."""
        return len(self.labels)

    @property
    def permutable(self) -> bool:
        """Whether completion order can reach the caller at all through this call."""
        return self.unordered and self.jobs > 1 and self.uncontrolled is None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {
            "index": self.index,
            "site": self.site.to_dict(),
            "occurrence": self.occurrence,
            "labels": list(self.labels),
            "unordered": self.unordered,
            "nested": self.nested,
            "uncontrolled": self.uncontrolled,
            "completed": None if self.completed is None else list(self.completed),
            "seconds": self.seconds,
            "ready": self.ready,
            "delivered": self.delivered,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Call:
        """Read the JSON form."""
        completed = data["completed"]
        return cls(
            index=data["index"],
            site=Site.from_dict(data["site"]),
            occurrence=data["occurrence"],
            labels=tuple(data["labels"]),
            unordered=data["unordered"],
            nested=data["nested"],
            uncontrolled=data["uncontrolled"],
            completed=None if completed is None else tuple(completed),
            seconds=data["seconds"],
            ready=data["ready"],
            delivered=data["delivered"],
        )


@dataclass(frozen=True, slots=True)
class Trace:
    """All calls of one run, in order."""

    calls: tuple[Call, ...] = ()

    @property
    def permutable(self) -> tuple[Call, ...]:
        """The calls through which completion order can reach the caller."""
        return tuple(call for call in self.calls if call.permutable)

    @property
    def uncontrolled(self) -> tuple[Call, ...]:
        """The calls whose delivery could not be set, although order could matter there."""
        return tuple(call for call in self.calls if call.uncontrolled is not None)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"calls": [call.to_dict() for call in self.calls]}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Trace:
        """Read the JSON form."""
        return cls(tuple(Call.from_dict(call) for call in data["calls"]))
