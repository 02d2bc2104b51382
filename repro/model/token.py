"""Replay tokens: one injected order, named so that anybody can repeat it.

Owns the text form `r1:…` and the refusal of tokens that were made for something else.
Leaves finding the site's call in a run to `repro.audit.replay`.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from dataclasses import dataclass
from typing import Any

from repro.errors import TokenError
from repro.model.delivery import Order, order_from_dict
from repro.model.trace import Site

PREFIX = "r1:"
_DIGEST_LENGTH = 12


@dataclass(frozen=True, slots=True)
class Token:
    """Everything that repeats one injected order.

    Attributes:
        probe: Digest of the probe (its first 12 hex digits are kept).
        code: Digest of the search's code (its first 12 hex digits are kept).
        site: Where the order is injected.
        occurrence: Which call from that site.
        jobs: How many jobs the call must have.
        order: The permutation.
        rest: Whether later unordered calls are permuted too.
    """

    probe: str
    code: str
    site: Site
    occurrence: int
    jobs: int
    order: Order
    rest: bool = False

    def encode(self) -> str:
        """Return the token's text: URL-safe, self-contained, with a checksum."""
        fields = [
            self.probe[:_DIGEST_LENGTH],
            self.code[:_DIGEST_LENGTH],
            [self.site.file, self.site.line, self.site.function],
            self.occurrence,
            self.jobs,
            self.order.to_dict(),
            self.rest,
        ]
        body = zlib.compress(json.dumps(fields, separators=(",", ":")).encode(), 9)
        packed = body + zlib.crc32(body).to_bytes(4, "big")
        return PREFIX + base64.urlsafe_b64encode(packed).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> Token:
        """Read a token's text.

        Raises:
            TokenError: The text isn't a token, is of another version, or was changed.
        """
        fields = _unpack(text.strip())
        try:
            probe, code, (file, line, function), occurrence, jobs, order, rest = fields
            return cls(
                probe=str(probe),
                code=str(code),
                site=Site(str(file), int(line), str(function)),
                occurrence=int(occurrence),
                jobs=int(jobs),
                order=order_from_dict(order),
                rest=bool(rest),
            )
        except (TypeError, ValueError, OverflowError) as error:
            raise _malformed() from error

    def require(self, *, probe: str, code: str) -> None:
        """Refuse the token where it wasn't made for this probe and code.

        Raises:
            TokenError: It was made for another probe or another version of the code.
        """
        if self.probe != probe[:_DIGEST_LENGTH]:
            raise TokenError(
                f"the replay token was made for another probe "
                f"(digest {self.probe}, this one is {probe[:_DIGEST_LENGTH]})",
                do="name the probe, with the parameters, that the token was made with",
            )
        if self.code != code[:_DIGEST_LENGTH]:
            raise TokenError(
                f"the replay token was made with other code of the search "
                f"(digest {self.code}, installed is {code[:_DIGEST_LENGTH]})",
                do="install the version that it was made with, or run `repro check` again",
            )


def _unpack(text: str) -> list[Any]:
    if not text.startswith(PREFIX):
        raise TokenError(
            f"this isn't a replay token of a known version: it must start with {PREFIX!r}",
            do="copy the whole line behind `--replay` from the report",
        )
    data = text.removeprefix(PREFIX)
    try:
        packed = base64.b64decode(data + "=" * (-len(data) % 4), altchars=b"-_", validate=True)
        body, checksum = packed[:-4], packed[-4:]
        if zlib.crc32(body).to_bytes(4, "big") != checksum:
            raise _malformed()
        fields = json.loads(_inflate(body))
    except (binascii.Error, zlib.error, ValueError, RecursionError) as error:
        raise _malformed() from error
    if not isinstance(fields, list):
        raise _malformed()
    return fields


def _inflate(body: bytes, limit: int = 1 << 22) -> bytes:
    """Inflate at most `limit` bytes, so that a crafted token can't exhaust memory."""
    decompressor = zlib.decompressobj()
    text = decompressor.decompress(body, limit)
    if not decompressor.eof:
        raise _malformed()
    return text


def _malformed() -> TokenError:
    return TokenError(
        "the replay token is damaged or cut short",
        do="copy the whole line behind `--replay` from the report",
    )
