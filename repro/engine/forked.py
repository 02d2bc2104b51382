"""The audit's end of a stage: a process that ran a search once and keeps snapshots of it.

Owns asking for orders and reading what came of them. The process itself is held by
`repro.engine.launch`; the other end of the line is `repro.engine.stage`.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from repro.engine.endings import read_result, timed_out
from repro.engine.execute import RESULT
from repro.engine.stage import Lines
from repro.model.run import Ending, Failure, RunResult, Trial

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repro.engine.launch import Launcher
    from repro.model.delivery import Injection
    from repro.model.run import RunRequest
    from repro.model.trace import Call

_POLL = 0.1  # seconds between looks at a process that may have died without a word


class ForkedStage:
    """A search that ran once, with a parked snapshot at every call whose order could matter."""

    def __init__(self, launcher: Launcher, request: RunRequest) -> None:
        """Start the process."""
        self._launcher = launcher
        self._process = launcher.start(request)
        self._count = 0
        self.base: RunResult | None = None
        self.ready: frozenset[int] = frozenset()

    def wait(self) -> RunResult:
        """Wait for the one run of the jobs and return its result."""
        process = self._process
        if process.line is None:
            raise RuntimeError("a stage has a line")
        self._lines = Lines(process.line)
        process.line.settimeout(_POLL)
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
            ended = self._launcher.ended(process)
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
            return timed_out(limit)
        if message["status"] is None:
            failure = Failure("NoSnapshot", "the call has no snapshot to try orders from")
            return RunResult(Ending.CONTROL, failure=failure)
        path = self._process.folder / f"trial-{message['trial']}.json"
        result = read_result(path, int(str(message["status"])), self._process.folder / "log.txt")
        path.unlink(missing_ok=True)
        return result

    def close(self) -> None:
        """End the process and its snapshots."""
        self._launcher.end(self._process)


def _lost(pending: dict[int, tuple[Call, Injection]]) -> Iterator[Trial]:
    """The stage itself ended: every order still asked for is without a result."""
    failure = Failure("StageEnded", "the process that held the snapshots ended")
    for call, injection in pending.values():
        yield Trial(injection, call, RunResult(Ending.CRASHED, failure=failure))
    pending.clear()
