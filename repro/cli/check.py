"""`repro check`: may I publish from this search?

Owns the command line of a check, and where its report goes. The check itself is
`repro.audit.check`, the words of the report `repro.report.terminal`.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repro.cli import options as shared
from repro.errors import UsageError

if TYPE_CHECKING:
    from repro.model.result import CheckResult


def check(
    probe: shared.Probe,
    runs: Annotated[
        int | None,
        typer.Option(help="Whole runs of each delivery.  [default: 3 serial, 1 ordered, 2 native]"),
    ] = None,
    orders: shared.Orders = None,
    workers: shared.Workers = None,
    jobs: shared.Jobs = None,
    delivery: Annotated[
        list[str] | None,
        typer.Option(
            metavar="serial|ordered|native|injected",
            help="Judge only this delivery; may be repeated.  [default: all four]",
        ),
    ] = None,
    require: Annotated[
        str,
        typer.Option(
            metavar="RUNG",
            help="The rung that must hold: objectives, strategies, survivors, rowOrder or bytes.",
        ),
    ] = "rowOrder",
    seed: shared.Seed = 0,
    budget: shared.Budget = None,
    limit: shared.Limit = None,
    parameter: shared.Settings = None,
    replay: Annotated[
        str | None,
        typer.Option(metavar="TOKEN", help="Repeat one injected order, and nothing else."),
    ] = None,
    json_file: shared.ResultJson = None,
    quiet: shared.Quiet = False,
) -> int:
    """Audit a search: serial, ordered, native and injected orders, and say if it may be published.

    Exit codes: 0 reproducible, 1 nondeterministic, 2 wrong usage or input, 5 inconclusive.
    """
    from repro.api import run_check
    from repro.audit.options import CheckOptions
    from repro.cli.files import parse_settings, prepare_output
    from repro.cli.progress import progress_display
    from repro.model.rung import Rung
    from repro.searches.find import find

    if replay is not None:
        delivery = ["injected"]
    options = CheckOptions(
        runs=runs,
        orders=orders,
        workers=workers,
        jobs=jobs,
        deliveries=_deliveries(delivery),
        require=_rung(require),
        seed=seed,
        budget=budget,
        limit=limit,
    )
    prepare_output(json_file)
    source = find(probe, parse_settings(parameter), workers=workers)
    settings = [word for setting in parameter or [] for word in ("--set", setting)]
    if workers is not None:
        settings += ["--workers", str(workers)]
    if options.require is not Rung.ROW_ORDER:
        settings += ["--require", options.require.value]
    arguments = shlex.join([probe, *settings])
    with progress_display(quiet=quiet, title=f"repro check {arguments}") as progress:
        result = run_check(source, options, progress, arguments, token=replay)
    return _deliver(result, json_file, quiet=quiet)


def _deliver(result: CheckResult, json_file: Path | None, *, quiet: bool) -> int:
    """Show the report first: if the file can't be written, nothing that was found is lost."""
    from repro.cli.files import write_json
    from repro.cli.show import show

    to_stdout = json_file is not None and str(json_file) == "-"
    if not quiet and not to_stdout:
        show(result)
    if json_file is not None:
        write_json(json_file, result.to_dict())
    return result.exit_code


def _deliveries(names: list[str] | None) -> tuple[Delivery, ...]:
    from repro.model.delivery import Delivery

    if not names:
        return tuple(Delivery)
    known = [delivery.value for delivery in Delivery]
    for name in names:
        if name not in known:
            raise UsageError(
                f"there is no delivery {name!r}", where="--delivery", do=f"use {', '.join(known)}"
            )
    return tuple(delivery for delivery in Delivery if delivery.value in names)


def _rung(name: str) -> Rung:
    from repro.model.rung import LADDER, Rung

    known = [rung.value for rung in LADDER]
    if name not in known:
        raise UsageError(
            f"there is no rung {name!r}", where="--require", do=f"use {', '.join(known)}"
        )
    return Rung(name)


if TYPE_CHECKING:
    from repro.model.delivery import Delivery
    from repro.model.rung import Rung
