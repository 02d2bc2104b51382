from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from running import names, request

from repro.engine.processes import sweep
from repro.model.delivery import Delivery
from repro.model.run import Ending, Mode, Variation

pytestmark = pytest.mark.search


def quoted(*numbers):
    return [f'"job {number}"' for number in numbers]


@pytest.mark.parametrize(
    "search", ["as_list", "as_generator", "all_in_arrival_order", "lazy_input", "threads"]
)
def test_serial_served_and_ordered_runs_agree(run, search):
    serial = run(search, workers=1)
    served = run(search, Mode.SERVED)
    ordered = run(search, delivery=Delivery.ORDERED)
    assert serial.outcome.digests == served.outcome.digests == ordered.outcome.digests
    assert names(serial.outcome) == quoted(0, 1, 2, 3, 4, 5)
    assert [call.jobs for call in served.trace.calls] == [6]


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("early_break", quoted(0, 1, 2)),
        ("endless_input", quoted(0, 1, 2)),
        ("managed", quoted(0, 1, 2, 3, 4, 5, 0, 1, 2)),
        ("one_job", quoted(0)),
    ],
)
def test_served_runs_follow_what_the_caller_takes(run, search, expected):
    served = run(search, Mode.SERVED)
    assert names(served.outcome) == expected
    assert served.trace.calls[0].delivered == min(len(expected), 6)


def test_endless_input_is_served_but_out_of_control(run):
    (call,) = run("endless_input", Mode.SERVED).trace.calls
    assert "without an end" in call.uncontrolled
    assert not call.permutable


def test_a_call_from_the_searchs_own_thread_is_reported(run):
    result = run("from_a_thread", Mode.SERVED)
    (call,) = result.trace.uncontrolled
    assert "thread" in call.uncontrolled
    assert names(result.outcome) == quoted(0, 1, 2, 3, 4, 5)


def test_nested_calls_are_seen_and_named_as_nested(run):
    calls = run("nested", Mode.SERVED).trace.calls
    assert [(call.nested, call.unordered) for call in calls] == [
        (False, False),
        (True, True),
        (True, True),
    ]


def test_native_runs_record_completion_order(run):
    (call,) = run("all_in_arrival_order", delivery=Delivery.NATIVE).trace.calls
    assert sorted(call.completed) == [0, 1, 2, 3, 4, 5]


def test_the_logical_worker_count_starts_no_processes(run):
    result = run("told", Mode.SERVED, workers=64)
    assert names(result.outcome) == ['"one of 64"']


def test_each_run_has_its_own_hash_seed(run):
    seeds = [run("told", variation=Variation(seed)).environment["hashSeed"] for seed in (7, 8)]
    assert seeds == ["7", "8"]


@pytest.mark.parametrize(
    ("search", "ending", "kind"),
    [
        ("raises", Ending.FAILED, "ValueError"),
        ("killed", Ending.CRASHED, "SIGKILL"),
        ("silent", Ending.SILENT, "NoOutcome"),
        ("exits", Ending.FAILED, "SystemExit"),
        ("disk_full", Ending.DISK_FULL, "OSError"),
        ("empty", Ending.INFEASIBLE, "InfeasibleError"),
        ("absent", Ending.INPUT, "ProbeError"),
    ],
)
def test_a_run_without_an_outcome_says_how_it_ended(run, search, ending, kind):
    result = run(search)
    assert result.outcome is None
    assert result.ending is ending
    assert result.failure.kind == kind


def test_a_worker_that_is_killed_is_a_crash_not_a_failure_of_the_search(run):
    result = run("killed_in_a_worker", delivery=Delivery.NATIVE)
    assert result.ending is Ending.CRASHED
    assert result.failure.kind == "TerminatedWorkerError"


def test_a_run_that_hangs_is_ended_at_its_limit(run):
    started = time.monotonic()
    result = run("hangs", limit=2.0)
    assert result.ending is Ending.TIMED_OUT
    assert time.monotonic() - started < 10


def test_a_failure_says_where_in_the_search_it_happened(run):
    result = run("raises", workers=1)
    assert result.failure.message == "job 0 can't be done"
    assert result.failure.where.startswith("joblib_searches.py:")
    assert "Traceback" in result.failure.traceback


def test_runs_go_side_by_side_and_come_back_by_position(launcher):
    requests = [request("told", Mode.SERVED, workers=count) for count in (2, 3, 4)]
    found = dict(launcher.run_all(requests, together=2))
    assert [names(found[place].outcome) for place in range(3)] == [
        ['"one of 2"'],
        ['"one of 3"'],
        ['"one of 4"'],
    ]


def test_leaving_early_ends_what_still_runs(launcher):
    requests = [request("told"), request("hangs")]
    for _position, result in launcher.run_all(requests, together=2):
        assert result.ending is Ending.OUTCOME
        break
    assert launcher._live == []


def semaphores():
    return set(Path("/dev/shm").glob("sem.loky-*"))  # noqa: S108


def test_nothing_is_left_behind(launcher):
    root = launcher._root
    before = semaphores()
    list(launcher.run_all([request("managed", delivery=Delivery.NATIVE)], together=1))
    assert list(root.iterdir()) == []
    launcher.__exit__(None, None, None)
    assert not root.exists()
    assert semaphores() <= before


def test_folders_of_a_killed_tool_are_swept(tmp_path):
    child = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"],
        capture_output=True,
        text=True,
        check=True,
    )
    dead = tmp_path / f"repro-run-{child.stdout.strip()}-x"
    alive = tmp_path / f"repro-run-{os.getpid()}-x"
    for folder in (dead, alive):
        (folder / "tmp").mkdir(parents=True)
    sweep(tmp_path, "repro-run-")
    assert not dead.exists()
    assert alive.exists()


def test_a_killed_tool_takes_its_runs_with_it(tmp_path):
    program = f"""
import sys; sys.path[:0] = [{str(Path(__file__).parent)!r}]
from running import ENTRY, request
from repro.engine.launch import Launcher
with Launcher(ENTRY, 1) as launcher:
    process = launcher.start(request("hangs"))
    print(process.popen.pid, flush=True)
    process.popen.wait()
"""
    tool = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    run = int(tool.stdout.readline())
    time.sleep(1.5)  # the run asks the kernel to follow its parent once it has started
    tool.kill()
    tool.wait()
    deadline = time.monotonic() + 5
    while Path(f"/proc/{run}").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    tool.stdout.close()
    assert not Path(f"/proc/{run}").exists()
