"""The canary: does interception and delivery work with the joblib that is installed here?

Owns a few tiny searches with known answers, one for each kind of call. It runs at the start
of every audited process: a boundary that silently missed a call would turn every later
verdict into a false one.
"""

from __future__ import annotations

import contextlib
import threading
from typing import TYPE_CHECKING

import joblib

from repro.engine.control import Delivered, installed
from repro.engine.record import OpenCall, Recorder
from repro.engine.serve import Director, Result, serving
from repro.errors import ControlError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_JOBS = 4
_PATIENCE = 10.0  # seconds; a completion that hasn't come by then never will


def canary() -> None:
    """Prove, without a process or thread, that calls are seen and served in a given order.

    Raises:
        ControlError: The installed joblib doesn't behave as control needs it to.
    """
    backwards = tuple(reversed(range(_JOBS)))
    recorder = Recorder()
    with _complaints(), serving(recorder, _Backwards()):
        as_list = _squares("list")
        ordered = list(_squares("generator"))
        unordered = list(_squares("generator_unordered"))
    expected = [number * number for number in range(_JOBS)]
    _require(as_list == expected, "a list came back in another order than it was submitted")
    _require(ordered == expected, "an ordered generator didn't keep submission order")
    _require(
        unordered == [index * index for index in backwards],
        "an injected order didn't reach the caller of an unordered generator",
    )
    calls = recorder.trace().calls
    _require(len(calls) == 3, f"3 calls were made and {len(calls)} were seen")  # noqa: PLR2004
    _require(
        [call.unordered for call in calls] == [False, False, True],
        "`return_as` can no longer be told from joblib.Parallel's attributes",
    )


def canary_parallel() -> None:
    """Prove, with two threads, that ordered delivery really reorders a completion order.

    The first job waits until the second has finished, so completion order is fixed: a
    delivery that isn't controlled gives the second result first.

    Raises:
        ControlError: Ordered delivery doesn't work with the installed joblib.
    """
    for ordered, expected in ((False, [1, 0]), (True, [0, 1])):
        finished = threading.Event()
        recorder = Recorder()
        with _complaints(), installed(Delivered(recorder, ordered=ordered)):
            jobs = [joblib.delayed(_wait)(finished), joblib.delayed(_finish)(finished)]
            found = list(
                joblib.Parallel(n_jobs=2, backend="threading", return_as="generator_unordered")(
                    jobs
                )
            )
        name = "ordered" if ordered else "native"
        _require(found == expected, f"{name} delivery gave {found} where {expected} was due")
        (call,) = recorder.trace().calls
        _require(call.completed == (1, 0), f"completion order was seen as {call.completed}")


class _Backwards(Director):
    def order(self, call: OpenCall, results: list[Result]) -> tuple[int, ...]:  # noqa: ARG002
        return tuple(reversed(range(len(results))))


def _squares(return_as: str) -> Iterable[int]:
    parallel = joblib.Parallel(n_jobs=2, return_as=return_as)
    squares: Iterable[int] = parallel(joblib.delayed(pow)(index, 2) for index in range(_JOBS))
    return squares


def _wait(finished: threading.Event) -> int:
    return 0 if finished.wait(_PATIENCE) else -1


def _finish(finished: threading.Event) -> int:
    finished.set()
    return 1


@contextlib.contextmanager
def _complaints() -> Iterator[None]:
    """Turn what a joblib of another shape raises into the canary's own word."""
    try:
        yield
    except (AttributeError, TypeError, ValueError) as error:
        raise _changed(f"{type(error).__name__}: {error}") from error


def _require(holds: bool, what: str) -> None:  # noqa: FBT001
    if not holds:
        raise _changed(what)


def _changed(what: str) -> ControlError:
    return ControlError(
        f"the installed joblib {joblib.__version__} can't be controlled: {what}",
        do="install a joblib version that this release was tested with (see `repro doctor`)",
    )
