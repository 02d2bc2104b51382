"""`repro diff`: how does one outcome differ from another?

Owns reading outcome files. The comparison is `repro.audit.compare`, its words are
`repro.report.diff`.
"""

from __future__ import annotations

import gc
import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repro.cli.exits import Exit
from repro.errors import OutcomeError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from repro.model.outcome import Outcome
    from repro.model.rung import Rung

_MADE_BY = "name a file that `repro run PROBE --json FILE` wrote"
_SHOWN = 3


def diff(
    a: Annotated[
        Path, typer.Argument(metavar="A", help="An outcome file; - is stdin.", show_default=False)
    ],
    b: Annotated[
        Path,
        typer.Argument(
            metavar="B", help="The outcome file to compare it with.", show_default=False
        ),
    ],
    json_file: Annotated[
        Path | None,
        typer.Option("--json", metavar="FILE", help="Write the comparison as JSON; - is stdout."),
    ] = None,
    limit: Annotated[
        int, typer.Option(min=0, metavar="N", help="How many differences of each kind to show.")
    ] = _SHOWN,
    require: Annotated[
        str,
        typer.Option(
            metavar="RUNG",
            help="The rung that must hold: objectives, strategies, survivors, rowOrder or bytes.",
        ),
    ] = "rowOrder",
) -> int:
    """Compare two outcomes: what was lost, gained, swapped or reordered.

    Rows are counted from 0. Exit codes: 0 equal on the required rung, 1 different, 2 wrong
    usage or input.
    """
    from rich.console import Console

    from repro.audit.compare import compare
    from repro.cli.files import prepare_output, write_json
    from repro.report.changed import Difference
    from repro.report.diff import difference

    required = _rung(require)
    prepare_output(json_file)
    if str(a) == str(b) == "-":
        raise UsageError("only one of two outcomes can come from stdin", do="name a file for one")
    with uncollected():
        first, second = read_outcome(a), read_outcome(b)
        comparison = compare(first, second)
    if json_file is None or str(json_file) != "-":
        names = (str(a), str(b))
        found = Difference(first, second, comparison, names, required, limit)
        Console().print(difference(found), crop=False)
    if json_file is not None:
        write_json(json_file, comparison.to_dict(require=required))
    return Exit.HOLDS if comparison.holds(required) else Exit.NONDETERMINISTIC


def read_outcome(path: Path) -> Outcome:
    """Read an outcome file; `-` is stdin.

    Raises:
        OutcomeError: There is no such file, it isn't an outcome, or it was changed after it
            was written.
    """
    from repro.canon.rungs import check_digests
    from repro.model.outcome import Outcome

    name = "stdin" if str(path) == "-" else str(path)
    try:
        data = json.loads(sys.stdin.read() if name == "stdin" else path.read_text("utf-8"))
    except OSError as error:
        what = f"the outcome can't be read: {error.strerror or error}"
        raise OutcomeError(what, where=name, do=_MADE_BY) from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OutcomeError(f"the outcome isn't JSON: {error}", where=name, do=_MADE_BY) from error
    try:
        outcome = Outcome.from_dict(data)
        check_digests(outcome)
    except OutcomeError as error:
        where = f"{name}, {error.where}" if error.where else name
        raise OutcomeError(error.what, where=where, do=error.do or _MADE_BY) from error
    return outcome


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep the garbage collector from going through what is being read, again and again.

    Nothing in an outcome is cyclic, and with 100,000 rows it would take half of the time.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


def _rung(name: str) -> Rung:
    from repro.model.rung import LADDER, Rung

    if name not in LADDER:
        what = f"there is no rung {name!r}"
        raise UsageError(what, where="--require", do=f"use one of {', '.join(LADDER)}")
    return Rung(name)
