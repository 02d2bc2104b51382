"""What is known of a running check: its phases, notes and times.

Owns the state behind the displays of `repro.cli.progress`. Nothing here prints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

type Clock = Callable[[], float]
"""Seconds from any fixed point."""

_MINUTE = 60


@dataclass(slots=True)
class Phase:
    """One phase: how far it is, and when it began and ended."""

    name: str
    total: int | None = None
    done: int = 0
    note: str = ""
    began: float | None = None
    ended: float | None = None

    @property
    def running(self) -> bool:
        """Whether it has begun and not ended."""
        return self.began is not None and self.ended is None

    @property
    def count(self) -> str:
        """How many steps are done, of how many: `12 of 200`."""
        if self.total is None:
            return f"{self.done} done" if self.done else ""
        return f"{self.done} of {self.total}"


@dataclass(slots=True)
class Board:
    """Everything that a display shows: phases in order, notes, and the time that is left."""

    clock: Clock
    phases: dict[str, Phase] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    started: float = field(init=False)
    finish: float | None = None

    def __post_init__(self) -> None:
        """Start the clock."""
        self.started = self.clock()

    def plan(self, phases: Sequence[str]) -> None:
        """Name phases to come; those known already keep their state."""
        for name in phases:
            self.phases.setdefault(name, Phase(name))

    def begin(self, name: str, total: int | None) -> Phase:
        """Start a phase, or start it again."""
        phase = self.phases.setdefault(name, Phase(name))
        phase.total, phase.done, phase.note = total, 0, ""
        phase.began, phase.ended = self.clock(), None
        return phase

    def advance(self, name: str, note: str) -> Phase | None:
        """Count one step of a running phase."""
        phase = self.phases.get(name)
        if phase is None or not phase.running:
            return None
        phase.done += 1
        phase.note = note
        return phase

    def end(self, name: str) -> Phase | None:
        """End a running phase."""
        phase = self.phases.get(name)
        if phase is None or not phase.running:
            return None
        phase.ended = self.clock()
        return phase

    def estimate(self, seconds_left: float) -> None:
        """Remember when everything should be done."""
        self.finish = self.clock() + max(0.0, seconds_left)

    @property
    def left(self) -> float | None:
        """Seconds that are left by the last estimate; negative once it is passed."""
        return None if self.finish is None else self.finish - self.clock()

    def times(self) -> str:
        """Say how long it has taken, and how long it will."""
        elapsed = f"{clock_time(self.clock() - self.started)} elapsed"
        left = self.left
        if left is None:
            return elapsed
        if left < 0:
            return f"{elapsed}, {clock_time(-left)} longer than estimated"
        return f"{elapsed}, about {clock_time(left)} left"


def clock_time(seconds: float) -> str:
    """Return a time as a clock shows it: `0:07`, `12:34`, `1:02:03`."""
    minutes, rest = divmod(int(max(0.0, seconds)), _MINUTE)
    hours, minutes = divmod(minutes, _MINUTE)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
