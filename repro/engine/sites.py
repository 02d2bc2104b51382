"""Names for the places that call joblib.

Owns the walk up the stack and the spelling of file names. It knows no search: a search that
wraps joblib in helpers of its own names their files, and they are looked through.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import joblib

from repro.model.trace import Site

if TYPE_CHECKING:
    from types import FrameType

_HERE = str(Path(__file__).parent)
_JOBLIB = str(Path(joblib.__file__).parent)


def locate(frame: FrameType | None, through: tuple[str, ...] = ()) -> Site:
    """Return the first frame that isn't joblib's, this package's or a named helper's.

    Args:
        frame: Where to begin; normally the caller of `Parallel.__call__`.
        through: Absolute paths of files that only pass a call on to joblib.
    """
    outermost = frame
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((_HERE, _JOBLIB)) and file not in through:
            return Site(import_path(file), frame.f_lineno, frame.f_code.co_qualname)
        outermost, frame = frame, frame.f_back
    if outermost is None:
        return Site("<unknown>", 0, "<unknown>")
    return Site(import_path(outermost.f_code.co_filename), outermost.f_lineno, "<unknown>")


@functools.cache
def import_path(file: str) -> str:
    """Return `file` relative to the longest import root that holds it, with `/` between."""
    roots = sorted((root for root in sys.path if root), key=len, reverse=True)
    for root in roots:
        try:
            return Path(file).relative_to(root).as_posix()
        except ValueError:
            continue
    return Path(file).name if Path(file).is_absolute() else file
