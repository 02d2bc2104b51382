"""`repro ranking`: what is a ranking of this search's LoopTrees worth?

Owns the command line, and where results go. Judging is `repro.audit.ranking` and
`repro.audit.presented`, the words are `repro.report.ranking`, reading lists `repro.cli.drafts`.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repro.cli import options as shared
from repro.errors import UsageError

if TYPE_CHECKING:
    from repro.audit.ranker import Ranking

_SUFFIXES = (".json", ".csv")


def ranking(
    probe: shared.Probe,
    top: Annotated[
        int | None,
        typer.Option(min=1, help="How many ranks to judge.  [default: 10, or all of --file]"),
    ] = None,
    by: Annotated[
        str, typer.Option(metavar="OBJECTIVE", help="What to rank by; smaller is better.")
    ] = "latency",
    file: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="A list that is to be published, JSON or CSV, to be judged."
        ),
    ] = None,
    unpickle: Annotated[
        bool,
        typer.Option(
            "--unpickle", help="--file holds pickled AccelForge mappings. This runs the code in it."
        ),
    ] = False,
    all_ties: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Write the list that may be published, all ties in: .json or .csv."
        ),
    ] = None,
    show: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many LoopTrees of a drawn rank to show.")
    ] = 3,
    orders: shared.Orders = None,
    runs: Annotated[int | None, typer.Option(help="Serial runs.  [default: 3]")] = None,
    workers: shared.Workers = None,
    jobs: shared.Jobs = None,
    seed: shared.Seed = 0,
    budget: shared.Budget = None,
    limit: shared.Limit = None,
    parameter: shared.Settings = None,
    json_file: shared.ResultJson = None,
    quiet: shared.Quiet = False,
) -> int:
    """Say of every rank whether it is settled, or drawn among LoopTrees that tie.

    With --file, exit codes are about that list: 1 if it presents a drawn rank as a result.

    Exit codes: 0 all settled, 1 a rank is drawn, 2 wrong usage or input, 5 inconclusive.
    """
    from repro.audit.options import CheckOptions
    from repro.audit.ranker import Ranker
    from repro.cli.drafts import read_draft
    from repro.cli.files import parse_settings, prepare_output
    from repro.cli.progress import progress_display
    from repro.engine.launch import Launcher
    from repro.model.delivery import Delivery
    from repro.searches.find import ENTRY, find

    options = CheckOptions(
        runs=runs,
        orders=orders,
        workers=workers,
        jobs=jobs,
        deliveries=(Delivery.SERIAL, Delivery.INJECTED),
        seed=seed,
        budget=budget,
        limit=limit,
    )
    if unpickle and file is None:
        raise UsageError("--unpickle is about a --file", do="name the pickle with --file")
    _check_suffix(all_ties)
    for output in (json_file, all_ties):
        prepare_output(output)
    draft = None if file is None else read_draft(file, unpickle=unpickle)
    source = find(probe, parse_settings(parameter), workers=workers)
    settings = [word for setting in parameter or [] for word in ("--set", setting)]
    arguments = shlex.join([probe, *settings])
    with (
        Launcher(ENTRY, options.cores) as launcher,
        progress_display(quiet=quiet, title=f"repro ranking {arguments}") as progress,
    ):
        found = Ranker(
            source=source,
            options=options,
            engine=launcher,
            progress=progress,
            by=by,
            top=top,
            draft=draft,
            arguments=arguments,
        ).rank()
    return _deliver(found, json_file, all_ties, show=None if quiet else show)


def _check_suffix(all_ties: Path | None) -> None:
    if all_ties is not None and all_ties.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            "--all-ties writes JSON or CSV, by the file's suffix",
            where=str(all_ties),
            do=f"end its name in {' or '.join(_SUFFIXES)}",
        )


def _deliver(
    found: Ranking, json_file: Path | None, all_ties: Path | None, *, show: int | None
) -> int:
    """Show the report first: if a file can't be written, nothing that was found is lost."""
    from repro.cli.files import write_json, write_text
    from repro.report.outcome_csv import ranked_csv
    from repro.report.ranking import report

    if show is not None and str(json_file) != "-":
        from rich.console import Console

        Console().print(report(found.result, show=show), crop=False)
    if json_file is not None:
        write_json(json_file, found.result.to_dict())
    if all_ties is not None:
        if all_ties.suffix.lower() == ".csv":
            write_text(all_ties, ranked_csv(found.publishable()))
        else:
            write_json(all_ties, found.publishable().to_dict())
    return found.result.exit_code
