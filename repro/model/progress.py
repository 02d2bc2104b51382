"""What a long audit says about itself while it runs.

Owns the protocol through which `repro.audit` tells what it is doing, and the progress that
says nothing. Leaves showing it to `repro.cli.progress`: nothing here prints or reads a clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence


class Progress(Protocol):
    """Receives what an audit is doing. Phases are named by what a reader calls them.

    Calls never fail and never change the audit: a phase that was not begun, or is ended
    twice, is ignored.
    """

    def plan(self, phases: Sequence[str]) -> None:
        """Name the phases that are still to come, in order, so that what is left can be shown."""

    def begin(self, phase: str, total: int | None) -> None:
        """Start a phase of `total` steps, or of an unknown number."""

    def advance(self, phase: str, note: str = "") -> None:
        """Report one more step done, and what is being worked on now."""

    def note(self, text: str) -> None:
        """Say something that a reader should see once, such as a fallback taken."""

    def end(self, phase: str) -> None:
        """End a phase, whether or not all of its steps were done."""

    def estimate(self, seconds_left: float) -> None:
        """Give the time that everything still to do should take, in seconds from now."""


class NullProgress:
    """Says nothing: for `--quiet`, for Python callers and for tests."""

    def plan(self, phases: Sequence[str]) -> None:
        """Ignore the plan."""

    def begin(self, phase: str, total: int | None) -> None:
        """Ignore the start of a phase."""

    def advance(self, phase: str, note: str = "") -> None:
        """Ignore a step."""

    def note(self, text: str) -> None:
        """Ignore a note."""

    def end(self, phase: str) -> None:
        """Ignore the end of a phase."""

    def estimate(self, seconds_left: float) -> None:
        """Ignore an estimate."""
