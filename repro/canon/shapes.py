"""What of a Python value counts, type by type.

Owns the bytes that stand for each kind of value, made of the tokens of what it holds. Every
content begins with what kind it is and has its parts' tokens after that, so that no two kinds
can have the same. Leaves the walk, remembering and cycles to `repro.canon.value`, functions to
`repro.canon.callables`, and pandas and numpy to `repro.canon.arrays`.

What has no entry here goes the way that pickle goes, `__reduce_ex__`, without making bytes of
it: what can be pickled can be seen through.
"""

from __future__ import annotations

import copyreg
import enum
import functools
import pickle
import types
import uuid
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from repro.canon import arrays, callables

if TYPE_CHECKING:
    from repro.canon.value import Walker

_RANDOM = 4  # RFC 9562, section 5.4

type Shape = Callable[[Walker, Any], bytes]
"""Makes the bytes that a value counts as, and raises `Unseen` where it can't."""


class Unseen(Exception):  # noqa: N818 - never leaves repro.canon, where it gets its path
    """A value whose content can't be seen."""

    def __init__(self, value: object, why: str) -> None:
        """Note which kind of value it is and why it can't be seen through."""
        super().__init__(why)
        self.kind = f"{type(value).__module__}.{type(value).__qualname__}"
        self.why = why


def shape_of(value: object) -> Shape:
    """Return how values of exactly this one's type are made into bytes.

    Raises:
        Unseen: They can't be.
    """
    kind = type(value)
    if kind in _SHAPES:
        return _SHAPES[kind]
    found = arrays.shape_of(kind)
    if found is not None:
        return found
    for parent, shape in _PARENTS:
        if issubclass(kind, parent):
            return shape
    if hasattr(kind, "__pydantic_private__") and hasattr(kind, "__pydantic_fields_set__"):
        return _model
    # Whether attributes and slots are all there is, pickle knows: it refuses an object that
    # holds more than that in memory of its own, such as a lock.
    recipe_of(value)
    return _object if _is_plain(kind) else _reduced


def recipe_of(value: object) -> str | tuple[Any, ...]:
    """Return what pickle would be told of a value: a name, or how to make it again.

    Raises:
        Unseen: It can't be pickled.
    """
    reduce = copyreg.dispatch_table.get(type(value))
    try:
        # Protocol 4: from 5 on numpy wraps its memory in an object of its own.
        return reduce(value) if reduce else value.__reduce_ex__(4)
    except (TypeError, ValueError, AttributeError, RuntimeError, pickle.PickleError) as error:
        raise Unseen(value, str(error)) from error


def _complex(walker: Walker, value: complex) -> bytes:
    return b"complex" + walker.token(value.real) + walker.token(value.imag)


def _list(walker: Walker, value: list[Any]) -> bytes:
    return b"list" + b"".join(map(walker.token, value))


def _tuple(walker: Walker, value: tuple[Any, ...]) -> bytes:
    return b"tuple" + b"".join(map(walker.token, value))


def _dict(walker: Walker, value: dict[Any, Any]) -> bytes:
    return b"dict" + walker.pairs(value.items())


def _set(walker: Walker, value: set[Any]) -> bytes:
    return b"set" + walker.unordered(set.__iter__(value))


def _frozenset(walker: Walker, value: frozenset[Any]) -> bytes:
    return b"frozenset" + walker.unordered(frozenset.__iter__(value))


def _set_subclass(walker: Walker, value: set[Any] | frozenset[Any]) -> bytes:
    """Members and attributes; slots hold caches, such as the sorted members, and don't count."""
    plain = set.__iter__(value) if isinstance(value, set) else frozenset.__iter__(value)
    members = walker.unordered(plain)
    attributes = walker.attributes(getattr(value, "__dict__", None))
    return b"setlike" + walker.token(type(value)) + attributes + members


def _class(walker: Walker, value: type) -> bytes:
    return b"class" + walker.text(value.__module__) + walker.text(value.__qualname__)


def _module(walker: Walker, value: types.ModuleType) -> bytes:
    return b"module" + walker.text(value.__name__)


def _enum(walker: Walker, value: enum.Enum) -> bytes:
    return b"enum" + walker.token(type(value)) + walker.token(value.value)


def _uuid(_walker: Walker, value: uuid.UUID) -> bytes:
    return b"uuid" + value.bytes


def nameless_uuid(_walker: Walker, value: uuid.UUID) -> bytes:
    """Return the bytes of a UUID, all random ones alike."""
    return b"uuid4" if value.version == _RANDOM else b"uuid" + value.bytes


def _bytes(_walker: Walker, value: bytes) -> bytes:
    return b"bytes" + value


def _proxy(walker: Walker, value: types.MappingProxyType[Any, Any]) -> bytes:
    return b"proxy" + walker.pairs(value.items())


def _model(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    """A pydantic model: fields, extra fields, private attributes, and which fields were set."""
    return b"".join(
        (
            b"model",
            walker.token(type(value)),
            walker.attributes(value.__dict__),
            walker.attributes(value.__pydantic_private__),
            walker.attributes(value.__pydantic_extra__),
            *sorted(map(walker.text, value.__pydantic_fields_set__)),
        )
    )


def _object(walker: Walker, value: object) -> bytes:
    """An object of Python's own making: its class, attributes and slots."""
    kind = type(value)
    slots = {
        name: getattr(value, name)
        for name in copyreg._slotnames(kind)  # type: ignore[attr-defined] # noqa: SLF001
        if hasattr(value, name)
    }
    attributes = getattr(value, "__dict__", None)
    return b"".join(
        (
            b"object",
            walker.token(kind),
            walker.attributes(attributes),
            walker.attributes(slots),
        )
    )


def _is_plain(kind: type) -> bool:
    """Whether pickling a value of this type means its attributes and slots, and no more."""
    return (
        kind not in copyreg.dispatch_table
        and all(getattr(kind, name) is getattr(object, name) for name in _HOOKS)
        and not any(hasattr(kind, name) for name in ("__getnewargs__", "__getnewargs_ex__"))
        and all(base is object or base.__flags__ & _HEAP_TYPE for base in kind.__mro__)
    )


def _reduced(walker: Walker, value: object) -> bytes:
    """Anything else, by what pickle would be told of it."""
    recipe = recipe_of(value)
    walker.keep(recipe)
    if isinstance(recipe, str):
        module = getattr(value, "__module__", None) or type(value).__module__
        return b"global" + walker.token(module) + walker.text(recipe)
    make, arguments, state, items, pairs = (*recipe, None, None, None)[:5]
    return b"".join(
        (
            b"reduced",
            walker.token(type(value)),
            walker.token(make),
            b"(",
            *map(walker.token, arguments),
            b")",
            _state(walker, state),
            *(walker.token(item) for item in items or ()),
            b";",
            walker.pairs(pairs or ()),
        )
    )


def _state(walker: Walker, state: object) -> bytes:
    if isinstance(state, dict):
        return walker.attributes(state)
    if isinstance(state, tuple):
        return b"(" + b"".join(_state(walker, part) for part in state) + b")"
    return walker.token(state)


_HOOKS = ("__reduce_ex__", "__reduce__", "__getstate__")
"""How a class tells pickle that there is more to it, or less."""

_HEAP_TYPE = 1 << 9
"""CPython's flag of classes made in Python, `Py_TPFLAGS_HEAPTYPE`."""

_SHAPES: dict[type, Shape] = {
    **callables.SHAPES,
    complex: _complex,
    list: _list,
    tuple: _tuple,
    dict: _dict,
    set: _set,
    frozenset: _frozenset,
    bytes: _bytes,
    type: _class,
    uuid.UUID: _uuid,
    types.ModuleType: _module,
    types.MappingProxyType: _proxy,
}

_PARENTS: tuple[tuple[type, Shape], ...] = (
    (type, _class),
    (enum.Enum, _enum),
    (set, _set_subclass),
    (frozenset, _set_subclass),
    (functools.partial, callables.partial),
)
