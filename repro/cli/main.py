"""The entry of the command `repro`.

Owns nothing but the order of things: the edge is put up before anything else is loaded, so
that a Ctrl-C at any moment ends with one message. Commands are in `repro.cli.app`.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from repro.cli.exits import guard

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run `repro` with the given arguments, the process's own by default; return its exit code."""
    args = list(sys.argv[1:] if argv is None else argv)
    return guard(lambda: _run(args))


def _run(args: Sequence[str]) -> int:
    from repro.cli.app import run

    return run(args)
