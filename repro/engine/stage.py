"""Asking a stage for orders: the two ends of the line between the audit and a stage.

Owns the queue that keeps as many trials going as there are cores, inside the stage's process
(`serve_orders`). The other end is in `repro.engine.launch`, which holds the process.
"""

from __future__ import annotations

import contextlib
import json
import selectors
from collections import deque
from typing import TYPE_CHECKING, Any

from repro.engine.snapshot import Snapshot, ask
from repro.model.delivery import Injection

if TYPE_CHECKING:
    import socket

    from repro.engine.fork import Stage


class Lines:
    """Lines of JSON over a socket, in both directions."""

    def __init__(self, line: socket.socket) -> None:
        """Take over an open socket."""
        self.socket = line
        self._inbox = b""

    def send(self, message: dict[str, Any]) -> None:
        """Send one message whole."""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # `receive` tells it
            self.socket.sendall(json.dumps(message, separators=(",", ":")).encode() + b"\n")

    def receive(self) -> list[dict[str, Any]] | None:
        """Return the messages that have arrived, or `None` once the other end is closed."""
        try:
            received = self.socket.recv(1 << 16)
        except ConnectionResetError:
            return None
        if not received:
            return None
        *lines, self._inbox = (self._inbox + received).split(b"\n")
        return [json.loads(line) for line in lines]


def serve_orders(stage: Stage, line: socket.socket) -> None:
    """Try the orders asked for on `line` until it is closed."""
    _Queue(stage, Lines(line)).serve()


class _Queue:
    """Runs trials on their snapshots, a given number at a time."""

    def __init__(self, stage: Stage, audit: Lines) -> None:
        self._snapshots = dict(stage.snapshots)
        self._audit = audit
        self._waiting: deque[dict[str, Any]] = deque()
        self._running: dict[int, int] = {}
        self._slots = 1
        self._selector = selectors.DefaultSelector()
        self._selector.register(audit.socket, selectors.EVENT_READ, None)
        for snapshot in self._snapshots.values():
            lines = Lines(snapshot.line)
            self._selector.register(snapshot.line, selectors.EVENT_READ, (snapshot, lines))

    def serve(self) -> None:
        self._audit.send({"ready": sorted(self._snapshots)})
        while True:
            for key, _ in self._selector.select():
                if key.data is None:
                    if not self._take():
                        self._release()
                        return
                else:
                    self._report(*key.data)
            self._start()

    def _take(self) -> bool:
        messages = self._audit.receive()
        if messages is None:
            return False
        for message in messages:
            if "slots" in message:
                self._slots = message["slots"]
            elif "drop" in message:
                self._waiting.clear()
            else:
                self._waiting.append(message)
        return True

    def _start(self) -> None:
        while self._waiting and len(self._running) < self._slots:
            request = self._waiting.popleft()
            trial = request["trial"]
            snapshot = self._before(request["injection"]["call"])
            if snapshot is None:
                self._audit.send({"trial": trial, "status": None, "overdue": False, "seconds": 0})
                continue
            self._running[trial] = snapshot.call.index
            ask(snapshot, trial, Injection.from_dict(request["injection"]), request["limit"])

    def _before(self, call: int) -> Snapshot | None:
        """Return the snapshot of a call, or of the last one before it that has one."""
        known = [index for index in self._snapshots if index <= call]
        return self._snapshots[max(known)] if known else None

    def _report(self, snapshot: Snapshot, lines: Lines) -> None:
        messages = lines.receive()
        if messages is None:
            self._bury(snapshot)
            return
        for message in messages:
            self._running.pop(message["trial"], None)
            self._audit.send(message)

    def _bury(self, snapshot: Snapshot) -> None:
        """A snapshot itself was killed: its trials went with it."""
        self._selector.unregister(snapshot.line)
        self._snapshots.pop(snapshot.call.index, None)
        snapshot.release()
        for trial, call in list(self._running.items()):
            if call == snapshot.call.index:
                del self._running[trial]
                self._audit.send({"trial": trial, "status": -9, "overdue": False, "seconds": 0})

    def _release(self) -> None:
        for snapshot in self._snapshots.values():
            snapshot.release()
