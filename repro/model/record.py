"""Frozen records to JSON values and back, by their type annotations.

Owns the mapping for records that mirror a published JSON shape key by key: `snake_case`
fields are `camelCase` keys, an unknown or missing key is refused by name. Leaves the shapes
themselves to the records, and files to `repro.cli`.

A field made with `optional()` is left out of the JSON where it is `None`, and may be missing.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from repro.errors import ResultError

_OMIT = "omitNone"

type Json = str | int | float | bool | list["Json"] | dict[str, "Json"] | None
"""Any JSON value: the type of fields whose content is open, such as a reason's facts."""


def optional() -> Any:  # noqa: ANN401 - as `dataclasses.field`: the annotation gives the type
    """Declare a field that is `None` by default and then left out of the JSON."""
    return dataclasses.field(default=None, metadata={_OMIT: True})


def camel(name: str) -> str:
    """Return the JSON key of a field: `row_order` is `rowOrder`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)


def to_json(value: Any) -> Any:  # noqa: ANN401 - JSON values have no narrower common type
    """Return the JSON value of a record, or of anything that a record's field may hold."""
    if dataclasses.is_dataclass(value):
        return {
            camel(field.name): to_json(content)
            for field in dataclasses.fields(value)
            if (content := getattr(value, field.name)) is not None or not _may_miss(field)
        }
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, Mapping):
        return {str(to_json(key)): to_json(content) for key, content in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(item) for item in value]
    return value


def from_json[T](kind: type[T], value: object, where: str = "result") -> T:
    """Read a JSON value as a record.

    Args:
        kind: The record's class.
        value: The parsed JSON.
        where: What to call the value in messages; keys are added to it with dots.

    Raises:
        ResultError: A key is unknown or missing, or a value is of the wrong type.
    """
    return cast("T", _read(kind, value, where))


def _read(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    if dataclasses.is_dataclass(kind):
        return _read_record(cast("type[Any]", kind), value, where)
    if kind is Json:
        return value
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return _read_optional(kind, value, where)
    if origin is tuple:
        return _read_tuple(get_args(kind)[0], value, where)
    if origin is Mapping:
        return _read_mapping(get_args(kind), value, where)
    return _read_scalar(kind, value, where)


def _read_record(kind: type[Any], value: Any, where: str) -> Any:  # noqa: ANN401
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    hints = get_type_hints(kind)
    fields = {camel(field.name): field for field in dataclasses.fields(kind)}
    unknown = sorted(set(value) - set(fields))
    if unknown:
        raise ResultError(
            f"unknown key {unknown[0]!r}",
            where=f"{where}.{unknown[0]}",
            do=f"the keys known there are {', '.join(fields)}",
        )
    content: dict[str, Any] = {}
    for key, field in fields.items():
        if key in value:
            content[field.name] = _read(hints[field.name], value[key], f"{where}.{key}")
        elif not _may_miss(field):
            raise ResultError(f"missing key {key!r}", where=f"{where}.{key}")
    return kind(**content)


def _read_optional(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    """Read a union: `None` first, then the first member that the value fits."""
    members = get_args(kind)
    if value is None and types.NoneType in members:
        return None
    choices = [member for member in members if member is not types.NoneType]
    for member in choices[:-1]:
        try:
            return _read(member, value, where)
        except ResultError:
            continue
    return _read(choices[-1], value, where)


def _read_tuple(item: Any, value: Any, where: str) -> tuple[Any, ...]:  # noqa: ANN401
    if not isinstance(value, list):
        raise _wrong(where, "a list", value)
    return tuple(_read(item, part, f"{where}[{index}]") for index, part in enumerate(value))


def _read_mapping(kinds: tuple[Any, ...], value: Any, where: str) -> dict[Any, Any]:  # noqa: ANN401
    if not isinstance(value, dict):
        raise _wrong(where, "an object", value)
    key_kind, item = kinds
    return {
        _read_key(key_kind, key, where): _read(item, part, f"{where}.{key}")
        for key, part in value.items()
    }


def _read_key(kind: Any, key: str, where: str) -> Any:  # noqa: ANN401
    """Read an object's key, which JSON only has as text."""
    if kind is not int:
        return _read(kind, key, f"{where}.{key}")
    if not key.isdecimal():
        raise _wrong(f"{where}.{key}", "a whole number as key", key)
    return int(key)


def _read_scalar(kind: Any, value: Any, where: str) -> Any:  # noqa: ANN401
    if isinstance(kind, type) and issubclass(kind, StrEnum):
        try:
            return kind(value)
        except ValueError as error:
            raise _wrong(where, f"one of {', '.join(kind)}", value) from error
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        names = {str: "text", int: "a whole number", float: "a number", bool: "true or false"}
        raise _wrong(where, names[kind], value)
    return value


def _wrong(where: str, wanted: str, value: object) -> ResultError:
    return ResultError(f"expected {wanted}, found {value!r:.60}", where=where)


def _may_miss(field: dataclasses.Field[Any]) -> bool:
    return bool(field.metadata.get(_OMIT))
