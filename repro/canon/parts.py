"""The named parts of a Python value, to say where two differ or one can't be seen through.

Owns paths such as `[1][0].mappings['dram']` and the search for the part that matters. Leaves
what counts of a value to `repro.canon.shapes`, and equality to `repro.canon.value`.
"""

from __future__ import annotations

import functools
import types
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import xxhash

from repro.canon.shapes import Unseen, recipe_of
from repro.canon.value import Walker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

type Part = tuple[str, Any]
"""How a part is reached from its whole, and the part."""

_LABEL = 40
_FEW = 64


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """A value's digest with those of its upper parts: small, and made where the value is.

    Attributes:
        digest: The whole value's digest.
        parts: Path and digest of its parts, from the whole downwards, the whole left out.
    """

    digest: str
    parts: tuple[tuple[str, str], ...]

    def first_difference(self, other: Fingerprint) -> str | None:
        """Return the path of the lowest known part in which two values differ first.

        `None` if the values are equal, and an empty path if no known part tells them apart.
        """
        if self.digest == other.digest:
            return None
        theirs = dict(other.parts)
        path = ""
        for part, digest in self.parts:
            # Parts come from the top down: the first that lies in the last one found is next.
            if _lies_in(part, path) and theirs.get(part) != digest:
                path = part
        return path


def _lies_in(part: str, whole: str) -> bool:
    return part.startswith(whole) and part[len(whole) :].startswith((".", "[", "<"))


def fingerprint(value: object, *, limit: int = _FEW) -> Fingerprint:
    """Return a value's fingerprint, with at most `limit` parts, upper ones first.

    Raises:
        OpaqueValueError: Part of the value can't be seen through.
    """
    walker = Walker()
    whole = walker.digest(value)
    parts: list[tuple[str, str]] = []
    queue: deque[Part] = deque([("", value)])
    while queue:
        path, holder = queue.popleft()
        below = [(path + label, part) for label, part in parts_of(holder)]
        if len(parts) + len(below) > limit:
            continue
        parts += [
            (label, xxhash.xxh3_64_hexdigest(walker.whole_token(part))) for label, part in below
        ]
        queue.extend(below)
    return Fingerprint(whole, tuple(parts))


def first_difference(one: object, other: object) -> str | None:
    """Return the path to the lowest part in which two values differ first, or `None`.

    Raises:
        OpaqueValueError: Part of a value can't be seen through.
    """
    walker = Walker()
    if walker.digest(one) == walker.digest(other):
        return None
    path = ""
    passed: set[int] = set()
    while id(one) not in passed:
        passed.add(id(one))
        walker.keep(one)
        ours, theirs = list(parts_of(one)), dict(parts_of(other))
        for label, part in ours:
            if label not in theirs:
                return path + label
            if walker.whole_token(part) != walker.whole_token(theirs[label]):
                path, one, other = path + label, part, theirs[label]
                break
        else:
            extra = [label for label in theirs if label not in dict(ours)]
            return path + extra[0] if extra else path
    return path


def path_to_unseen(value: object) -> str:
    """Return the path to the lowest part of a value that can't be seen through."""
    walker = Walker()
    path = "value"
    passed: set[int] = set()
    while id(value) not in passed:
        passed.add(id(value))
        walker.keep(value)
        members = value if isinstance(value, set | frozenset) else ()
        for label, part in (*parts_of(value), *(("{…}", member) for member in members)):
            try:
                walker.whole_token(part)
            except Unseen:
                path, value = path + label, part
                break
    return path


def parts_of(value: object) -> Iterator[Part]:
    """Yield the named parts of a value.

    A set's members have no names by which they could be found in another set.
    """
    if isinstance(value, str | bytes | int | float | complex | type | None):
        return
    if isinstance(value, dict):
        yield from _keyed(value.items())
    if isinstance(value, list | tuple):
        yield from _counted(value)
    package = type(value).__module__.partition(".")[0]
    if package in {"pandas", "numpy"}:
        yield from _tabular(value)
        return
    yield from _inside(value)


def _inside(value: Any) -> Iterator[Part]:  # noqa: ANN401
    if isinstance(value, types.FunctionType):
        names = value.__code__.co_freevars
        cells = zip(names, value.__closure__ or (), strict=True)
        yield from ((f"<closure {name}>", cell.cell_contents) for name, cell in cells)
        yield from ((f"<default {i}>", item) for i, item in enumerate(value.__defaults__ or ()))
    elif isinstance(value, types.MethodType):
        yield ".__self__", value.__self__
    elif isinstance(value, functools.partial):
        yield from ((".func", value.func), (".args", value.args), (".keywords", value.keywords))
    else:
        attributes = dict(_attributes(value))
        yield from attributes.items()
        if not attributes and not isinstance(value, dict | list | tuple | set | frozenset):
            yield from _told(value)


def _attributes(value: Any) -> Iterator[Part]:  # noqa: ANN401
    for holder in (
        getattr(value, "__dict__", None),
        getattr(value, "__pydantic_private__", None),
        getattr(value, "__pydantic_extra__", None),
    ):
        yield from ((f".{name}", item) for name, item in sorted((holder or {}).items(), key=str))
    for kind in type(value).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if isinstance(slots, str) else slots:
            if not name.startswith("__") and hasattr(value, name):
                yield f".{name}", getattr(value, name)


def _told(value: object) -> Iterator[Part]:
    """Yield what pickle would be told of a value that has no attributes to show."""
    try:
        recipe = recipe_of(value)
    except Unseen:
        return
    if isinstance(recipe, tuple):
        _, arguments, _, items, pairs = (*recipe, None, None, None)[:5]
        yield from ((f"<argument {place}>", item) for place, item in enumerate(arguments))
        yield from _counted(items or ())
        yield from _keyed(pairs or ())


def _tabular(value: Any) -> Iterator[Part]:  # noqa: ANN401
    if type(value).__name__ == "DataFrame":
        yield ".columns", value.columns
        yield ".index", value.index
        yield from _keyed(value.items())
    elif getattr(getattr(value, "dtype", None), "hasobject", False):
        yield from _counted(value.tolist())


def _keyed(items: Iterable[tuple[Any, Any]]) -> Iterator[Part]:
    for key, item in items:
        yield f"[{key!r:.{_LABEL}}]", item


def _counted(items: Iterable[Any]) -> Iterator[Part]:
    yield from ((f"[{place}]", item) for place, item in enumerate(items))
