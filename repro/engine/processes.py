"""Ending processes so that nothing of them is left: no child, no semaphore, no folder.

Owns the clean-up after a run, whether it ended by itself, was killed, or its whole tool was.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess

_SHARED = Path("/dev/shm")  # noqa: S108 - where Linux keeps named semaphores
_GRACE = 2.0  # seconds that joblib's resource tracker gets to unlink what it knows of


def end_session(popen: subprocess.Popen[bytes]) -> None:
    """Kill a process and everything in its session, then remove what the kernel keeps.

    joblib's resource tracker is spared for a moment: once the others are gone it unlinks
    their semaphores and shared files, and ends by itself.
    """
    members = _session(popen.pid)
    trackers = {pid for pid in members if _is_tracker(pid)}
    for pid in (members - trackers) | ({popen.pid} if popen.poll() is None else set()):
        _kill(pid)
    popen.wait()
    deadline = time.monotonic() + _GRACE
    while trackers and time.monotonic() < deadline:
        trackers = {pid for pid in trackers if _alive(pid)}
        if trackers:
            time.sleep(0.01)
    for pid in _session(popen.pid) | trackers:
        _kill(pid)
    for pid in members | {popen.pid}:
        _unlink_semaphores(pid)


def sweep(folder: Path, prefix: str) -> None:
    """Remove run folders whose tool was killed before it could remove them itself."""
    with contextlib.suppress(OSError):
        for path in folder.glob(f"{prefix}*"):
            owner = path.name.removeprefix(prefix).split("-")[0]
            if owner.isdigit() and not _alive(int(owner)) and path.stat().st_uid == os.getuid():
                shutil.rmtree(path, ignore_errors=True)


def _session(leader: int) -> set[int]:
    """Return the live processes of a session that `leader` began (Linux; else the leader)."""
    found: set[int] = set()
    for entry in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = entry.read_text().rsplit(")", 1)[1].split()
            if int(fields[3]) == leader and fields[0] != "Z":
                found.add(int(entry.parent.name))
    return found


def _is_tracker(pid: int) -> bool:
    with contextlib.suppress(OSError):
        return b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    with contextlib.suppress(OSError, IndexError):
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    return True


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def _unlink_semaphores(pid: int) -> None:
    with contextlib.suppress(OSError):
        for path in _SHARED.glob(f"sem.loky-{pid}-*"):
            path.unlink(missing_ok=True)
