"""Printing the report of a check.

Owns where it goes and how wide it is. The report itself is `repro.report.terminal`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console

from repro.report.terminal import Report

if TYPE_CHECKING:
    from repro.model.result import CheckResult


def show(result: CheckResult, *, width: int | None = None) -> None:
    """Print the terminal report on stdout, in colour where that is a terminal that has it.

    Args:
        result: What to show.
        width: Columns; by default the terminal's, and 80 where there is none.
    """
    Console(width=width).print(Report(result), crop=False)
