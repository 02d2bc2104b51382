from __future__ import annotations

import hashlib

from repro.canon.digest import digest_bytes, digest_text, sha256, sha256_file


def test_xxh3_is_the_published_one() -> None:
    # The value that the reference implementation gives for no bytes at all.
    assert digest_bytes(b"") == "99aa06d3014798d86001c324468d497f"


def test_a_text_is_digested_as_its_utf8_bytes() -> None:
    assert digest_text("é") == digest_bytes("é".encode())


def test_a_lone_surrogate_has_a_digest_too() -> None:
    assert digest_text("\ud800") != digest_text("\ud801")


def test_sha256_is_the_standard_one(tmp_path) -> None:
    content = b"LoopTree" * 500_000
    file = tmp_path / "content"
    file.write_bytes(content)
    assert sha256(content) == sha256_file(file) == hashlib.sha256(content).hexdigest()
