"""The second execution order: jobs run last to first in a forked shadow, and compared.

Owns the shadows and what they showed. While a process runs the jobs of a call, a forked copy of
it runs the same jobs from the last to the first, in copies of its folders, and sends back a
digest of what each gave. A job whose digests differ isn't pure. Leaves forking for orders to
`repro.engine.fork`, and what jobs write without returning it to a whole backwards run.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from repro.canon.value import value_digest
from repro.engine.serve import Result, run_job
from repro.engine.snapshot import die_with_parent
from repro.errors import OpaqueValueError
from repro.model.run import Purity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from repro.engine.control import Job
    from repro.engine.record import OpenCall


@dataclass(frozen=True, slots=True)
class _Shadow:
    """A forked child that runs the jobs of one call last to first."""

    pid: int
    pipe: int
    caster: int
    """The process that cast it. A trial forked in between has no shadow to wait for."""


class Shadows:
    """Casts a shadow for each call that is run, and keeps what they showed.

    Attributes:
        within: Whether this process is a shadow itself, and so only runs.
    """

    def __init__(self) -> None:
        """Start with nothing compared."""
        self.within = False
        self._calls = 0
        self._jobs = 0
        self._differing: list[tuple[int, int]] = []
        self._opaque: list[tuple[int, int, str]] = []
        self._untested: list[int] = []

    def skip(self, call: OpenCall) -> None:
        """Note that a call's second order couldn't be run."""
        self._untested.append(call.index)

    def run(self, call: OpenCall, jobs: list[Job]) -> list[Result]:
        """Run the jobs here, and in a shadow from the last to the first; compare at once.

        The caller may read what the jobs wrote, so the shadow is gone before it goes on.
        """
        shadow = self._cast(call, jobs)
        results: list[Result] = []
        digests: list[str | None] = []
        for index, job in enumerate(jobs):
            result = run_job(job)
            results.append(result)
            digests.append(self._digest(call.index, index, result))
        if os.getpid() == shadow.caster:
            self._compare(call.index, digests, shadow)
        return results

    def purity(self) -> Purity:
        """Return what was shown."""
        return Purity(
            calls=self._calls,
            jobs=self._jobs,
            differing=tuple(self._differing),
            opaque=tuple(self._opaque),
            untested=tuple(self._untested),
        )

    def _cast(self, call: OpenCall, jobs: list[Job]) -> _Shadow:
        folders = _copied_folders(f"shadow-{call.index}")
        read, write = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(read)
            _leave_after(lambda: self._run_backwards(call, jobs, folders, write))
        os.close(write)
        return _Shadow(pid, read, os.getpid())

    def _run_backwards(
        self, call: OpenCall, jobs: list[Job], folders: tuple[Path, Path], write: int
    ) -> None:
        self.within = True
        _move_to(*folders)
        found: list[str | None] = [None] * len(jobs)
        for index in reversed(range(len(jobs))):
            found[index] = self._digest(call.index, index, run_job(jobs[index]))
        with os.fdopen(write, "w") as pipe:
            json.dump(found, pipe)

    def _digest(self, call: int, index: int, result: Result) -> str | None:
        value = result.value if result.error is None else (type(result.error), str(result.error))
        try:
            with _uncollected():
                return value_digest(value, names=False)
        except OpaqueValueError as error:
            self._opaque.append((call, index, error.where or error.what))
            return None

    def _compare(self, call: int, digests: list[str | None], shadow: _Shadow) -> None:
        with os.fdopen(shadow.pipe) as pipe:
            text = pipe.read()
        _, status = os.waitpid(shadow.pid, 0)
        if status != 0 or not text:
            self._untested.append(call)
            return
        self._calls += 1
        for index, (there, here) in enumerate(zip(json.loads(text), digests, strict=True)):
            if there is not None and here is not None:
                self._jobs += 1
                if there != here:
                    self._differing.append((call, index))


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


def _leave_after(work: Callable[[], None]) -> NoReturn:
    """Do something in a forked child and leave by `os._exit`, whatever happens in it."""
    status = 1
    try:
        die_with_parent()
        work()
        status = 0
    finally:
        os._exit(status)
