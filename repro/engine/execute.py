"""What happens inside a fresh process: one search, run once, its outcome written down.

Owns the choice of boundary for each mode, the clock around the search alone, and turning
whatever the search raised into a failure record. The process is started, limited and judged
from outside by `repro.engine.launch`.
"""

from __future__ import annotations

import errno
import importlib.metadata
import json
import os
import platform
import traceback
from typing import TYPE_CHECKING, Any

from repro.engine.canary import canary
from repro.engine.control import Delivered, installed
from repro.engine.fork import Injector, Stage
from repro.engine.record import Recorder
from repro.engine.serve import Backwards, Director, serving
from repro.engine.sites import import_path
from repro.engine.snapshot import die_with_parent
from repro.errors import (
    ControlError,
    InfeasibleError,
    OutcomeError,
    ProbeError,
    ReproError,
    SearchError,
    UsageError,
)
from repro.model.delivery import Delivery
from repro.model.run import Ending, Failure, Mode, RunRequest, RunResult

if TYPE_CHECKING:
    import socket
    from contextlib import AbstractContextManager
    from pathlib import Path

    from repro.model.search import Search

EXIT_DISK_FULL = 74  # sysexits.h, EX_IOERR
RESULT = "result.json"
_CRASHES = ("TerminatedWorkerError", "BrokenProcessPool", "ShutdownExecutorError")


def execute(search: Search, request: RunRequest, folder: Path, line: socket.socket | None) -> None:
    """Run the search as requested and leave `result.json` in `folder`.

    Args:
        search: The search, not yet prepared.
        request: What is asked for.
        folder: The run's own folder.
        line: With `Mode.STAGE`, where orders are asked for afterwards.
    """
    die_with_parent()
    stage = Stage(purity=request.purity) if request.mode is Mode.STAGE else None
    result = _attempt(search, request, stage)
    if stage is not None and stage.trial is not None:
        _leave(result, folder / f"trial-{stage.trial}.json")
    if stage is not None:
        result = _with_stage(result, stage)
    write(result, folder / RESULT)
    if stage is not None and line is not None:
        from repro.engine.stage import serve_orders

        serve_orders(stage, line)


def _leave(result: RunResult, path: Path) -> None:
    """Write a trial's result and end this forked child without running exit handlers."""
    status = 1
    try:
        write(result, path)
        status = 0
    except OSError as error:
        status = EXIT_DISK_FULL if error.errno == errno.ENOSPC else 1
    finally:
        os._exit(status)


def _attempt(search: Search, request: RunRequest, stage: Stage | None) -> RunResult:
    """Run the search; every way in which it can fail becomes a result."""
    recorder = Recorder()
    try:
        canary()
        search.canary()
        recorder = Recorder(search.label, search.through)
        search.prepare()
        with _boundary(request, recorder, stage):
            recorder.begin()
            found = search.execute(request.workers)
            seconds = recorder.elapsed()
        outcome = search.outcome(found)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - reported as the search's own
        return RunResult(
            ending=_ending(error),
            trace=recorder.trace(),
            failure=describe(error),
            environment=environment(search),
        )
    return RunResult(
        ending=Ending.OUTCOME,
        outcome=outcome,
        trace=recorder.trace(),
        seconds=seconds,
        environment=environment(search),
    )


def _boundary(
    request: RunRequest, recorder: Recorder, stage: Stage | None
) -> AbstractContextManager[None]:
    if stage is not None:
        return serving(recorder, stage)
    if request.injection is not None:
        return serving(recorder, Injector(request.injection))
    if request.mode is Mode.SERVED:
        return serving(recorder, Backwards() if request.backwards else Director())
    ordered = request.delivery is not Delivery.NATIVE
    return installed(Delivered(recorder, ordered=ordered, processes=request.processes))


def _with_stage(result: RunResult, stage: Stage) -> RunResult:
    return RunResult(
        ending=result.ending,
        outcome=result.outcome,
        trace=result.trace,
        failure=result.failure,
        seconds=result.seconds,
        environment=result.environment,
        purity=stage.purity(),
        unforkable=stage.unforkable,
    )


def _ending(error: BaseException) -> Ending:
    chain = _chain(error)
    if any(isinstance(link, OSError) and link.errno == errno.ENOSPC for link in chain):
        return Ending.DISK_FULL
    if any(type(link).__name__ in _CRASHES for link in chain):
        return Ending.CRASHED
    if isinstance(error, InfeasibleError):
        return Ending.INFEASIBLE
    if isinstance(error, ControlError):
        return Ending.CONTROL
    if isinstance(error, ProbeError | OutcomeError | UsageError):
        return Ending.INPUT
    return Ending.FAILED


def _chain(error: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = error
    while link is not None and link not in chain:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return chain


def describe(error: BaseException) -> Failure:
    """Write an exception down: kind, words, last place, traceback.

    A plain `SearchError` only carries the search's own exception, so that one is described.
    """
    if type(error) is SearchError and error.__cause__ is not None:
        error = error.__cause__
    message = str(error)
    if isinstance(error, ReproError) and error.do:
        message = f"{message}; {error.do}"
    frames = traceback.extract_tb(error.__traceback__)
    where = getattr(error, "where", None)
    if where is None and frames and not isinstance(error, ReproError):
        where = f"{import_path(frames[-1].filename)}:{frames[-1].lineno}"
    text = "".join(traceback.format_exception(error))
    return Failure(type(error).__name__, message, where, text)


def environment(search: Search) -> dict[str, str]:
    """Return what decides an outcome besides its inputs."""
    return {
        "python": platform.python_version(),
        "joblib": importlib.metadata.version("joblib"),
        **search.versions(),
        "platform": platform.platform(),
        "machine": platform.machine(),
        "cores": str(os.cpu_count()),
        "hashSeed": os.environ.get("PYTHONHASHSEED", "random"),
    }


def write(result: RunResult, path: Path) -> None:
    """Write a result so that a reader sees all of it or nothing.

    Raises:
        OSError: No space is left, or the folder is gone.
    """
    part = path.with_suffix(".part")
    data: dict[str, Any] = result.to_dict()
    part.write_text(json.dumps(data, separators=(",", ":")), encoding="utf-8")
    part.replace(path)
