"""`repro run`: one search, once, its outcome in a file.

Owns the command line of a single run. Comparing two such files is `repro.cli.diff`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repro.cli import options as shared
from repro.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repro.model.outcome import Outcome
    from repro.model.run import RunRequest

_DELIVERIES = ("serial", "ordered", "native")


def run(
    probe: shared.Probe,
    json_file: Annotated[
        Path | None,
        typer.Option("--json", "-o", metavar="FILE", help="Write it as JSON; - is stdout."),
    ] = None,
    csv_file: Annotated[
        Path | None,
        typer.Option("--csv", metavar="FILE", help="Write its rows as CSV; - is stdout."),
    ] = None,
    delivery: Annotated[
        str, typer.Option(metavar="|".join(_DELIVERIES), help="How results are delivered.")
    ] = "serial",
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Logical worker count of an ordered run.  [default: the probe's]"),
    ] = None,
    hash_seed: Annotated[int, typer.Option(min=0, help="PYTHONHASHSEED of the run.")] = 1,
    limit: Annotated[
        float, typer.Option(min=1, metavar="SECONDS", help="Time for the run.")
    ] = 3600.0,
    parameter: shared.Settings = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Say nothing.")] = False,
) -> int:
    """Run a search once in a fresh process and write its outcome.

    Exit codes: 0 written, 2 wrong usage or input, 5 the run gave no outcome.
    """
    from repro.audit.check import no_reference
    from repro.audit.options import usable_cores
    from repro.cli.files import parse_settings, prepare_output, write_json, write_text
    from repro.cli.progress import progress_display
    from repro.engine.launch import Launcher
    from repro.report.outcome_csv import to_csv
    from repro.searches.find import ENTRY, find

    if delivery not in _DELIVERIES:
        raise UsageError(
            f"there is no delivery {delivery!r} for one run",
            where="--delivery",
            do=f"use {', '.join(_DELIVERIES)}; `repro check --replay` injects an order",
        )
    if json_file is None and csv_file is None:
        raise UsageError("there is nowhere to write the outcome", do="name a file with --json")
    prepare_output(json_file)
    prepare_output(csv_file)
    source = find(probe, parse_settings(parameter), workers=workers)
    request = _request(source.describe(), delivery, workers or source.workers, hash_seed, limit)
    with (
        Launcher(ENTRY, usable_cores()) as launcher,
        progress_display(quiet=quiet, title=f"repro run {probe}") as progress,
    ):
        progress.begin(f"{delivery} run", None)
        (_, result), *_ = launcher.run_all([request], together=1)
        progress.end(f"{delivery} run")
    if result.outcome is None:
        raise no_reference(result, source.name, probe)
    if json_file is not None:
        write_json(json_file, result.outcome.to_dict(), compact=True)
    if csv_file is not None:
        write_text(csv_file, to_csv(result.outcome))
    files = [str(path) for path in (json_file, csv_file) if path is not None]
    if not quiet and "-" not in files:
        typer.echo(_summary(result.outcome, result.seconds, files))
    return 0


def _request(
    description: dict[str, object], delivery: str, workers: int, hash_seed: int, limit: float
) -> RunRequest:
    from repro.audit.options import usable_cores
    from repro.model.delivery import Delivery
    from repro.model.run import Mode, RunRequest, Variation

    told = {"serial": 1, "ordered": workers, "native": None}[delivery]
    return RunRequest(
        search=description,
        mode=Mode.PLAIN,
        delivery=Delivery(delivery),
        workers=told,
        variation=Variation(hash_seed),
        processes=max(2, usable_cores()) if delivery == "ordered" else None,
        limit=limit,
    )


def _summary(outcome: Outcome, seconds: float | None, files: Sequence[str]) -> str:
    trees = len({row.survivor for row in outcome.rows})
    took = "" if seconds is None else f" in {seconds:.1f} s"
    rows = f"{len(outcome.rows)} rows, {trees} distinct, searched{took}"
    return f"{rows}; written to {' and '.join(files)}"
