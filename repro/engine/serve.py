"""Serving joblib calls in this process: no workers, any order of delivery.

Owns running a call's jobs one after the other and handing the results on in an order that a
`Director` chooses. Nothing here starts a thread or a process, so that a process that serves
can be forked. What to do at a decision point is the director's business
(`repro.engine.fork`); the default one delivers in submission order.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import threading
from typing import TYPE_CHECKING, Any

import joblib

from repro.engine.control import Job, Original, installed, takes_any_order

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from repro.engine.record import OpenCall, Recorder

ENDLESS = 100_000
"""Jobs after which an input of unknown length counts as endless and isn't held back."""


class Result:
    """What one job gave: a value, or the exception that it raised."""

    __slots__ = ("error", "value")

    def __init__(self, value: Any = None, error: Exception | None = None) -> None:  # noqa: ANN401
        """Keep either."""
        self.value = value
        self.error = error

    def get(self) -> Any:  # noqa: ANN401
        """Return the value, or raise the job's own exception."""
        if self.error is not None:
            raise self.error
        return self.value


def run_job(job: Job) -> Result:
    """Run one job and keep whatever came of it, as a pool of workers would."""
    function, args, kwargs = job
    try:
        return Result(function(*args, **kwargs))
    except Exception as error:  # noqa: BLE001 - kept, and raised again where it is delivered
        return Result(error=error)


class Director:
    """Decides, call by call, how jobs are run and in which order results are delivered."""

    def run(self, call: OpenCall, jobs: list[Job]) -> list[Result]:  # noqa: ARG002
        """Run the jobs; the results come back in submission order."""
        return [run_job(job) for job in jobs]

    def order(self, call: OpenCall, results: list[Result]) -> tuple[int, ...]:  # noqa: ARG002
        """Return job indices in the order of delivery."""
        return tuple(range(len(results)))


class Backwards(Director):
    """Runs the jobs of each call last to first, and delivers in submission order."""

    def run(self, call: OpenCall, jobs: list[Job]) -> list[Result]:
        """Run the jobs from the last to the first."""
        if call.alone:  # one worker never runs them in another order
            return super().run(call, jobs)
        return [run_job(job) for job in reversed(jobs)][::-1]


class Server:
    """Stands in for `Parallel.__call__` and serves every call in this process.

    Args:
        recorder: Takes down sites and jobs.
        director: Runs jobs and chooses orders.
    """

    def __init__(self, recorder: Recorder, director: Director) -> None:
        """Remember the thread that searches: only it may be forked, so only it is directed."""
        self._recorder = recorder
        self._director = director
        self._thread = threading.get_ident()
        self._depth = 0

    def __call__(
        self,
        original: Original,
        parallel: joblib.Parallel,
        iterable: Iterable[Job],
    ) -> Any:  # noqa: ANN401 - a list or a generator, as `return_as` asks
        """Run the call's jobs here and deliver their results."""
        if threading.get_ident() != self._thread:
            return self._elsewhere(original, parallel, iterable)
        unordered = takes_any_order(parallel)
        call = self._recorder.open(sys._getframe(2), unordered=unordered)  # noqa: SLF001
        call.nested = self._depth > 0
        call.alone = parallel.n_jobs == 1
        jobs = self._take(call, iterable)
        if jobs is None:
            return self._stream(call, iterable, parallel)
        results = self._run(call, jobs)
        call.ready = self._recorder.elapsed()
        order = self._director.order(call, results) if unordered else range(len(results))
        delivered = _hand_out(call, results, order)
        return delivered if parallel.return_generator else list(delivered)

    def _take(self, call: OpenCall, iterable: Iterable[Job]) -> list[Job] | None:
        """Return the jobs, or `None` where the input has no end in sight."""
        if not hasattr(iterable, "__len__"):
            iterator = iter(iterable)
            head = list(itertools.islice(iterator, ENDLESS + 1))
            if len(head) > ENDLESS:
                call.uncontrolled = f"its input gave more than {ENDLESS} jobs without an end"
                self._rest = itertools.chain(head, iterator)
                return None
            iterable = head
        jobs = [(function, args, kwargs) for function, args, kwargs in iterable]
        for job in jobs:
            call.submit(*job)
        return jobs

    def _run(self, call: OpenCall, jobs: list[Job]) -> list[Result]:
        self._depth += 1
        try:
            return self._director.run(call, jobs)
        finally:
            self._depth -= 1

    def _stream(self, call: OpenCall, iterable: Iterable[Job], parallel: joblib.Parallel) -> Any:  # noqa: ANN401
        """Serve an endless input job by job, in submission order."""
        del iterable
        rest = self._rest

        def results() -> Iterator[Any]:
            for job in rest:
                call.submit(*job)
                call.delivered += 1
                yield run_job(job).get()

        return results() if parallel.return_generator else list(results())

    def _elsewhere(
        self, original: Original, parallel: joblib.Parallel, iterable: Iterable[Job]
    ) -> Any:  # noqa: ANN401
        """Let a call from another thread pass, and say that it was out of control."""
        unordered = takes_any_order(parallel)
        call = self._recorder.open(sys._getframe(3), unordered=unordered)  # noqa: SLF001
        call.uncontrolled = "it was made from a thread that the search started itself"
        return original(parallel, iterable)


def _hand_out(call: OpenCall, results: list[Result], order: Iterable[int]) -> Iterator[Any]:
    """Deliver results, dropping each as it goes so that memory is freed as joblib would."""
    try:
        for index in order:
            result = results[index]
            results[index] = Result()
            call.delivered += 1
            yield result.get()
    finally:
        call.close()


@contextlib.contextmanager
def serving(recorder: Recorder, director: Director) -> Iterator[None]:
    """Serve every joblib call of this thread in this process while the context lasts.

    `with Parallel() as parallel:` would start a pool when it is entered and, in a forked
    child, remove its parent's temporary folder when it is left. Nothing is started here, so
    both methods are set aside as well.
    """
    enter, leave = joblib.Parallel.__enter__, joblib.Parallel.__exit__
    joblib.Parallel.__enter__ = _itself
    joblib.Parallel.__exit__ = _nothing
    try:
        with installed(Server(recorder, director)):
            yield
    finally:
        joblib.Parallel.__enter__, joblib.Parallel.__exit__ = enter, leave


def _itself(parallel: joblib.Parallel) -> joblib.Parallel:
    return parallel


def _nothing(parallel: joblib.Parallel, *exception: object) -> None:
    """Leave without stopping a pool: none was started."""
