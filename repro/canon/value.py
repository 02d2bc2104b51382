"""Digests of arbitrary Python values, by what they hold.

Owns the structural walk that says whether two job results, or two sets of arguments, are
equal: across runs, forked children and fresh processes. What of a value counts is in
`repro.canon.shapes`; which of its parts differ is found by `repro.canon.parts`.

Equal digests mean: same types, same content, same order of lists and dicts, numbers by their
bits. What doesn't count: which parts are one object and which are copies, the order of a set,
the memory layout of arrays and frames. Object cycles end. What can't be seen through raises
`OpaqueValueError` with the path to it, so that nothing is called equal unseen.
"""

from __future__ import annotations

import uuid
from struct import Struct
from typing import TYPE_CHECKING, Any

import xxhash

from repro.canon.shapes import Shape, Unseen, nameless_uuid, shape_of
from repro.errors import OpaqueValueError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

_UNFINISHED = b"?"
_NEVER = 1 << 62
_pack = Struct("<d").pack


def value_digest(value: object, *, names: bool = True) -> str:
    """Return the xxh3-128 digest of a value, as 32 hex digits.

    Args:
        value: Anything that can be seen through.
        names: Whether random UUIDs (version 4) count by their bits. `False` takes any for any
            other: a job that draws one as a name for its result still gives the same result.

    Raises:
        OpaqueValueError: Part of it can't be seen through; `where` is the path to it.
    """
    return Walker(names=names).digest(value)


class Walker:
    """One walk over any number of values, which have to stay unchanged as long as it lasts.

    Every value becomes a token: bytes that say where they end, a digest for all but the
    smallest. Tokens are remembered by object id, so what is shared is walked once.

    Cycles: the members of a strongly connected group get no tokens of their own until the
    one through which the group was entered is done; Tarjan's algorithm finds that one. The
    group is then walked again from there, and a member that is met again is the number of
    its first meeting. So a group's token depends on its content and entry, not on ids.
    """

    def __init__(self, *, names: bool = True) -> None:
        """Start with nothing known; `names` is as in `value_digest`."""
        self._tokens: dict[int, bytes] = {}
        self._texts: dict[str, bytes] = {}
        self._shapes: dict[type, Shape] = {} if names else {uuid.UUID: nameless_uuid}
        self._kept: list[object] = []
        self._found: dict[int, int] = {}
        self._count = 0
        self._open: list[int] = []
        self._low = _NEVER
        self._members: frozenset[int] = frozenset()
        self._numbers: dict[int, int] | None = None

    def digest(self, value: object) -> str:
        """Return the digest of a value, as `value_digest`.

        Raises:
            OpaqueValueError: Part of it can't be seen through.
        """
        try:
            return xxhash.xxh3_128_hexdigest(self.whole_token(value))
        except Unseen as unseen:
            from repro.canon.parts import path_to_unseen

            raise OpaqueValueError(
                f"a {unseen.kind} can't be seen through: {unseen.why}",
                where=path_to_unseen(value),
                do="keep it out of job arguments and results, or give its class a __reduce__",
            ) from unseen

    def whole_token(self, value: object) -> bytes:
        """Return a value's token, from outside of any other value's walk.

        Raises:
            Unseen: Part of it can't be seen through.
        """
        try:
            return self.token(value)
        except RecursionError as error:
            raise Unseen(value, "it is nested too deeply") from error
        finally:
            # After a fault these are left half done; what is in `_tokens` stays true.
            self._found.clear()
            self._open.clear()
            self._low = _NEVER
            self._numbers = None

    def token(self, value: Any) -> bytes:  # noqa: ANN401 - told apart by exact type
        """Return a value's token, on the way through the value that holds it."""
        kind = type(value)
        if kind is str:
            return self.text(value)
        if kind is int:
            return b"i%d;" % value
        if kind is float:
            return b"f" + _pack(value)
        if value is None:
            return b"N"
        if kind is bool:
            return b"T" if value else b"F"
        return self._composite(value, kind)

    def text(self, value: str) -> bytes:
        """Return a text's token."""
        token = self._texts.get(value)
        if token is None:
            raw = value.encode("utf-8", "surrogatepass")
            token = self._texts[value] = b"s%d:%b" % (len(raw), raw)
        return token

    def pairs(self, pairs: Iterable[tuple[object, object]]) -> bytes:
        """Return the tokens of keys and values, in their order."""
        token = self.token
        parts = []
        for key, item in pairs:
            parts.append(token(key))
            parts.append(token(item))
        return b"".join(parts)

    def attributes(self, values: Mapping[str, object] | None) -> bytes:
        """Return the tokens of attributes, by name: in which order they were set says nothing."""
        if not values:
            return b"{}"
        try:
            names = sorted(values)
        except TypeError:
            names = sorted(values, key=repr)
        return b"{" + self.pairs([(name, values[name]) for name in names]) + b"}"

    def unordered(self, values: Iterable[object]) -> bytes:
        """Return the tokens of a set's members, in an order that is the same for equal sets."""
        if self._numbers is None:
            return b"".join(sorted(map(self.token, values)))
        # Inside a group the numbers that members get depend on the order of the walk. Each
        # is tried as if it were first; the order found so is then walked in earnest.
        start = self._numbers
        tried = []
        for value in values:
            self._numbers = dict(start)
            tried.append((self.token(value), value))
        self._numbers = start
        return b"".join(self.token(value) for _, value in sorted(tried, key=lambda pair: pair[0]))

    def keep(self, value: object) -> None:
        """Hold a value made on the way, so that its id isn't given to another."""
        self._kept.append(value)

    def _composite(self, value: object, kind: type) -> bytes:
        key = id(value)
        token = self._tokens.get(key)
        if token is not None:
            return token
        if self._numbers is not None:
            return self._numbered(key, value, kind, self._numbers)
        met = self._found.get(key)
        if met is not None:
            self._low = min(self._low, met)
            return _UNFINISHED
        index = self._found[key] = self._count = self._count + 1
        around, self._low = self._low, _NEVER
        mark = len(self._open)
        self._open.append(key)
        content = self._content(value, kind)
        if self._low < index:
            self._low = min(around, self._low)
            return _UNFINISHED
        members = self._open[mark:]
        del self._open[mark:]
        for member in members:
            del self._found[member]
        if self._low == index:
            token = self._group(value, kind, frozenset(members))
        else:
            token = b"#" + xxhash.xxh3_128_digest(content)
        self._tokens[key] = token
        self._low = around
        return token

    def _group(self, value: object, kind: type, members: frozenset[int]) -> bytes:
        self._members = members
        self._numbers = {}
        token = self._numbered(id(value), value, kind, self._numbers)
        self._numbers = None
        return token

    def _numbered(self, key: int, value: object, kind: type, numbers: dict[int, int]) -> bytes:
        if key in self._members:
            number = numbers.get(key)
            if number is not None:
                return b"&%d;" % number
            numbers[key] = len(numbers)
        return b"#" + xxhash.xxh3_128_digest(self._content(value, kind))

    def _content(self, value: object, kind: type) -> bytes:
        shape = self._shapes.get(kind)
        if shape is None:
            shape = self._shapes[kind] = shape_of(value)
        return shape(self, value)
