"""Taking down what passes the joblib boundary.

Owns the numbering of sites, calls and jobs while a search runs; the finished records are
`repro.model.trace`. Holds labels and numbers only, never a job's arguments or results.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from repro.engine.sites import locate
from repro.model.trace import Call, Site, Trace

if TYPE_CHECKING:
    from types import FrameType

Labeller = Callable[[Callable[..., Any], tuple[Any, ...], dict[str, Any], int], str]


def plain_label(
    function: Callable[..., Any],
    args: tuple[Any, ...],  # noqa: ARG001
    kwargs: dict[str, Any],  # noqa: ARG001
    index: int,
) -> str:
    """Name a job by its function and its index: all that is known of any search."""
    name = getattr(function, "__qualname__", type(function).__qualname__)
    return f"{name.replace('<locals>.', '')} #{index}"


class OpenCall:
    """One call of `Parallel` that is still going on."""

    def __init__(
        self, index: int, site: Site, occurrence: int, label: Labeller, *, unordered: bool
    ) -> None:
        """Start the clock."""
        self.index = index
        self.site = site
        self.occurrence = occurrence
        self.unordered = unordered
        self.nested = False
        self.alone = False
        self.uncontrolled: str | None = None
        self.delivered = 0
        self.ready: float | None = None
        self._label = label
        self._labels: list[str] = []
        self._completed: list[int] = []
        self._started = time.perf_counter()
        self._seconds: float | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the jobs submitted so far."""
        return tuple(self._labels)

    def submit(
        self, function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Note the next job in submission order."""
        self._labels.append(self._label(function, args, kwargs, len(self._labels)))

    def completed(self, index: int) -> None:
        """Note that a job's result arrived."""
        self._completed.append(index)

    def close(self, *, delivered: int | None = None) -> None:
        """Stop the clock; a second time changes nothing."""
        if self._seconds is None:
            self._seconds = time.perf_counter() - self._started
            if delivered is not None:
                self.delivered = delivered

    def freeze(self) -> Call:
        """Return the finished record."""
        return Call(
            index=self.index,
            site=self.site,
            occurrence=self.occurrence,
            labels=self.labels,
            unordered=self.unordered,
            nested=self.nested,
            uncontrolled=self.uncontrolled,
            completed=tuple(self._completed) if self.unordered and self._completed else None,
            seconds=self._seconds,
            ready=self.ready,
            delivered=self.delivered,
        )


class Recorder:
    """Numbers the calls of one run and names their sites.

    Args:
        label: Names one job; searches that know more than function and index bring their own.
        through: Absolute paths of helper files that only pass calls on to joblib.
    """

    def __init__(self, label: Labeller = plain_label, through: tuple[str, ...] = ()) -> None:
        """Begin an empty recording."""
        self._label = label
        self._through = through
        self._lock = threading.Lock()
        self._began = time.perf_counter()
        self._calls: list[OpenCall] = []
        self._occurrences: Counter[Site] = Counter()

    def begin(self) -> None:
        """Start the search's clock."""
        self._began = time.perf_counter()

    def elapsed(self) -> float:
        """Return the seconds since the search began."""
        return time.perf_counter() - self._began

    def open(self, frame: FrameType | None, *, unordered: bool) -> OpenCall:
        """Begin a call made from `frame`."""
        site = locate(frame, self._through)
        with self._lock:
            occurrence = self._occurrences[site]
            self._occurrences[site] += 1
            call = OpenCall(len(self._calls), site, occurrence, self._label, unordered=unordered)
            self._calls.append(call)
        return call

    def trace(self) -> Trace:
        """Return all calls so far."""
        with self._lock:
            return Trace(tuple(call.freeze() for call in self._calls))
