"""Files that commands read settings from and write results to.

Owns checking an output before an hour is spent on it, and writing it so that a reader sees
all of it or nothing.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.errors import DiskFullError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def prepare_output(path: Path | None) -> None:
    """Refuse an output that can't be written, before anything is run.

    Raises:
        UsageError: The folder isn't there, or may not be written to.
    """
    if path is None or str(path) == "-":
        return
    folder = path.parent
    if path.is_dir():
        raise UsageError("the output is a folder", where=str(path), do="name a file in it")
    if not folder.is_dir():
        raise UsageError("the output's folder doesn't exist", where=str(folder), do="make it first")
    target = path if path.exists() else folder
    if not os.access(target, os.W_OK):
        raise UsageError("the output can't be written to", where=str(target), do="choose another")


def write_json(path: Path, data: Mapping[str, Any], *, compact: bool = False) -> None:
    """Write JSON, whole or not at all; `-` is standard output.

    Args:
        path: Where to.
        data: JSON values.
        compact: Without line breaks, for files of many rows.

    Raises:
        DiskFullError: No space is left on the device.
        UsageError: The file can't be written for another reason.
    """
    layout: dict[str, Any] = {"separators": (",", ":")} if compact else {"indent": 2}
    # ASCII only: names may hold lone surrogates, which no file can.
    text = json.dumps(data, allow_nan=False, **layout) + "\n"
    write_text(path, text)


def write_text(path: Path, text: str) -> None:
    """Write a text file, whole or not at all; `-` is standard output."""
    if str(path) == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        if path.exists() and not path.is_file():  # a pipe or a device can't be replaced
            path.write_text(text, encoding="utf-8")
            return
        _replace(path, text)
    except OSError as error:
        raise _cannot_write(path, error) from error


def _replace(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    part = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        part.chmod(0o666 & ~_umask())
        part.replace(path)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _cannot_write(path: Path, error: OSError) -> DiskFullError | UsageError:
    import errno

    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFullError(
            "no space is left on the device for the result",
            where=str(path),
            do="free some space there, or write it elsewhere; nothing was overwritten",
        )
    return UsageError(f"the result can't be written: {error.strerror}", where=str(path))


def parse_settings(settings: Sequence[str] | None) -> dict[str, str]:
    """Read `NAME=VALUE` settings.

    Raises:
        UsageError: One has no name or no value, or a name is set twice.
    """
    found: dict[str, str] = {}
    for setting in settings or ():
        name, equals, value = setting.partition("=")
        if not equals or not name.strip():
            raise UsageError(
                f"{setting!r} sets nothing", where="--set", do="write it as --set NAME=VALUE"
            )
        if name.strip() in found:
            raise UsageError(f"{name.strip()!r} is set twice", where="--set")
        found[name.strip()] = value
    return found
