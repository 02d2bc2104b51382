"""Snapshots: sleeping copies of a process, asked for one order after the other.

Owns a snapshot's life and the line on which it is asked. When to take one is
`repro.engine.fork`'s; which orders to ask for, and how many at a time, `repro.engine.stage`'s.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.model.delivery import Injection

if TYPE_CHECKING:
    import socket

    from repro.engine.record import OpenCall

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
_TICK = 0.01


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


def ask(snapshot: Snapshot, trial: int, injection: Injection, limit: float | None) -> None:
    """Ask a snapshot to try one order."""
    request: dict[str, Any] = {"trial": trial, "injection": injection.to_dict(), "limit": limit}
    snapshot.line.sendall(json.dumps(request).encode() + b"\n")


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
