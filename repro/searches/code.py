"""The identity of a search's code, as it is installed.

Owns one digest over source files. It tells a replay token, and later a certificate, that the
code is the one it was made with, whatever the version number says.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


def code_digest(*roots: Path) -> str:
    """Return the SHA-256, in hex, over the Python sources of files and packages.

    Paths are taken relative to each root, so the digest is the same wherever it is installed.
    """
    total = hashlib.sha256()
    for root in roots:
        files = [root] if root.is_file() else sorted(root.rglob("*.py"))
        for file in files:
            name = file.name if root.is_file() else file.relative_to(root).as_posix()
            total.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
