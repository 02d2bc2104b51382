"""The formats that a check's result can be written in.

Owns the table of formats. A further one is a module with a function `render(result, *,
width)` that returns text, and one line here; its module is loaded when it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Protocol, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from repro.model.result import CheckResult


class Renderer(Protocol):
    """Writes a result in one format. Pure: the same arguments give the same text."""

    def __call__(self, result: CheckResult, *, width: int) -> str:
        """Return the report; a format that has no columns ignores `width`."""


@dataclass(frozen=True, slots=True)
class Format:
    """One format: the module that renders it, and what it is for."""

    module: str
    about: str

    def render(self, result: CheckResult, *, width: int) -> str:
        """Return the report in this format."""
        renderer = cast("Renderer", import_module(self.module).render)
        return renderer(result, width=width)


FORMATS: Mapping[str, Format] = {
    "terminal": Format("repro.report.terminal", "what `repro check` shows, as plain text"),
    "svg": Format("repro.report.svg", "the same as a picture"),
}
