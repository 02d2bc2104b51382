"""Fresh processes: started, limited, judged by how they ended, and cleaned up after.

Owns the parent's side of a run: one process with its own environment, session and folder;
several at a time where they need one core each. A process that crashes, hangs or leaves
nothing behind becomes a result that says so. Whatever happens here, nothing is left running
and no file is left behind.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from repro.engine.endings import read_result, timed_out
from repro.engine.execute import RESULT
from repro.engine.forked import ForkedStage
from repro.engine.processes import end_session, sweep
from repro.errors import DiskFullError
from repro.model.run import Mode, RunRequest, RunResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType


_POLL = 0.02
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
class Process:
    """A run in flight."""

    request: RunRequest
    folder: Path
    popen: subprocess.Popen[bytes]
    line: socket.socket | None
    started: float = field(default_factory=time.monotonic)

    def overdue(self) -> bool:
        """Whether it has run for longer than it may."""
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
        self._live: list[Process] = []
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
            self.end(process)
        if self._root is not None:
            shutil.rmtree(self._root, ignore_errors=True)

    def run_all(
        self, requests: Sequence[RunRequest], *, together: int
    ) -> Iterator[tuple[int, RunResult]]:
        """Run requests, `together` at a time; yield `(position, result)` as they end."""
        waiting = list(enumerate(requests))[::-1]
        running: list[tuple[int, Process]] = []
        try:
            while waiting or running:
                while waiting and len(running) < together:
                    position, request = waiting.pop()
                    running.append((position, self.start(request)))
                for entry in list(running):
                    position, process = entry
                    result = self.ended(process)
                    if result is not None:
                        running.remove(entry)
                        yield position, result
                if running:
                    time.sleep(_POLL)
        finally:  # the caller may stop listening early
            for _, process in running:
                self.end(process)

    def stage(self, request: RunRequest) -> ForkedStage:
        """Run a search once and keep it, so that orders can be tried from its snapshots."""
        return ForkedStage(self, request)

    # One process --------------------------------------------------------------------------

    def start(self, request: RunRequest) -> Process:
        """Start a process for one request, in a folder and a session of its own."""
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
        process = Process(request, folder, popen, ours)
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

    def ended(self, process: Process) -> RunResult | None:
        """Return the result of a process that ended, or that is over its limit."""
        code = process.popen.poll()
        if code is None:
            if not process.overdue():
                return None
            self.end(process)
            return timed_out(process.request.limit)
        result = read_result(process.folder / RESULT, code, process.folder / "log.txt")
        self.end(process)
        return result

    def end(self, process: Process) -> None:
        """End a process with all that it started, and remove its folder."""
        if process.line is not None:
            process.line.close()
        end_session(process.popen)
        shutil.rmtree(process.folder, ignore_errors=True)
        if process in self._live:
            self._live.remove(process)


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
