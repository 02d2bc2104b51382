"""From what a user names to the search that it means.

Owns telling a probe from `module:function`, and both from an object. Reading a probe's files
is `repro.searches.catalog`.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.errors import UsageError
from repro.searches import catalog
from repro.searches.accelforge import AccelForgeSource
from repro.searches.python import python_source
from repro.searches.spec import is_spec, spec_source

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from repro.model.probe import Scalar
    from repro.model.search import SearchSource

ENTRY = "repro.searches.entry"
"""The module that runs a described search in a fresh process."""

_TARGET = re.compile(r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*")


def find(
    search: str | Path | Callable[..., Any] | object,
    overrides: Mapping[str, Scalar] | None = None,
    *,
    workers: int | None = None,
) -> SearchSource:
    """Return the search that is meant.

    Args:
        search: A shipped probe's name, a folder, a `probe.yaml`, `module:function`, a callable
            or an AccelForge `Spec`.
        overrides: Parameters to set; only a probe has any.
        workers: Logical worker count of a search that doesn't name its own.

    Raises:
        ProbeError: It can't be found or read.
        UsageError: It is none of these, or parameters are set where there are none.
    """
    if isinstance(search, str) and _TARGET.fullmatch(search):
        _refuse(overrides, search)
        return python_source(search, workers or 2)
    if isinstance(search, str | Path):
        loaded = catalog.load(str(search), overrides or {})
        return AccelForgeSource(loaded.probe, loaded.folder, loaded.digest)
    _refuse(overrides, "an object")
    if is_spec(search):
        return spec_source(search, workers=workers or 2)
    if callable(search):
        return python_source(search, workers or 2)
    raise UsageError(
        f"a {type(search).__name__} is not a search",
        do="give a probe's name or folder, `module:function`, a callable or an AccelForge Spec",
    )


def _refuse(overrides: Mapping[str, Scalar] | None, what: str) -> None:
    if overrides:
        raise UsageError(
            f"parameters can't be set for {what}", do="only a probe.yaml has parameters to set"
        )
