"""The report of a check in a notebook.

Owns how a result shows itself where Python asks it to. The HTML carries its own styles, sets
no background, and reads on light and dark pages. Leaves the layout to `repro.report.terminal`.
"""

from __future__ import annotations

from typing import Any, Self

from rich.terminal_theme import TerminalTheme

from repro.model.result import CheckResult
from repro.report.terminal import WIDTH, recorded, render

_THEME = TerminalTheme(
    background=(140, 140, 140),
    foreground=(90, 90, 90),
    normal=[
        (0, 0, 0),
        (200, 40, 40),
        (20, 130, 60),
        (160, 110, 0),
        (30, 110, 190),
        (150, 60, 170),
        (0, 125, 140),
        (255, 255, 255),
    ],
)
"""Colours of middling lightness, legible on white and on black. The background is never
drawn; quiet text is the mean of it and the foreground."""

_FORMAT = (
    "<pre style=\"font-family:Menlo,'DejaVu Sans Mono',Consolas,monospace;line-height:1.15;"
    'white-space:pre;overflow-x:auto">{code}</pre>'
)


class ShownResult(CheckResult):
    """A check's result that shows its report at the end of a notebook cell."""

    __slots__ = ()

    @classmethod
    def of(cls, result: CheckResult) -> Self:
        """Return the same result, able to show itself."""
        return cls.from_dict(result.to_dict())

    def __str__(self) -> str:
        """Return the report as plain text."""
        return render(self)

    def _repr_html_(self) -> str:
        """Return the report for Jupyter."""
        return html(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:  # noqa: ANN401, FBT001
        """Write the report for an IPython terminal."""
        printer.text("CheckResult(...)" if cycle else str(self))


def html(result: CheckResult, *, width: int = WIDTH) -> str:
    """Return the report as one preformatted HTML element with inline styles."""
    console = recorded(result, width=width, fold=False)
    return console.export_html(theme=_THEME, inline_styles=True, code_format=_FORMAT)
