"""Digests: xxh3-128 to compare, sha-256 to certify.

Owns the two hash functions and nothing else. Which bytes go into them is said by
`repro.canon.rungs` for outcomes, by `repro.canon.looptree` and `repro.canon.frame` for
identities, and by `repro.canon.value` for arbitrary Python values.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import xxhash

if TYPE_CHECKING:
    from pathlib import Path

_CHUNK = 1 << 20


def digest_bytes(data: bytes | bytearray | memoryview) -> str:
    """Return the xxh3-128 digest of some bytes, as 32 hex digits.

    For comparing what this tool itself made. It isn't safe against somebody who looks for
    collisions; what others rely on is certified with `sha256`.
    """
    return xxhash.xxh3_128_hexdigest(data)


def digest_text(text: str) -> str:
    """Return the xxh3-128 digest of a text's UTF-8 bytes, as 32 hex digits."""
    return xxhash.xxh3_128_hexdigest(text.encode("utf-8", "surrogatepass"))


def sha256(data: bytes | bytearray | memoryview) -> str:
    """Return the SHA-256 digest of some bytes, as 64 hex digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """Return the SHA-256 digest of a file's bytes, as 64 hex digits.

    Raises:
        OSError: The file can't be read.
    """
    state = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            state.update(chunk)
    return state.hexdigest()
