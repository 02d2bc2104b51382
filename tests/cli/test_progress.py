from __future__ import annotations

import io
import re
import threading

import pytest
from rich.console import Console

from repro.cli.board import Board, clock_time
from repro.cli.progress import LiveProgress, PlainProgress, progress_display
from repro.model.progress import NullProgress

PHASES = ["serial", "orders", "smallest reordering"]


class Clock:
    """A clock that only moves when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now

    def after(self, seconds: float) -> None:
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def lines() -> list[str]:
    return []


def drawn(live: LiveProgress, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, height=40, color_system=None)
    with console.capture() as capture:
        console.print(live)
    return [line.rstrip() for line in capture.get().splitlines()]


def phase(screen: list[str], name: str) -> str:
    return next(line for line in screen if name in line)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (7.9, "0:07"), (754, "12:34"), (3723, "1:02:03"), (-1, "0:00")],
)
def test_times_are_shown_as_on_a_clock(seconds, text) -> None:
    assert clock_time(seconds) == text


def test_the_display_shows_what_is_done_running_and_to_come(clock) -> None:
    live = LiveProgress("repro check x", clock)
    live.plan(PHASES)
    live.begin("serial", 3)
    clock.after(20)
    live.advance("serial", "serial run 1")
    live.end("serial")
    live.begin("orders", 200)
    clock.after(5)
    live.advance("orders", "from make_pmappings.py:398")
    screen = drawn(live)
    assert screen[0] == "repro check x  0:25 elapsed"
    assert re.fullmatch(r"ok  serial +1 of 3 +0:20", phase(screen, "serial"))
    assert re.fullmatch(r". +orders +\S* +1 of 200 +0:05", phase(screen, "orders"))
    assert re.fullmatch(r" +smallest reordering +to come", phase(screen, "smallest"))
    assert "now: from make_pmappings.py:398" in screen


def test_the_estimate_is_counted_down_and_admitted_when_passed(clock) -> None:
    live = LiveProgress("x", clock)
    live.estimate(60)
    clock.after(45)
    assert drawn(live)[0] == "x  0:45 elapsed, about 0:15 left"
    clock.after(20)
    assert drawn(live)[0] == "x  1:05 elapsed, 0:05 longer than estimated"


def test_a_phase_of_unknown_length_is_shown_as_running(clock) -> None:
    live = LiveProgress("x", clock)
    live.begin("jobs", None)
    assert "running" in phase(drawn(live), "jobs")
    live.advance("jobs", "one")
    assert "1 done" in phase(drawn(live), "jobs")
    live.end("jobs")
    assert phase(drawn(live), "jobs").startswith("ok  jobs")


def test_notes_stay_under_the_phases_and_only_the_last_are_kept(clock) -> None:
    live = LiveProgress("x", clock)
    for number in range(5):
        live.note(f"number {number}")
    assert drawn(live)[-3:] == ["note: number 2", "note: number 3", "note: number 4"]


@pytest.mark.parametrize("width", [60, 80, 140])
def test_the_display_fits_into_the_terminal(width, clock) -> None:
    live = LiveProgress("repro check attention-small", clock)
    live.plan(["serial and worker counts", "orders, whole runs"])
    live.begin("orders, whole runs", 200)
    live.advance("orders, whole runs", "from " + "x" * 200)
    screen = drawn(live, width)
    assert all(len(line) <= width for line in screen)
    assert "1 of 200" in "".join(screen)


def test_markup_in_a_note_is_shown_as_it_is(clock) -> None:
    live = LiveProgress("[red]t", clock)
    live.begin("p", 2)
    live.advance("p", "[bold]job[/bold]")
    assert "now: [bold]job[/bold]" in drawn(live)
    assert drawn(live)[0].startswith("[red]t")


def test_a_phase_begun_again_starts_over(clock) -> None:
    board = Board(clock)
    board.begin("shrink", None)
    board.advance("shrink", "test 1")
    board.end("shrink")
    board.begin("shrink", None)
    assert board.phases["shrink"].running
    assert board.phases["shrink"].done == 0


def test_phases_that_never_began_are_ignored(clock, lines) -> None:
    plain = PlainProgress(lines.append, clock=clock)
    plain.advance("nothing", "x")
    plain.end("nothing")
    live = LiveProgress("x", clock)
    live.advance("nothing")
    live.end("nothing")
    assert lines == []
    assert len(drawn(live)) == 1


def test_planning_twice_keeps_what_has_begun(clock) -> None:
    board = Board(clock)
    board.begin("orders", 3)
    board.plan(PHASES)
    assert board.phases["orders"].running
    assert list(board.phases) == ["orders", "serial", "smallest reordering"]


def test_without_a_terminal_a_phase_is_told_when_it_begins_and_ends(clock, lines) -> None:
    plain = PlainProgress(lines.append, clock=clock)
    plain.begin("serial", 3)
    clock.after(7)
    for _ in range(3):
        plain.advance("serial", "run")
    plain.estimate(30)
    plain.end("serial")
    assert lines == [
        "repro: serial: begins, 3 to do [0:00 elapsed]\n",
        "repro: serial: ended, 3 of 3 [0:07 elapsed, about 0:30 left]\n",
    ]


def test_without_a_terminal_steps_are_told_only_now_and_then(clock, lines) -> None:
    plain = PlainProgress(lines.append, every=10, clock=clock)
    plain.begin("orders", 200)
    for number in range(60):
        clock.after(1)
        plain.advance("orders", f"order {number}")
    assert len(lines) == 7
    assert lines[1] == "repro: orders: 10 of 200 (order 9) [0:10 elapsed]\n"


def test_without_a_terminal_notes_are_told_at_once(clock, lines) -> None:
    PlainProgress(lines.append, clock=clock).note("fresh processes")
    assert lines == ["repro: note: fresh processes [0:00 elapsed]\n"]


def test_quiet_shows_nothing(capsys) -> None:
    with progress_display(quiet=True) as progress:
        assert isinstance(progress, NullProgress)
        progress.plan(PHASES)
        progress.begin("serial", 3)
        progress.advance("serial", "x")
        progress.note("x")
        progress.estimate(3)
        progress.end("serial")
    assert capsys.readouterr() == ("", "")


def test_a_pipe_gets_plain_lines_on_stderr_and_nothing_on_stdout(capsys) -> None:
    with progress_display(quiet=False) as progress:
        progress.begin("serial", 3)
        progress.end("serial")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.splitlines()[0].startswith("repro: serial: begins, 3 to do")
    assert "\x1b" not in err


def test_a_terminal_gets_a_live_display_that_is_wiped_at_the_end() -> None:
    file = io.StringIO()
    console = Console(file=file, width=80, height=40, force_terminal=True, legacy_windows=False)
    with progress_display(quiet=False, console=console) as progress:
        assert isinstance(progress, LiveProgress)
        progress.begin("serial", 3)
    written = file.getvalue()
    assert "serial" in written
    assert written.rstrip("\r\n").endswith("\x1b[2K")


def test_a_display_leaves_no_thread_and_no_hidden_cursor_behind_an_interruption() -> None:
    before = set(threading.enumerate())
    file = io.StringIO()
    console = Console(file=file, width=80, height=40, force_terminal=True, legacy_windows=False)
    with pytest.raises(KeyboardInterrupt), progress_display(quiet=False, console=console):
        raise KeyboardInterrupt
    for thread in set(threading.enumerate()) - before:
        thread.join(timeout=5)
    assert set(threading.enumerate()) <= before
    assert file.getvalue().count("\x1b[?25l") == file.getvalue().count("\x1b[?25h") == 1


def test_a_dumb_terminal_gets_plain_lines(monkeypatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    file = io.StringIO()
    with progress_display(quiet=False, console=Console(file=file, force_terminal=True)) as progress:
        assert isinstance(progress, PlainProgress)
        progress.begin("serial", None)
    assert file.getvalue() == "repro: serial: begins [0:00 elapsed]\n"
