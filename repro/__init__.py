"""Audit whether a design-space search gives the same answer twice.

Owns the public names: `check` audits a search, `declare` says which columns of its rows are
objectives and identity, `deterministic` makes any joblib search deliver its results in
submission order. They are loaded when they are first used, so that `import repro` costs
nothing; what they do is in `repro.api`, `repro.searches.python` and `repro.engine.control`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from repro._version import __version__

if TYPE_CHECKING:
    from repro.api import check
    from repro.engine.control import deterministic
    from repro.searches.python import declare

__all__ = ["__version__", "check", "declare", "deterministic"]

_HOMES = {
    "check": "repro.api",
    "declare": "repro.searches.python",
    "deterministic": "repro.engine.control",
}


def __getattr__(name: str) -> object:
    """Load a public name from the module that defines it, once.

    Raises:
        AttributeError: `repro` has no such public name.
    """
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value: object = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted(__all__)
