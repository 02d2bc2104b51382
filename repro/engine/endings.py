"""How a run ended, judged by what it left behind.

Owns telling an outcome from a crash, a hang, a full disk, and an end without a word.
"""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

from repro.engine.execute import EXIT_DISK_FULL
from repro.model.run import Ending, Failure, RunResult

if TYPE_CHECKING:
    from pathlib import Path

_LOG_TAIL = 4000


def read_result(path: Path, code: int, log: Path) -> RunResult:
    """Read what a process left, and judge how it ended where it left nothing."""
    if path.exists() and code == 0:
        return RunResult.from_dict(json.loads(path.read_text(encoding="utf-8")))
    tail = log.read_text(encoding="utf-8", errors="replace")[-_LOG_TAIL:] if log.exists() else ""
    if code == EXIT_DISK_FULL or "No space left on device" in tail:
        failure = Failure("OSError", "no space left on device", traceback=tail)
        return RunResult(Ending.DISK_FULL, failure=failure)
    if code == 0:
        message = "the process ended with status 0 and left no outcome"
        return RunResult(Ending.SILENT, failure=Failure("NoOutcome", message, traceback=tail))
    if code < 0:
        name = signal.Signals(-code).name
        failure = Failure(name, f"the process was ended by {name}", traceback=tail)
    else:
        last = tail.strip().splitlines()[-1:] or ["it said nothing"]
        message = f"the process ended with status {code}: {last[0]}"
        failure = Failure(f"status {code}", message, traceback=tail)
    return RunResult(Ending.CRASHED, failure=failure)


def timed_out(limit: float | None) -> RunResult:
    """Return the result of a run that was ended at its limit."""
    failure = Failure("Limit", f"the run was ended after its limit of {limit:g} s")
    return RunResult(Ending.TIMED_OUT, failure=failure)
