"""Forking at the decision point: the jobs run once, the reduction once per order.

Owns the snapshots. When a served call is about to be delivered, the process forks a snapshot
of itself that sleeps with all results in memory. Asked for an order, a snapshot forks a
child, which delivers that order, runs the search to its end and leaves by `os._exit`. Nothing
is re-run, nothing is unpickled, and any order at any call can be asked for at any time.

Also owns the second execution order: before the jobs of a call run, a forked shadow runs
them last to first, and the digests of what each job gave are compared.

A process may be forked only while it has a single thread. Where that doesn't hold, nothing is
parked and the reason is kept: the audit then runs a fresh process per order.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import shutil
import signal
import socket
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.canon.value import value_digest
from repro.engine.serve import Director, Result, run_job
from repro.errors import OpaqueValueError
from repro.model.delivery import Injection
from repro.model.run import Purity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from repro.engine.control import Job
    from repro.engine.record import OpenCall

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_TICK = 0.01
_SNAPSHOTS_PER_SITE = 3


def die_with_parent() -> None:
    """Ask the kernel to kill this process when its parent ends (Linux; else nothing)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def threads_alive() -> int:
    """Count this process's threads, native ones included where the system tells."""
    tasks = Path("/proc/self/task")
    return len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()


@dataclass(slots=True)
class Snapshot:
    """A parked copy of this process, just before the results of a call are delivered."""

    call: OpenCall
    pid: int
    line: socket.socket

    def release(self) -> None:
        """Let the snapshot end; it ends by itself when its line is closed."""
        self.line.close()
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.pid, 0)


@dataclass(slots=True)
class _Shadow:
    """A forked child that runs the jobs of one call last to first."""

    call: int
    pid: int
    pipe: int
    digests: list[str | None] = field(default_factory=list)


class Stage(Director):
    """Directs a served search so that other orders can be tried from its decision points.

    The same object lives on in every forked child, in another role: in a trial it delivers
    the order asked for, in a shadow it does nothing but run.

    Args:
        purity: Whether to run the jobs of each call in a second execution order.
    """

    def __init__(self, *, purity: bool) -> None:
        """Begin with no snapshots."""
        self.snapshots: dict[int, Snapshot] = {}
        self.unforkable: str | None = None
        self.trial: int | None = None
        self._injection: Injection | None = None
        self._purity = purity
        self._plain = False
        self._shadow: _Shadow | None = None
        self._tested = 0
        self._jobs = 0
        self._differing: list[tuple[int, int]] = []
        self._opaque: list[tuple[int, int, str]] = []
        self._untested: list[int] = []

    # Running jobs -------------------------------------------------------------------------

    def run(self, call: OpenCall, jobs: list[Job]) -> list[Result]:
        """Run the jobs, and in a shadow the same jobs last to first."""
        one_order = call.alone or len(jobs) < 2  # noqa: PLR2004 - one job has one order
        if self._plain or not self._purity or one_order:
            return super().run(call, jobs)
        self._collect()
        shadow = self._cast_shadow(call, jobs)
        results: list[Result] = []
        digests: list[str | None] = []
        for index, job in enumerate(jobs):
            result = run_job(job)
            results.append(result)
            with _uncollected():
                digests.append(self._digest(call.index, index, result))
        if shadow is not None:
            shadow.digests = digests
            self._shadow = shadow
            if self.trial is None:
                self._collect()  # before the caller goes on: it may read what jobs wrote
        return results

    def _cast_shadow(self, call: OpenCall, jobs: list[Job]) -> _Shadow | None:
        if not self._may_fork():
            self._untested.append(call.index)
            return None
        folders = _copied_folders(f"shadow-{call.index}")
        read, write = os.pipe()
        pid = os.fork()
        if pid:
            os.close(write)
            return _Shadow(call.index, pid, read)
        with _forked():
            os.close(read)
            self._plain = True
            _move_to(*folders)
            found: list[str | None] = [None] * len(jobs)
            for index in reversed(range(len(jobs))):
                found[index] = self._digest(call.index, index, run_job(jobs[index]))
            with os.fdopen(write, "w") as pipe:
                json.dump(found, pipe)
        raise AssertionError  # pragma: no cover - _forked never returns

    def _digest(self, call: int, index: int, result: Result) -> str | None:
        value = result.value if result.error is None else (type(result.error), str(result.error))
        try:
            return value_digest(value, names=False)
        except OpaqueValueError as error:
            if not self._plain:
                self._opaque.append((call, index, error.where or error.what))
            return None

    def _collect(self) -> None:
        """Wait for the shadow in flight and compare."""
        shadow, self._shadow = self._shadow, None
        if shadow is None:
            return
        with os.fdopen(shadow.pipe) as pipe:
            text = pipe.read()
        _, status = os.waitpid(shadow.pid, 0)
        if status != 0 or not text:
            self._untested.append(shadow.call)
            return
        self._tested += 1
        for index, (there, here) in enumerate(zip(json.loads(text), shadow.digests, strict=True)):
            if there is not None and here is not None:
                self._jobs += 1
                if there != here:
                    self._differing.append((shadow.call, index))

    def purity(self) -> Purity:
        """Return what the second execution order showed."""
        self._collect()
        return Purity(
            calls=self._tested,
            jobs=self._jobs,
            differing=tuple(self._differing),
            opaque=tuple(self._opaque),
            untested=tuple(self._untested),
        )

    # Delivering results -------------------------------------------------------------------

    def order(self, call: OpenCall, results: list[Result]) -> tuple[int, ...]:
        """Park a snapshot; in a trial forked from one, return the order asked for."""
        jobs = len(results)
        identity = tuple(range(jobs))
        if self._plain or jobs < 2:  # noqa: PLR2004 - one has one order
            return identity
        injection = self._injection
        if injection is None:
            injection = self._park(call)
            if injection is None:
                return identity
            self._injection = injection
        return injection.permutation(call, jobs)

    def _park(self, call: OpenCall) -> Injection | None:
        """Fork a snapshot. Returns an injection only in a trial that a snapshot forked."""
        self._collect()
        if not self._may_fork():
            return None
        self._make_room(call)
        # Collections after the fork would write to every object's header and so copy its page.
        gc.freeze()
        ours, theirs = socket.socketpair()
        pid = os.fork()
        if pid:
            theirs.close()
            self.snapshots[call.index] = Snapshot(call, pid, ours)
            return None
        ours.close()
        for snapshot in self.snapshots.values():
            snapshot.line.close()
        self.snapshots.clear()
        self._purity = False  # the base run tests that; a trial only searches
        self.trial, injection = wait_for_orders(theirs)
        return injection

    def _make_room(self, call: OpenCall) -> None:
        """Keep the first call of a site and those with most jobs; let the others go."""
        same = [s for s in self.snapshots.values() if s.call.site == call.site]
        if len(same) >= _SNAPSHOTS_PER_SITE:
            smallest = min(same[1:], key=lambda snapshot: len(snapshot.call.labels))
            self.snapshots.pop(smallest.call.index).release()

    def _may_fork(self) -> bool:
        if not hasattr(os, "fork"):
            self.unforkable = "this system can't fork"
        elif (alive := threads_alive()) > 1:
            self.unforkable = f"the search's process has {alive} threads"
        else:
            return True
        return False


class Injector(Director):
    """Delivers one injected order in a fresh process: the fallback, and replays."""

    def __init__(self, injection: Injection) -> None:
        """Keep the order."""
        self._injection = injection

    def order(self, call: OpenCall, results: list[Result]) -> tuple[int, ...]:
        """Return the injected order at its call, submission order elsewhere."""
        return self._injection.permutation(call, len(results))


def wait_for_orders(line: socket.socket) -> tuple[int, Injection]:
    """Sleep as a snapshot; fork a child per order. Returns in the children only.

    The snapshot reports each child's end as a line of JSON and ends itself, with its
    children, when the other end of the line is closed.
    """
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    running: dict[int, _Running] = {}
    inbox = b""
    while True:
        ready, _, _ = select.select([line], [], [], _TICK if running else None)
        _reap(line, running)
        if not ready:
            continue
        received = line.recv(65536)
        if not received:
            for pid in running:
                os.kill(pid, signal.SIGKILL)
            os._exit(0)
        *requests, inbox = (inbox + received).split(b"\n")
        for text in requests:
            request = json.loads(text)
            pid = os.fork()
            if pid == 0:
                die_with_parent()
                line.close()
                return int(request["trial"]), Injection.from_dict(request["injection"])
            running[pid] = _Running(request["trial"], request["limit"])


@dataclass(slots=True)
class _Running:
    trial: int
    limit: float | None
    started: float = field(default_factory=time.monotonic)
    overdue: bool = False


def _reap(line: socket.socket, running: dict[int, _Running]) -> None:
    """Report children that ended; kill those over their limit."""
    for pid, child in list(running.items()):
        seconds = time.monotonic() - child.started
        if child.limit is not None and seconds > child.limit and not child.overdue:
            child.overdue = True
            os.kill(pid, signal.SIGKILL)
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            del running[pid]
            report = {
                "trial": child.trial,
                "status": os.waitstatus_to_exitcode(status),
                "overdue": child.overdue,
                "seconds": seconds,
            }
            line.sendall(json.dumps(report).encode() + b"\n")


def _copied_folders(name: str) -> tuple[Path, Path]:
    """Copy the working and the temporary folder to a place beside them."""
    work, temporary = Path.cwd(), Path(tempfile.gettempdir())
    beside = temporary.parent / name
    return (
        shutil.copytree(work, beside / "work", symlinks=True),
        shutil.copytree(temporary, beside / "tmp", symlinks=True),
    )


def _move_to(work: Path, temporary: Path) -> None:
    """Let this process write elsewhere, out of the way of the one that it was forked from."""
    os.chdir(work)
    os.environ["TMPDIR"] = str(temporary)
    tempfile.tempdir = None


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """Put garbage collection off: a digest's many small objects would set it going for nothing."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@contextlib.contextmanager
def _forked() -> Iterator[None]:
    """Run a block in a forked child and leave by `os._exit`, whatever happens in it."""
    status = 1
    try:
        die_with_parent()
        yield
        status = 0
    finally:
        os._exit(status)


def ask(snapshot: Snapshot, trial: int, injection: Injection, limit: float | None) -> None:
    """Ask a snapshot to try one order."""
    request: dict[str, Any] = {"trial": trial, "injection": injection.to_dict(), "limit": limit}
    snapshot.line.sendall(json.dumps(request).encode() + b"\n")
