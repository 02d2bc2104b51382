"""Forking at the decision point: the jobs run once, the reduction once per order.

Owns when a snapshot is taken. When a served call is about to be delivered, the process forks a
snapshot of itself that sleeps with all results in memory. Asked for an order, a snapshot forks a
child, which delivers that order, runs the search to its end and leaves by `os._exit`. Nothing
is re-run, nothing is unpickled, and any order at any call can be asked for at any time.

A process may be forked only while it has a single thread. Where that doesn't hold, nothing is
parked and the reason is kept: the audit then runs a fresh process per order.
"""

from __future__ import annotations

import gc
import os
import socket
from typing import TYPE_CHECKING

from repro.engine.serve import Director, Result
from repro.engine.shadow import Shadows
from repro.engine.snapshot import Snapshot, threads_alive, wait_for_orders

if TYPE_CHECKING:
    from repro.engine.control import Job
    from repro.engine.record import OpenCall
    from repro.model.delivery import Injection
    from repro.model.run import Purity

_SNAPSHOTS_PER_SITE = 3


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
        self._shadows = Shadows()

    def run(self, call: OpenCall, jobs: list[Job]) -> list[Result]:
        """Run the jobs, and in a shadow the same jobs last to first."""
        one_order = call.alone or len(jobs) < 2  # noqa: PLR2004 - one job has one order
        if self._shadows.within or not self._purity or one_order:
            return super().run(call, jobs)
        if not self._may_fork():
            self._shadows.skip(call)
            return super().run(call, jobs)
        return self._shadows.run(call, jobs)

    def purity(self) -> Purity:
        """Return what the second execution order showed."""
        return self._shadows.purity()

    def order(self, call: OpenCall, results: list[Result]) -> tuple[int, ...]:
        """Park a snapshot; in a trial forked from one, return the order asked for."""
        jobs = len(results)
        identity = tuple(range(jobs))
        if self._shadows.within or jobs < 2:  # noqa: PLR2004 - one has one order
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
