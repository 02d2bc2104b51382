"""`repro report`: the result of an earlier check, in any of the formats.

Owns reading a result file. Leaves the formats to `repro.report.formats`.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from repro.cli.exits import Exit
from repro.errors import ResultError, UsageError
from repro.report.formats import FORMATS

if TYPE_CHECKING:
    from repro.model.result import CheckResult

_NARROWEST = 40
_FORMATS = ", ".join(FORMATS)
_MADE_BY = "name a file that `repro check PROBE --json FILE` wrote"


def report(
    result: Annotated[
        Path,
        typer.Argument(
            metavar="RESULT",
            help="What `repro check --json` wrote; - is stdin.",
            show_default=False,
        ),
    ],
    form: Annotated[
        str, typer.Option("--format", "-f", metavar="FORMAT", help=f"One of: {_FORMATS}.")
    ] = "terminal",
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to a file; - is stdout."),
    ] = None,
    width: Annotated[
        int | None,
        typer.Option(
            metavar="COLUMNS", help="How wide.  [default: the terminal, or 100 in a file]"
        ),
    ] = None,
) -> int:
    """Show the result of an earlier check, in any of the formats.

    The exit code says whether the report could be made, not what the check found.
    """
    from repro.cli.files import prepare_output, write_text
    from repro.cli.show import show
    from repro.report.terminal import WIDTH

    if form not in FORMATS:
        what = f"there is no format {form!r}"
        raise UsageError(what, where="--format", do=f"use one of {_FORMATS}")
    if width is not None and width < _NARROWEST:
        what = f"{width} columns are too few"
        raise UsageError(what, where="--width", do=f"use {_NARROWEST} or more")
    prepare_output(output)
    found = read_result(result)
    if form == "terminal" and output is None:
        show(found, width=width)
    else:
        write_text(output or Path("-"), FORMATS[form].render(found, width=width or WIDTH))
    return Exit.HOLDS


def read_result(path: Path) -> CheckResult:
    """Read a result file; `-` is stdin.

    Raises:
        ResultError: There is no such file, it isn't JSON, or it isn't a check's result.
    """
    from repro.model.result import CheckResult

    name = "stdin" if str(path) == "-" else str(path)
    try:
        data = json.loads(sys.stdin.read() if name == "stdin" else path.read_text("utf-8"))
    except OSError as error:
        what = f"the result can't be read: {error.strerror or error}"
        raise ResultError(what, where=name, do=_MADE_BY) from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ResultError(f"the result isn't JSON: {error}", where=name, do=_MADE_BY) from error
    try:
        return CheckResult.from_dict(data)
    except ResultError as error:
        where = f"{name}, {error.where}" if error.where else name
        raise ResultError(error.what, where=where, do=error.do or _MADE_BY) from error
