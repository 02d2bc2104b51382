from __future__ import annotations

import itertools
import threading
import time

import joblib
import pytest
from joblib import Parallel, delayed

import repro
from repro.engine.canary import canary, canary_parallel
from repro.engine.control import Delivered, installed
from repro.engine.record import Recorder
from repro.errors import ControlError, UsageError

JOBS = 5
CANCELLED = "ignore:.*tasks which:UserWarning"
"""What joblib itself says, controlled or not, when a caller stops listening."""


def last_first(index, count=JOBS):
    """Finish in the reverse of submission order."""
    time.sleep(0.03 * (count - index))
    return index


def slow_jobs(count=JOBS):
    return [delayed(last_first)(index, count) for index in range(count)]


def unordered(backend="threading", n_jobs=JOBS):
    return Parallel(n_jobs=n_jobs, backend=backend, return_as="generator_unordered")


def test_native_delivery_shows_completion_order_and_records_it():
    recorder = Recorder()
    with installed(Delivered(recorder, ordered=False)):
        found = list(unordered()(slow_jobs()))
    assert found == [4, 3, 2, 1, 0]
    (call,) = recorder.trace().calls
    assert call.completed == (4, 3, 2, 1, 0)
    assert call.unordered
    assert call.delivered == JOBS


def test_deterministic_delivers_in_submission_order_whatever_finishes_first():
    with repro.deterministic() as control:
        found = list(unordered()(slow_jobs()))
    assert found == [0, 1, 2, 3, 4]
    assert control.calls == 1
    assert control.trace.calls[0].completed == (4, 3, 2, 1, 0)


def test_deterministic_keeps_the_jobs_parallel():
    start = threading.Barrier(3, timeout=10)
    with repro.deterministic():
        # Each job waits for the two others: one at a time they would never get on.
        found = list(unordered(n_jobs=3)(delayed(start.wait)() for _ in range(3)))
    assert sorted(found) == [0, 1, 2]


def test_deterministic_works_in_worker_processes():
    def work(index):  # local, so that it travels by value to a process that can't import this
        time.sleep(0.1 * (3 - index))
        return index

    with repro.deterministic() as control:
        found = list(unordered("loky", 2)(delayed(work)(index) for index in range(4)))
    assert found == [0, 1, 2, 3]
    assert control.trace.calls[0].completed != (0, 1, 2, 3)


def test_deterministic_decorates():
    @repro.deterministic()
    def search():
        return list(unordered()(slow_jobs()))

    assert search() == [0, 1, 2, 3, 4]
    assert search() == [0, 1, 2, 3, 4]


def test_deterministic_is_reentrant_and_leaves_joblib_as_it_was():
    before = joblib.Parallel.__call__
    with repro.deterministic(), repro.deterministic():
        assert joblib.Parallel.__call__ is not before
    assert joblib.Parallel.__call__ is before


def test_deterministic_reaches_parallel_calls_inside_jobs():
    def inner(outer):
        first, *_ = unordered()(delayed(last_first)(index, 3) for index in range(3))
        return outer, first

    with repro.deterministic():
        found = list(unordered(n_jobs=2)(delayed(inner)(outer) for outer in range(2)))
    assert found == [(0, 0), (1, 0)]


def test_deterministic_reaches_parallel_calls_inside_worker_processes():
    def outer(_index):
        def inner(index):
            time.sleep(0.05 * (3 - index))
            return index

        parallel = joblib.Parallel(n_jobs=3, backend="threading", return_as="generator_unordered")
        first, *_ = parallel(joblib.delayed(inner)(index) for index in range(3))
        return first

    pool = Parallel(n_jobs=2, backend="loky")
    assert pool(delayed(outer)(index) for index in range(2)) == [2, 2]
    with repro.deterministic():
        assert pool(delayed(outer)(index) for index in range(2)) == [0, 0]


@pytest.mark.parametrize("return_as", ["list", "generator", "generator_unordered"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_every_form_of_result_comes_back_whole(return_as, n_jobs):
    with repro.deterministic():
        parallel = Parallel(n_jobs=n_jobs, backend="threading", return_as=return_as)
        found = parallel(slow_jobs(4))
    assert isinstance(found, list) == (return_as == "list")
    assert list(found) == [0, 1, 2, 3]


@pytest.mark.filterwarnings(CANCELLED)
def test_lazy_input_is_drawn_only_as_far_as_joblib_dispatches():
    drawn = []

    def stream():
        for index in itertools.count():
            drawn.append(index)
            yield delayed(last_first)(index % 2, 2)

    with repro.deterministic():
        parallel = Parallel(
            n_jobs=2, backend="threading", return_as="generator_unordered", pre_dispatch=4
        )
        results = parallel(stream())
        taken = list(itertools.islice(results, 3))
        results.close()
    assert taken == [0, 1, 0]
    assert len(drawn) < 20


@pytest.mark.filterwarnings(CANCELLED)
def test_an_early_break_ends_the_call():
    with repro.deterministic() as control:
        for result in unordered(n_jobs=2)(slow_jobs()):
            assert result == 0
            break
    assert control.trace.calls[0].delivered == 1


def test_a_managed_pool_serves_several_calls():
    with repro.deterministic() as control, unordered(n_jobs=2) as parallel:
        assert list(parallel(slow_jobs(3))) == [0, 1, 2]
        assert list(parallel(slow_jobs(2))) == [0, 1]
    assert [call.occurrence for call in control.trace.calls] == [0, 0]
    assert control.trace.calls[0].site.line + 1 == control.trace.calls[1].site.line


def test_a_jobs_exception_reaches_the_caller():
    def fail(index):
        if index == 1:
            msg = "job 1 can't be done"
            raise ValueError(msg)
        return index

    with repro.deterministic(), pytest.raises(ValueError, match="job 1"):
        list(unordered(n_jobs=2)(delayed(fail)(index) for index in range(3)))


def test_sites_are_found_through_the_stack():
    with repro.deterministic() as control:
        list(unordered()(slow_jobs(2)))
        line = test_sites_are_found_through_the_stack.__code__.co_firstlineno + 2
    site = control.trace.calls[0].site
    assert site.file.endswith("test_control.py")
    assert site.line == line
    assert site.function == "test_sites_are_found_through_the_stack"


def test_helper_files_are_looked_through():
    recorder = Recorder(through=(__file__,))
    with installed(Delivered(recorder, ordered=True)):
        list(unordered()(slow_jobs(2)))
    assert not recorder.trace().calls[0].site.file.endswith("test_control.py")


def test_a_second_patcher_is_noticed():
    original = joblib.Parallel.__call__
    try:
        with (
            pytest.raises(ControlError, match="was replaced"),
            installed(Delivered(Recorder(), ordered=True)),
        ):
            joblib.Parallel.__call__ = original
    finally:
        joblib.Parallel.__call__ = original


def test_the_canaries_sing():
    canary()
    canary_parallel()


def test_the_canary_notices_a_joblib_that_ignores_the_boundary(monkeypatch):
    original = joblib.Parallel.__init__

    def ordered_only(self, *args, **kwargs):
        original(self, *args, **kwargs)
        self.return_ordered = True

    monkeypatch.setattr(joblib.Parallel, "__init__", ordered_only)
    with pytest.raises(ControlError, match="can't be controlled"):
        canary()
    with pytest.raises(ControlError, match="can't be controlled"):
        canary_parallel()


def test_the_canary_notices_a_joblib_without_the_attributes_that_control_reads(monkeypatch):
    original = joblib.Parallel.__init__

    def renamed(self, *args, **kwargs):
        original(self, *args, **kwargs)
        del self.return_ordered

    monkeypatch.setattr(joblib.Parallel, "__init__", renamed)
    with pytest.raises(ControlError, match="return_ordered"):
        canary()


def test_what_runs_its_body_later_cannot_be_decorated():
    def stream():
        yield 1

    async def search():
        return 1

    for later in (stream, search):
        with pytest.raises(UsageError, match="outside of the decorator"):
            repro.deterministic()(later)


def test_leaving_more_often_than_entering_is_told_and_breaks_nothing():
    with pytest.raises(UsageError, match="more often"):
        repro.deterministic().__exit__(None, None, None)
    with repro.deterministic():
        assert list(unordered()(slow_jobs())) == [0, 1, 2, 3, 4]
