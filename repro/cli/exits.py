"""The edge of the process: every way out of a command, as one message and one exit code.

Owns the table of exit codes, the form of an error message, and what happens to signals,
closed pipes and full disks. Leaves what was wrong, and what to do about it, to the error
that was raised; a traceback is shown only when `REPRO_DEBUG=1` asks for one.
"""

from __future__ import annotations

import errno
import os
import select
import signal
import sys
import threading
import traceback
from enum import IntEnum
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from repro import errors

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_PACKAGE = Path(errors.__file__).parent
_NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT})
_SIGNALS = (signal.SIGTERM, signal.SIGHUP)
_SIGNAL_BASE = 128
"""A shell reports a process ended by signal N as 128 + N; so do we, after cleaning up."""


class Exit(IntEnum):
    """The exit codes of every command."""

    HOLDS = 0
    NONDETERMINISTIC = 1
    USAGE = 2
    DRIFTED = 3
    CERTIFICATE_INVALID = 4
    INCONCLUSIVE = 5
    FAULT = 70
    HUNG_UP = 129
    INTERRUPTED = 130
    PIPE_CLOSED = 141
    TERMINATED = 143


MEANINGS: dict[Exit, str] = {
    Exit.HOLDS: "the claim holds",
    Exit.NONDETERMINISTIC: "nondeterministic",
    Exit.USAGE: "wrong usage or input",
    Exit.DRIFTED: "deterministic, but drifted from the baseline or certificate",
    Exit.CERTIFICATE_INVALID: "certificate invalid or stale",
    Exit.INCONCLUSIVE: "inconclusive",
    Exit.FAULT: "a fault of the tool itself",
    Exit.HUNG_UP: "ended because the terminal went away",
    Exit.INTERRUPTED: "interrupted by Ctrl-C",
    Exit.PIPE_CLOSED: "the reader of the output went away",
    Exit.TERMINATED: "ended by SIGTERM",
}

ERROR_EXITS: dict[type[errors.ReproError], Exit] = {
    errors.UsageError: Exit.USAGE,
    errors.ProbeError: Exit.USAGE,
    errors.ProbeClockError: Exit.USAGE,
    errors.OutcomeError: Exit.USAGE,
    errors.TokenError: Exit.USAGE,
    errors.ResultError: Exit.USAGE,
    errors.InfeasibleError: Exit.USAGE,
    errors.RunError: Exit.INCONCLUSIVE,
    errors.DiskFullError: Exit.INCONCLUSIVE,
    errors.ControlError: Exit.INCONCLUSIVE,
    errors.SearchError: Exit.INCONCLUSIVE,
    errors.OpaqueValueError: Exit.INCONCLUSIVE,
}
"""Which code each error ends with. A subclass that isn't named ends as its parent does."""


class Terminated(KeyboardInterrupt):
    """The process was told to stop; raised so that whoever cleans up after Ctrl-C does so now."""

    def __init__(self, signum: int) -> None:
        """Remember the signal, whose number the exit code reports."""
        super().__init__(signum)
        self.signum = signum


def exit_code(error: errors.ReproError) -> Exit:
    """Return the exit code of an error, by its class or the nearest named parent."""
    named = (ERROR_EXITS[kind] for kind in type(error).__mro__ if kind in ERROR_EXITS)
    return next(named, Exit.FAULT)


def message(what: str, where: str | None = None, do: str | None = None) -> str:
    """Join the parts of an error the way every command prints them."""
    lines = [f"error: {what}"]
    if where:
        lines.append(f"  where: {where}")
    if do:
        lines.append(f"  do: {do}")
    return "\n".join(lines)


def guard(command: Callable[[], int]) -> int:
    """Run a command and return its exit code, whatever happens to it.

    Errors and interruptions are told once on stderr. `SystemExit` passes through, but for one.
    """
    try:
        _listen()
        code = command()
    except errors.ReproError as error:
        code = exit_code(error)
        _say(message(error.what, error.where, error.do))
    except Terminated as stop:
        code = _SIGNAL_BASE + stop.signum
        _say(f"stopped by {signal.Signals(stop.signum).name}: no verdict")
    except KeyboardInterrupt:
        code = Exit.INTERRUPTED
        _say("interrupted: no verdict")
    except SystemExit as left:
        # rich leaves this way, with a code that here means something else, when nobody reads.
        if not isinstance(left.__context__, BrokenPipeError):
            raise
        code = Exit.PIPE_CLOSED
    except OSError as error:
        code = _system_error(error)
    except MemoryError as error:
        code = Exit.INCONCLUSIVE
        _say(message("memory ran out; there is no verdict", _origin(error), "use fewer --jobs"))
    except Exception as error:  # noqa: BLE001 - the edge: told in full, never hidden
        code = _fault(error)
    return _flushed(code)


def _listen() -> None:
    """Turn the signals that end a process into an exception, so that nothing is left behind."""
    if threading.current_thread() is not threading.main_thread():
        return
    for signum in _SIGNALS:
        if signal.getsignal(signum) is signal.SIG_DFL:
            signal.signal(signum, _stop)


def _stop(signum: int, _frame: FrameType | None) -> None:
    raise Terminated(signum)


def _flushed(code: int) -> int:
    """Write out what stdout still holds, while a failure to do so can still be told."""
    if sys.stdout is None:  # closed before we began
        return int(code)
    try:
        sys.stdout.flush()
    except OSError as error:
        # What is still buffered must not be tried again when the interpreter ends.
        _silence(sys.stdout)
        return int(_system_error(error))
    return int(code)


def _system_error(error: OSError) -> Exit:
    if isinstance(error, BrokenPipeError) and _reader_is_gone():
        _silence(sys.stdout)
        return Exit.PIPE_CLOSED
    if error.errno in _NO_SPACE:
        where = str(error.filename) if error.filename else None
        do = "free some space, or point TMPDIR and the output file at another disk"
        _say(message("no space is left on the disk; there is no verdict", where, do))
        return Exit.INCONCLUSIVE
    return _fault(error)


def _fault(error: Exception) -> Exit:
    text = str(error)
    what = f"repro failed by a fault of its own: {type(error).__name__}"
    do = "report it with the output of `repro doctor --json` and of this command with REPRO_DEBUG=1"
    _say(message(f"{what}: {text}" if text else what, _origin(error), do))
    return Exit.FAULT


def _origin(error: BaseException) -> str | None:
    """Name the innermost line of this package that the error went through."""
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if Path(frame.filename).is_relative_to(_PACKAGE)
    ]
    if not own:
        return None
    place = Path(own[-1].filename).relative_to(_PACKAGE.parent)
    return f"{place}:{own[-1].lineno}, {own[-1].name}"


def _reader_is_gone() -> bool:
    """Tell a closed output from a pipe to some process of ours that broke."""
    poll = select.poll()
    poll.register(sys.stdout.fileno(), 0)
    return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))


def _silence(stream: TextIO) -> None:
    """Point a stream that can't be written any more at nothing."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _say(text: str) -> None:
    """Write to stderr; a stderr that nobody reads is no reason to fail."""
    try:
        if os.environ.get("REPRO_DEBUG") == "1":
            traceback.print_exc()
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        _silence(sys.stderr)
