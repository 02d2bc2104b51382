"""Which further files an AccelForge input pulls in, found without evaluating it.

Owns the list of constructs by which a spec template reads another file: a probe's digest must
cover those files too, so they have to be named under `includes`. The search is by text, for
rendering a template would run its code. Leaves the message to `repro.searches.catalog`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

# Jinja is rendered before YAML is read, so a call counts even inside a YAML comment.
_CALL = re.compile(r"\b(?P<what>include(?:_all|_text)?|add_to_path|find_paths?)\s*\((?P<rest>.*)")
_STATEMENT = re.compile(r"\{%[-+]?\s*(?P<what>include|import|from|extends)\b(?P<rest>.*)")
# These are YAML: a comment can't contain them.
_TAG = re.compile(r"(?P<what>!include(?:dir)?)\s+(?P<rest>[^\s,}\]]+)")
_CODE = re.compile(r"\b(?P<what>expression_custom_functions|component_models)\s*:(?P<rest>.*)")
_COMMENT = re.compile(r"(?:^|\s)#.*")
_QUOTED = re.compile(r"""\s*(["'])(?P<path>[^"']+)\1""")


@dataclass(frozen=True, slots=True)
class Reference:
    """One place where a file is pulled in.

    `path` is the file's path as written, or `None` where it isn't a plain text.
    """

    line: int
    construct: str
    path: str | None


def references(text: str) -> Iterator[Reference]:
    """Yield the places in a spec template that pull in another file, in order."""
    for number, line in enumerate(text.splitlines(), start=1):
        code = _COMMENT.sub("", line)
        for pattern, where in ((_CALL, line), (_STATEMENT, line), (_TAG, code), (_CODE, code)):
            for found in pattern.finditer(where):
                yield Reference(number, found["what"], _path(found["what"], found["rest"]))


def _path(construct: str, rest: str) -> str | None:
    if construct == "!include":
        return rest
    quoted = _QUOTED.match(rest)
    if construct in ("include_all", "!includedir", "add_to_path") or quoted is None:
        return None
    return None if any(sign in quoted["path"] for sign in "*?[") else quoted["path"]
