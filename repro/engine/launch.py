"""Fresh processes: started, limited, judged by how they ended, and cleaned up after.

Owns the parent's side of a run: one process with its own environment, session and folder;
several at a time where they need one core each. A process that crashes, hangs or leaves
nothing behind becomes a result that says so. Whatever happens here, nothing is left running
and no file is left behind.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from repro.engine.execute import EXIT_DISK_FULL, RESULT
from repro.engine.processes import end_session, sweep
from repro.engine.stage import Lines
from repro.errors import DiskFullError
from repro.model.run import Ending, Failure, Mode, RunRequest, RunResult, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from repro.model.delivery import Injection
    from repro.model.trace import Call

_POLL = 0.02
_LOG_TAIL = 4000
_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)
_PREFIX = "repro-run-"
_FOLLOW = "import ctypes; ctypes.CDLL(None).prctl(1, 9)\n" if sys.platform == "linux" else ""
"""Asks the kernel first of all to kill the run if its tool is killed (PR_SET_PDEATHSIG)."""


@dataclass(slots=True)
class _Process:
    """A run in flight."""

    request: RunRequest
    folder: Path
    popen: subprocess.Popen[bytes]
    line: socket.socket | None
    started: float = field(default_factory=time.monotonic)

    def overdue(self) -> bool:
        limit = self.request.limit
        return limit is not None and time.monotonic() - self.started > limit


class Launcher:
    """Runs requests in fresh processes. Use it as a context manager: leaving cleans up.

    Args:
        entry: Module whose `main(request_path, control_fd)` runs inside the process.
        cores: How many processes, joblib workers and forked children may be busy together.
        path: Import path of the fresh processes; this process's own by default.
    """

    def __init__(self, entry: str, cores: int, path: Sequence[str] | None = None) -> None:
        """Keep the choices; the working folder is made when the launcher is entered."""
        self._entry = entry
        self.cores = cores
        self._path = [str(Path(part).resolve()) for part in (path or sys.path)]
        self._root: Path | None = None
        self._live: list[_Process] = []
        self._count = 0

    def __enter__(self) -> Self:
        """Make the folder that holds every run's own, after sweeping what killed ones left."""
        sweep(Path(tempfile.gettempdir()), _PREFIX)
        try:
            self._root = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{os.getpid()}-"))
        except OSError as error:
            raise DiskFullError(
                f"no temporary folder can be made: {error.strerror}",
                where=tempfile.gettempdir(),
                do="free some space there, or set TMPDIR to a folder with space",
            ) from error
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End everything that is still running and remove every file."""
        for process in list(self._live):
            self._end(process)
        if self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)

    def run_all(
        self, requests: Sequence[RunRequest], *, together: int
    ) -> Iterator[tuple[int, RunResult]]:
        """Run requests, `together` at a time; yield `(position, result)` as they end."""
        waiting = list(enumerate(requests))[::-1]
        running: list[tuple[int, _Process]] = []
        try:
            while waiting or running:
                while waiting and len(running) < together:
                    position, request = waiting.pop()
                    running.append((position, self._start(request)))
                for entry in list(running):
                    position, process = entry
                    result = self._ended(process)
                    if result is not None:
                        running.remove(entry)
                        yield position, result
                if running:
                    time.sleep(_POLL)
        finally:  # the caller may stop listening early
            for _, process in running:
                self._end(process)

    def stage(self, request: RunRequest) -> ForkedStage:
        """Run a search once and keep it, so that orders can be tried from its snapshots."""
        return ForkedStage(self, request)

    # One process --------------------------------------------------------------------------

    def _start(self, request: RunRequest) -> _Process:
        folder = self._new_folder(request)
        ours = theirs = None
        if request.mode is Mode.STAGE:
            ours, theirs = socket.socketpair()
        descriptor = -1 if theirs is None else theirs.fileno()
        program = (
            f"{_FOLLOW}import sys; sys.path[:] = {self._path!r}\n"
            f"from {self._entry} import main\n"
            f"main({str(folder / 'request.json')!r}, {descriptor})"
        )
        command = [sys.executable, "-c", program]
        with (folder / "log.txt").open("wb") as log:
            popen = subprocess.Popen(  # noqa: S603 - our own interpreter and our own module
                command,
                cwd=folder / "work",
                env=_environment(request, folder / "tmp"),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                pass_fds=() if theirs is None else (theirs.fileno(),),
            )
        if theirs is not None:
            theirs.close()
        process = _Process(request, folder, popen, ours)
        self._live.append(process)
        return process

    def _new_folder(self, request: RunRequest) -> Path:
        if self._root is None:
            raise RuntimeError("the launcher was not entered")
        self._count += 1
        number = request.variation.folder
        folder = self._root / f"at-{number}"
        if number is None or folder.exists():  # another run in the same place is still going on
            folder = self._root / f"run-{self._count}"
        try:
            for name in ("tmp", "work"):
                (folder / name).mkdir(parents=True)
            (folder / "request.json").write_text(json.dumps(request.to_dict()), encoding="utf-8")
        except OSError as error:
            raise DiskFullError(
                f"a run can't be prepared: {error.strerror}",
                where=str(folder),
                do="free some space there, or set TMPDIR to a folder with space",
            ) from error
        return folder

    def _ended(self, process: _Process) -> RunResult | None:
        """Return the result of a process that ended, or that is over its limit."""
        code = process.popen.poll()
        if code is None:
            if not process.overdue():
                return None
            self._end(process)
            return _timed_out(process.request.limit)
        result = read_result(process.folder / RESULT, code, process.folder / "log.txt")
        self._end(process)
        return result

    def _end(self, process: _Process) -> None:
        """End a process with all that it started, and remove its folder."""
        if process.line is not None:
            process.line.close()
        end_session(process.popen)
        shutil.rmtree(process.folder, ignore_errors=True)
        if process in self._live:
            self._live.remove(process)


class ForkedStage:
    """A search that ran once, with a parked snapshot at every call whose order could matter."""

    def __init__(self, launcher: Launcher, request: RunRequest) -> None:
        """Start the process."""
        self._launcher = launcher
        self._process = launcher._start(request)  # noqa: SLF001 - one class in two halves
        self._count = 0
        self.base: RunResult | None = None
        self.ready: frozenset[int] = frozenset()

    def wait(self) -> RunResult:
        """Wait for the one run of the jobs and return its result."""
        process = self._process
        if process.line is None:
            raise RuntimeError("a stage has a line")
        self._lines = Lines(process.line)
        process.line.settimeout(_POLL * 5)
        while True:
            with contextlib.suppress(TimeoutError):
                messages = self._lines.receive()
                if messages is None:
                    process.popen.wait()
                if messages:
                    self.ready = frozenset(messages[0]["ready"])
                    path, log = process.folder / RESULT, process.folder / "log.txt"
                    self.base = read_result(path, 0, log)
                    self._lines.send({"slots": self._launcher.cores})
                    return self.base
            ended = self._launcher._ended(process)  # noqa: SLF001
            if ended is not None:
                self.base = ended
                return ended

    def run(
        self, orders: Sequence[tuple[Call, Injection]], *, limit: float | None
    ) -> Iterator[Trial]:
        """Try orders, as many at a time as there are cores; yield them as they end.

        Closing the iterator early lets the orders that haven't begun go; those under way end
        unheard.
        """
        process = self._process
        pending: dict[int, tuple[Call, Injection]] = {}
        for call, injection in orders:
            self._count += 1
            pending[self._count] = (call, injection)
            self._lines.send(
                {"trial": self._count, "injection": injection.to_dict(), "limit": limit}
            )
        if process.line is not None:
            process.line.settimeout(None)
        try:
            while pending:
                messages = self._lines.receive()
                if messages is None:
                    yield from _lost(pending)
                    return
                for message in messages:
                    if message["trial"] in pending:
                        call, injection = pending.pop(message["trial"])
                        yield Trial(injection, call, self._read(message, limit))
        finally:
            if pending:
                with contextlib.suppress(OSError):
                    self._lines.send({"drop": True})

    def _read(self, message: dict[str, object], limit: float | None) -> RunResult:
        if message["overdue"]:
            return _timed_out(limit)
        if message["status"] is None:
            failure = Failure("NoSnapshot", "the call has no snapshot to try orders from")
            return RunResult(Ending.CONTROL, failure=failure)
        path = self._process.folder / f"trial-{message['trial']}.json"
        result = read_result(path, int(str(message["status"])), self._process.folder / "log.txt")
        path.unlink(missing_ok=True)
        return result

    def close(self) -> None:
        """End the process and its snapshots."""
        self._launcher._end(self._process)  # noqa: SLF001


def _lost(pending: dict[int, tuple[Call, Injection]]) -> Iterator[Trial]:
    """The stage itself ended: every order still asked for is without a result."""
    failure = Failure("StageEnded", "the process that held the snapshots ended")
    for call, injection in pending.values():
        yield Trial(injection, call, RunResult(Ending.CRASHED, failure=failure))
    pending.clear()


def read_result(path: Path, code: int, log: Path) -> RunResult:
    """Read what a process left, and judge how it ended where it left nothing."""
    if path.exists() and code == 0:
        return RunResult.from_dict(json.loads(path.read_text(encoding="utf-8")))
    tail = log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:] if log.exists() else ""
    if code == EXIT_DISK_FULL or "No space left on device" in tail:
        failure = Failure("OSError", "no space left on device", traceback=tail)
        return RunResult(Ending.DISK_FULL, failure=failure)
    if code == 0:
        message = "the process ended with status 0 and left no outcome"
        return RunResult(Ending.SILENT, failure=Failure("NoOutcome", message, traceback=tail))
    if code < 0:
        name = signal.Signals(-code).name
        failure = Failure(name, f"the process was ended by {name}", traceback=tail)
    else:
        last = tail.strip().splitlines()[-1:] or ["it said nothing"]
        message = f"the process ended with status {code}: {last[0]}"
        failure = Failure(f"status {code}", message, traceback=tail)
    return RunResult(Ending.CRASHED, failure=failure)


def _timed_out(limit: float | None) -> RunResult:
    failure = Failure("Limit", f"the run was ended after its limit of {limit:g} s")
    return RunResult(Ending.TIMED_OUT, failure=failure)


def _environment(request: RunRequest, temporary: Path) -> dict[str, str]:
    """Return the environment of a fresh process: the user's own, with the variation on top."""
    variation = request.variation
    changed = {
        "PYTHONHASHSEED": str(variation.hash_seed),
        "TMPDIR": str(temporary),
        "JOBLIB_TEMP_FOLDER": str(temporary),
        "MPLBACKEND": "Agg",
        "TZ": variation.time_zone,
        "LC_ALL": variation.locale,
    }
    threads = 1 if request.mode is Mode.STAGE else variation.threads
    if threads is not None:
        changed |= dict.fromkeys(_THREAD_VARIABLES, str(threads))
    return os.environ | {key: value for key, value in changed.items() if value is not None}
