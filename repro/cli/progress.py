"""What `repro check` shows while it runs.

Owns the two displays behind `repro.model.progress.Progress`: a live one for a terminal, and
occasional lines for anything else. Both write to stderr, so that stdout holds the report only.
Leaves what is told, and when, to `repro.audit`, and what is remembered of it to
`repro.cli.board`.

The live display redraws from a thread of its own. `repro` forks only in its worker processes,
never in the process that shows it.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from repro.cli.board import Board, clock_time
from repro.model.progress import NullProgress

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.console import ConsoleOptions, RenderableType, RenderResult

    from repro.cli.board import Clock, Phase
    from repro.model.progress import Progress

_EVERY_SECONDS = 10.0
_REDRAWS_PER_SECOND = 4
_BAR = 20
_ROOM_FOR_BARS = 64
_NOTES = 3


class LiveProgress:
    """Redraws a small board in place; it is gone when the check ends."""

    def __init__(self, title: str, clock: Clock = time.monotonic) -> None:
        """Show nothing yet: `progress_display` starts and stops it."""
        self._title = title
        self._board = Board(clock)
        self._lock = Lock()
        self._spinner = Spinner("line")

    def plan(self, phases: Sequence[str]) -> None:
        """Show phases that are still to come."""
        with self._lock:
            self._board.plan(phases)

    def begin(self, phase: str, total: int | None) -> None:
        """Show a phase as running."""
        with self._lock:
            self._board.begin(phase, total)

    def advance(self, phase: str, note: str = "") -> None:
        """Show one more step of it."""
        with self._lock:
            self._board.advance(phase, note)

    def note(self, text: str) -> None:
        """Show a note under the phases."""
        with self._lock:
            self._board.notes.append(text)

    def end(self, phase: str) -> None:
        """Show it as done."""
        with self._lock:
            self._board.end(phase)

    def estimate(self, seconds_left: float) -> None:
        """Count down from here."""
        with self._lock:
            self._board.estimate(seconds_left)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Draw the board as it is now; a narrow terminal gets no bars."""
        with self._lock:
            yield self._drawn(_BAR if options.max_width >= _ROOM_FOR_BARS else 0)

    def _drawn(self, bar: int) -> RenderableType:
        board = self._board
        head = Text.assemble((self._title, "bold"), "  ", (board.times(), "dim"))
        grid = Table.grid(padding=(0, 2, 0, 0))
        grid.add_column(width=2)
        grid.add_column(no_wrap=True, overflow="ellipsis")
        grid.add_column(width=bar)
        for _ in range(2):
            grid.add_column(no_wrap=True)
        for phase in board.phases.values():
            grid.add_row(*self._row(phase, bar))
        now = [
            Text(f"now: {phase.note}", "dim", no_wrap=True, overflow="ellipsis")
            for phase in board.phases.values()
            if phase.running and phase.note
        ]
        notes = [Text(f"note: {text}", "yellow") for text in board.notes[-_NOTES:]]
        return Group(head, grid, *now, *notes)

    def _row(self, phase: Phase, width: int) -> tuple[RenderableType, ...]:
        if phase.began is None:
            return ("", Text(phase.name, "dim"), "", Text("to come", "dim"), "")
        if phase.ended is not None:
            took = clock_time(phase.ended - phase.began)
            return (Text("ok", "green"), phase.name, "", phase.count or "done", took)
        bar = ProgressBar(
            total=phase.total, completed=phase.done, width=width, pulse=phase.total is None
        )
        took = clock_time(self._board.clock() - phase.began)
        shown = bar if width else ""
        return (self._spinner, Text(phase.name, "bold"), shown, phase.count or "running", took)


class PlainProgress:
    """Writes a line when a phase begins and ends, and now and then in between."""

    def __init__(
        self,
        write: Callable[[str], object],
        *,
        every: float = _EVERY_SECONDS,
        clock: Clock = time.monotonic,
    ) -> None:
        """Write lines, each with its newline, through `write`."""
        self._write = write
        self._every = every
        self._clock = clock
        self._board = Board(clock)
        self._said = self._board.started

    def plan(self, phases: Sequence[str]) -> None:
        """Remember the phases; nothing is written until they begin."""
        self._board.plan(phases)

    def begin(self, phase: str, total: int | None) -> None:
        """Say that a phase begins."""
        self._board.begin(phase, total)
        self._say(phase, "begins" if total is None else f"begins, {total} to do")

    def advance(self, phase: str, note: str = "") -> None:
        """Say how far it is, unless something was said a moment ago."""
        state = self._board.advance(phase, note)
        if state is not None and self._clock() - self._said >= self._every:
            self._say(phase, f"{state.count} ({note})" if note else state.count)

    def note(self, text: str) -> None:
        """Say it."""
        self._say("note", text)

    def end(self, phase: str) -> None:
        """Say that it is done, and how much of it."""
        state = self._board.end(phase)
        if state is not None:
            self._say(phase, f"ended, {state.count}" if state.count else "ended")

    def estimate(self, seconds_left: float) -> None:
        """Remember it for the next line."""
        self._board.estimate(seconds_left)

    def _say(self, subject: str, text: str) -> None:
        self._said = self._clock()
        self._write(f"repro: {subject}: {text} [{self._board.times()}]\n")


@contextmanager
def progress_display(
    *, quiet: bool, title: str = "repro check", console: Console | None = None
) -> Iterator[Progress]:
    """Show progress while the block runs, in the way that suits stderr.

    Args:
        quiet: Show nothing at all.
        title: What is running.
        console: Where to show it; stderr by default.
    """
    if quiet:
        yield NullProgress()
        return
    console = console or Console(stderr=True)
    if not console.is_terminal or console.is_dumb_terminal:

        def write(line: str) -> None:
            console.file.write(line)
            console.file.flush()

        yield PlainProgress(write)
        return
    live = LiveProgress(title)
    with Live(
        live,
        console=console,
        refresh_per_second=_REDRAWS_PER_SECOND,
        transient=True,
        redirect_stdout=False,
    ):
        yield live
