"""The joblib boundary: every parallel step of a search, seen and delivered in a chosen order.

Owns the interception of `joblib.Parallel.__call__`, ordered delivery of real parallel runs,
and `deterministic()`. It uses joblib's public surface only: `__call__`, the `(function,
arguments, keywords)` triples of `delayed`, and the attributes `return_generator`,
`return_ordered` and `n_jobs`. Serving jobs in this process is in `repro.engine.serve`;
trying other orders in forked children is in `repro.engine.fork`.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
import threading
import traceback
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self, cast

import joblib

from repro.engine.record import Recorder
from repro.errors import ControlError, UsageError

if TYPE_CHECKING:
    from types import TracebackType

    from repro.engine.record import OpenCall
    from repro.model.trace import Trace

Job = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Original = Callable[[joblib.Parallel, Iterable[Job]], Any]
_MARK = "__repro_boundary__"


class Handler(Protocol):
    """What stands in place of `joblib.Parallel.__call__` while a boundary is installed."""

    def __call__(
        self, original: Original, parallel: joblib.Parallel, iterable: Iterable[Job]
    ) -> Any:  # noqa: ANN401 - a list or a generator, as `return_as` asks
        """Return what the call would have returned, delivered in the handler's order."""
        ...


@contextlib.contextmanager
def installed(handler: Handler) -> Iterator[None]:
    """Route every `joblib.Parallel.__call__` of this process through `handler`.

    Raises:
        ControlError: On leaving, when somebody else replaced the method in between, so that
            calls may have gone past the handler unseen.
    """
    original = joblib.Parallel.__call__

    @functools.wraps(original)
    def controlled(parallel: joblib.Parallel, iterable: Iterable[Job]) -> Any:  # noqa: ANN401
        return handler(original, parallel, iterable)

    setattr(controlled, _MARK, True)
    joblib.Parallel.__call__ = controlled
    try:
        yield
    finally:
        replaced = joblib.Parallel.__call__ is not controlled
        if not replaced:
            joblib.Parallel.__call__ = original
    if replaced:
        raise ControlError(
            "joblib.Parallel.__call__ was replaced by something else during the run",
            do="remove the other tool that patches joblib, then run again",
        )


def takes_any_order(parallel: joblib.Parallel) -> bool:
    """Whether results may reach the caller in another order than that of submission.

    One worker runs jobs one after the other, and gives their results in that order whatever
    was asked for.
    """
    return parallel.return_generator and not parallel.return_ordered and parallel.n_jobs != 1


def is_installed() -> bool:
    """Whether calls of this process are routed through a handler now."""
    return hasattr(joblib.Parallel.__call__, _MARK)


class Delivered:
    """Runs every call in parallel as joblib would, and delivers in a named order.

    Args:
        recorder: Takes down sites, jobs and completion order.
        ordered: `True` delivers in submission order, `False` in completion order.
        processes: Number of workers to use where the search asks for several; `None` leaves
            the search's own number.
    """

    def __init__(self, recorder: Recorder, *, ordered: bool, processes: int | None = None) -> None:
        """Keep the choices; nothing is patched before `installed`."""
        self._recorder = recorder
        self._ordered = ordered
        self._processes = processes

    def __call__(
        self, original: Original, parallel: joblib.Parallel, iterable: Iterable[Job]
    ) -> Any:  # noqa: ANN401
        """Pass the call on with each job tagged by its index; strip the tags on the way back."""
        unordered = takes_any_order(parallel)
        call = self._recorder.open(sys._getframe(2), unordered=unordered)  # noqa: SLF001
        kind = _SizedTagged if hasattr(iterable, "__len__") else _Tagged
        tagged = kind(iterable, call, ordered=self._ordered)
        with _physical(parallel, self._processes):
            stream = original(parallel, tagged)
        if not parallel.return_generator:
            values = [_given(value) for _, value in stream]
            call.close(delivered=len(values))
            return values
        return _deliver(stream, call, reorder=unordered and self._ordered)


def _deliver(stream: Iterator[tuple[int, Any]], call: OpenCall, *, reorder: bool) -> Iterator[Any]:
    """Strip tags; with `reorder`, hold results back until all earlier ones were given out."""
    waiting: dict[int, Any] = {}
    expected = 0
    try:
        for index, value in stream:
            call.completed(index)
            if not reorder:
                call.delivered += 1
                yield _given(value)
                continue
            waiting[index] = value
            while expected in waiting:
                call.delivered += 1
                yield _given(waiting.pop(expected))
                expected += 1
        if waiting:  # a result is missing: never pass off a hole as an order
            raise ControlError(
                f"job {expected} of {call.site} gave no result, later ones did",
                do="run again with --delivery serial and report this with the output of "
                "`repro doctor`",
            )
    finally:
        close = getattr(stream, "close", None)
        if close is not None:
            close()
        call.close()


class _Tagged:
    """The caller's jobs, each tagged with its index, and as lazy as they were."""

    def __init__(self, iterable: Iterable[Job], call: OpenCall, *, ordered: bool) -> None:
        self._iterable = iterable
        self._call = call
        self._ordered = ordered

    def __iter__(self) -> Iterator[Job]:
        for index, (function, args, kwargs) in enumerate(self._iterable):
            self._call.submit(function, args, kwargs)
            yield run_tagged, (index, self._ordered, function, args, kwargs), {}


class _SizedTagged(_Tagged):
    """The same where the caller's iterable has a length; joblib asks by `hasattr`."""

    def __len__(self) -> int:
        return len(cast("Sized", self._iterable))


def run_tagged(
    index: int,
    ordered: bool,  # noqa: FBT001 - travels to a worker as a plain positional argument
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> tuple[int, Any]:
    """Run one job, in whichever process it landed, and return its index and its value.

    Under ordered delivery an exception is a result like others, and waits for its turn.
    A job may itself call `Parallel`. In a thread the boundary is there already; in a worker
    process it isn't, and under ordered delivery it is installed around the job.
    """
    if not ordered:
        return index, function(*args, **kwargs)
    with contextlib.nullcontext() if is_installed() else deterministic():
        try:
            return index, function(*args, **kwargs)
        except Exception as error:  # noqa: BLE001 - raised again where its turn comes
            return index, Raised(error, traceback.format_exc())


@dataclass(slots=True)
class Raised:
    """What a job raised, kept until its turn comes.

    joblib gives up all of a call as soon as one job fails, and with it what earlier jobs may
    have been about to return: who was faster would decide what the caller sees.
    """

    error: Exception
    text: str


class _InWorker(Exception):  # noqa: N818 - never raised, only shown as a cause
    """The traceback of a job in its worker, as text: that is all that can travel."""


def _given(value: Any) -> Any:  # noqa: ANN401 - whatever the job returned
    """Return what a job returned, or raise what it raised."""
    if not isinstance(value, Raised):
        return value
    if value.error.__traceback__ is None:
        raise value.error from _InWorker(f"\n{value.text}")
    raise value.error


@contextlib.contextmanager
def _physical(parallel: joblib.Parallel, processes: int | None) -> Iterator[None]:
    """Set the number of workers of one call, where it asks for several."""
    asked = parallel.n_jobs
    if processes is None or asked in (None, 1):
        yield
        return
    parallel.n_jobs = processes
    try:
        yield
    finally:
        parallel.n_jobs = asked


class deterministic(contextlib.ContextDecorator):  # noqa: N801 - used as a verb, like `suppress`
    """Deliver the results of every joblib call in submission order, at full parallel speed.

    Use it as a context manager or as a decorator around any search that uses joblib::

        with repro.deterministic() as control:
            mappings = spec.map_workload_to_arch()

    Jobs run in as many workers as before. Where a search asked for results as they complete
    (`return_as="generator_unordered"`), they are handed on in the order of submission, so the
    code behind cannot see which job happened to finish first.

    What it can't promise: that the result equals a run with another *number* of workers, for
    a search may cut its work by it; and anything about work that doesn't go through joblib.
    `control.trace` names every call that was delivered, and `control.calls` counts them: zero
    says that nothing went through joblib, so nothing was made deterministic.

    It is reentrant and may be entered from several threads; the boundary is installed by the
    first to enter and removed by the last to leave.
    """

    _lock = threading.Lock()
    _active = 0
    _stack: contextlib.ExitStack | None = None
    _recorder: Recorder = Recorder()

    def __call__[F: Callable[..., Any]](self, function: F) -> F:
        """Decorate a search.

        Raises:
            UsageError: It is a generator or a coroutine function: its body would run after the
                boundary was removed again.
        """
        if inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function):
            raise UsageError(
                f"{function.__qualname__} runs its body later, outside of the decorator",
                do="use `with repro.deterministic():` inside it",
            )
        return super().__call__(function)

    def __enter__(self) -> Self:
        """Install the boundary unless it is installed already."""
        cls = type(self)
        with cls._lock:
            if cls._active == 0:
                cls._recorder = Recorder()
                stack = contextlib.ExitStack()
                stack.enter_context(installed(Delivered(cls._recorder, ordered=True)))
                cls._stack = stack
            cls._active += 1
            self._recorder = cls._recorder
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Remove the boundary when the last user leaves."""
        cls = type(self)
        with cls._lock:
            if cls._active == 0:
                raise UsageError("deterministic() was left more often than it was entered")
            cls._active -= 1
            if cls._active == 0 and cls._stack is not None:
                stack, cls._stack = cls._stack, None
                stack.close()

    @property
    def trace(self) -> Trace:
        """The joblib calls seen since the boundary was installed."""
        return self._recorder.trace()

    @property
    def calls(self) -> int:
        """How many joblib calls were delivered in submission order."""
        return len(self._recorder.trace().calls)
