from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from repro import errors
from repro.cli import exits
from repro.cli.exits import Exit, guard

FULL = Path("/dev/full")

# What the design fixes, written out again on purpose.
CONTRACT = {
    "UsageError": 2,
    "ProbeError": 2,
    "ProbeClockError": 2,
    "OutcomeError": 2,
    "TokenError": 2,
    "ResultError": 2,
    "InfeasibleError": 2,
    "RunError": 5,
    "DiskFullError": 5,
    "ControlError": 5,
    "SearchError": 5,
    "OpaqueValueError": 5,
}


def subclasses(kind: type) -> list[type]:
    return [kind, *(found for child in kind.__subclasses__() for found in subclasses(child))]


def failing(error: BaseException):
    def command() -> int:
        raise error

    return command


@pytest.mark.parametrize(("name", "code"), CONTRACT.items())
def test_each_error_ends_with_its_code(name, code, capsys) -> None:
    error = getattr(errors, name)("it is wrong", where="probe.yaml:3", do="put it right")
    assert guard(failing(error)) == code
    shown = capsys.readouterr()
    assert shown.err == "error: it is wrong\n  where: probe.yaml:3\n  do: put it right\n"
    assert shown.out == ""


def test_every_error_of_the_package_has_a_code() -> None:
    own = [kind for kind in subclasses(errors.ReproError) if kind.__module__ == "repro.errors"]
    assert {kind.__name__ for kind in own} == set(CONTRACT) | {"ReproError"}
    assert all(exits.exit_code(kind("x")) != Exit.FAULT for kind in own[1:])


def test_a_subclass_that_is_not_named_ends_as_its_parent_does() -> None:
    class LateError(errors.RunError):
        pass

    assert exits.exit_code(LateError("late")) == Exit.INCONCLUSIVE


def test_every_code_has_a_meaning() -> None:
    assert set(exits.MEANINGS) == set(Exit)


def test_parts_that_an_error_does_not_have_are_left_out(capsys) -> None:
    assert guard(failing(errors.UsageError("wrong"))) == 2
    assert capsys.readouterr().err == "error: wrong\n"


def test_the_code_of_a_command_is_passed_on() -> None:
    assert [guard(lambda code=code: code) for code in (0, 1, 3, 4)] == [0, 1, 3, 4]


def test_a_fault_of_the_tool_says_so_and_shows_no_traceback(capsys, monkeypatch) -> None:
    monkeypatch.delenv("REPRO_DEBUG", raising=False)
    assert guard(failing(ZeroDivisionError("division by zero"))) == 70
    shown = capsys.readouterr().err
    assert shown.startswith(
        "error: repro failed by a fault of its own: ZeroDivisionError: division by zero\n"
    )
    assert "REPRO_DEBUG=1" in shown
    assert "Traceback" not in shown


def test_a_fault_names_the_innermost_line_of_the_package(capsys) -> None:
    assert guard(lambda: len(exits._origin("not an error"))) == 70
    assert re.search(r"  where: repro/cli/exits\.py:\d+, _origin\n", capsys.readouterr().err)


@pytest.mark.parametrize("error", [KeyError("x"), errors.RunError("died")])
def test_a_traceback_is_shown_when_it_is_asked_for(error, capsys, monkeypatch) -> None:
    monkeypatch.setenv("REPRO_DEBUG", "1")
    guard(failing(error))
    assert "Traceback (most recent call last)" in capsys.readouterr().err


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_is_inconclusive_and_named(code, capsys) -> None:
    full = OSError(code, os.strerror(code), "r.json")
    assert guard(failing(full)) == 5
    shown = capsys.readouterr().err
    assert shown.startswith("error: no space is left on the disk")
    assert "where: r.json" in shown


def test_running_out_of_memory_is_inconclusive(capsys) -> None:
    assert guard(failing(MemoryError())) == 5
    assert capsys.readouterr().err.startswith("error: memory ran out")


def test_another_system_error_is_a_fault(capsys) -> None:
    assert guard(failing(OSError(errno.EIO, "input/output error"))) == 70
    assert "OSError" in capsys.readouterr().err


def test_a_pipe_of_our_own_that_breaks_is_not_taken_for_a_closed_output(fresh) -> None:
    code = (
        "import sys; from repro.cli.exits import guard\n"
        "def command(): raise BrokenPipeError(32, 'Broken pipe')\n"
        "sys.exit(guard(command))"
    )
    done = fresh("-c", code)
    assert done.returncode == 70
    assert "BrokenPipeError" in done.stderr


def test_leaving_by_sys_exit_is_not_caught() -> None:
    with pytest.raises(SystemExit):
        guard(failing(SystemExit(3)))


def test_no_signal_is_handled_outside_the_main_thread() -> None:
    codes: list[int] = []
    thread = threading.Thread(target=lambda: codes.append(guard(lambda: 0)))
    thread.start()
    thread.join()
    assert codes == [0]


WAITS = """
import signal, sys, time
from repro.cli.exits import guard
signal.signal(signal.SIGINT, signal.default_int_handler)
def command():
    try:
        print("ready", flush=True)
        time.sleep(60)
        return 0
    finally:
        print("cleaned", flush=True)
sys.exit(guard(command))
"""


def stopped(signum: int, *, ignored: bool = False) -> subprocess.Popen[str]:
    prefix = f"import signal; signal.signal({int(signum)}, signal.SIG_IGN)\n" if ignored else ""
    code = prefix + (WAITS.replace("60", "0.5") if ignored else WAITS)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signum)
    return process


@pytest.mark.parametrize(
    ("signum", "code", "said"),
    [
        (signal.SIGINT, 130, "interrupted: no verdict\n"),
        (signal.SIGTERM, 143, "stopped by SIGTERM: no verdict\n"),
        (signal.SIGHUP, 129, "stopped by SIGHUP: no verdict\n"),
    ],
)
def test_a_signal_cleans_up_and_ends_with_one_message(signum, code, said) -> None:
    with stopped(signum) as process:
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (code, "cleaned\n", said)


def test_a_hang_up_that_the_user_ignores_stays_ignored() -> None:
    with stopped(signal.SIGHUP, ignored=True) as process:
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")


PRINTS = """
import sys
from repro.cli.exits import guard
def command():
    for line in range(100_000): print(line)
    return 0
sys.exit(guard(command))
"""


PRINTS_RICHLY = PRINTS.replace("print(", "rich.print(").replace("import sys", "import rich, sys")


@pytest.mark.parametrize("code", [PRINTS, PRINTS_RICHLY], ids=["plain", "rich"])
def test_a_reader_that_goes_away_ends_the_command_quietly(code) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "0\n"
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


@pytest.mark.skipif(not FULL.exists(), reason="no device that is always full")
@pytest.mark.parametrize("lines", [10, 100_000])
def test_an_output_that_cannot_be_written_is_told(lines) -> None:
    code = PRINTS.replace("100_000", str(lines))
    command = [sys.executable, "-c", code]
    with FULL.open("w", encoding="utf-8") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 5
    assert done.stderr.startswith("error: no space is left on the disk")
    assert done.stderr.count("\n") == 2
