"""Where a fresh process begins: build the search that was asked for, and run it.

Owns the table of kinds of search. A new kind is one file and one line here.
"""

from __future__ import annotations

import json
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.engine.execute import execute
from repro.model.run import RunRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from repro.model.search import Search


def build(description: Mapping[str, Any]) -> Search:
    """Return the search that a description names."""
    from repro.searches.accelforge import AccelForgeSearch
    from repro.searches.python import PythonSearch
    from repro.searches.spec import SpecSearch

    kinds: dict[str, Callable[[Mapping[str, Any]], Search]] = {
        "accelforge": AccelForgeSearch.from_description,
        "python": PythonSearch.from_description,
        "spec": SpecSearch.from_description,
    }
    return kinds[description["kind"]](description)


def main(request_path: str, line: int) -> None:
    """Run the request in a file; orders are asked for on a socket, if one was passed."""
    path = Path(request_path)
    request = RunRequest.from_dict(json.loads(path.read_text(encoding="utf-8")))
    ours = None if line < 0 else socket.socket(fileno=line)
    execute(build(request.search), request, path.parent, ours)
