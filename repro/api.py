"""Using `repro` from Python.

Owns `check`, which does what the command does and returns the result as a record.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from repro.audit.check import Checker
from repro.audit.options import CheckOptions
from repro.audit.replay import replay as repeat
from repro.engine.launch import Launcher
from repro.model.delivery import Delivery
from repro.model.progress import NullProgress, Progress
from repro.model.rung import Rung
from repro.report.notebook import ShownResult
from repro.searches.find import ENTRY, find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from repro.model.probe import Scalar
    from repro.model.result import CheckResult
    from repro.model.search import SearchSource


def check(  # noqa: PLR0913 - the options of `repro check`
    search: str | Path | Callable[..., Any] | object,
    *,
    parameters: Mapping[str, Scalar] | None = None,
    runs: int | None = None,
    orders: int | None = None,
    workers: int | None = None,
    jobs: int | None = None,
    deliveries: Iterable[Delivery | str] = tuple(Delivery),
    require: Rung | str = Rung.ROW_ORDER,
    seed: int = 0,
    budget: float | None = None,
    limit: float | None = None,
    replay: str | None = None,
) -> ShownResult:
    """Audit a search; the result shows itself in a notebook.

    Args:
        search: A shipped probe's name, a folder, a `probe.yaml`, `module:function`, a callable
            that returns rows, or an AccelForge `Spec`. Everything runs in fresh processes, so
            what a callable needs must be importable or travel with it.
        parameters: Values for a probe's parameters.
        runs: Whole runs of each delivery; by default 3 serial, 1 ordered, 2 native.
        orders: Injected orders; by default as many as `budget` allows, from 8 to 200.
        workers: Logical worker count; by default the probe's own.
        jobs: Processes that may be busy together; by default the usable cores.
        deliveries: The deliveries that are judged; by default all four.
        require: The rung that the verdict requires.
        seed: Decides orders and hash seeds.
        budget: Seconds for injected orders; by default 60.
        limit: Seconds for one run; by default ten times the longest serial run.
        replay: A token: repeat that one injected order, and nothing else.

    Raises:
        ReproError: The search can't be found, or can't be run at all.
    """
    options = CheckOptions(
        runs=runs,
        orders=orders,
        workers=workers,
        jobs=jobs,
        deliveries=(
            (Delivery.INJECTED,) if replay else tuple(Delivery(name) for name in deliveries)
        ),
        require=Rung(require),
        seed=seed,
        budget=budget,
        limit=limit,
    )
    source = find(search, parameters, workers=workers)
    return ShownResult.of(run_check(source, options, NullProgress(), token=replay))


def run_check(
    source: SearchSource,
    options: CheckOptions,
    progress: Progress,
    arguments: str | None = None,
    *,
    token: str | None = None,
) -> CheckResult:
    """Check a search that was found already, or replay one order; what the command calls."""
    with Launcher(ENTRY, options.cores) as launcher:
        checker = Checker(source, options, launcher, progress, arguments)
        return checker.check() if token is None else repeat(checker, token)
