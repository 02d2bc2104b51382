"""One table cell as canonical text.

Owns how a value of a search's table reads: the same text for equal values in every process,
one line, and different for different values. Numbers are written without regard to the type
that held them, for a column that turned from whole numbers to floats hasn't changed what its
rows say (its type is part of the `bytes` rung). Leaves objects that aren't plain data to
`repro.canon.value`, and names them by the digest found there.
"""

from __future__ import annotations

import math
import numbers
from json.encoder import encode_basestring

from repro.canon.value import value_digest

ABSENT = "<absent>"
"""What a row without that key holds. Texts are quoted, so that none can look like it."""


def float_text(value: float) -> str:
    """Return a float: the shortest digits that read back as it, whole numbers without `.0`."""
    if value.is_integer():
        return "-0" if value == 0 and math.copysign(1, value) < 0 else str(int(value))
    return repr(value)


def cell_text(value: object) -> str:
    """Return the canonical text of a cell.

    Raises:
        OpaqueValueError: The content of the cell, or of something in it, can't be seen.
    """
    text = _atom_text(value)
    if text is None:
        text = _number_text(value)
    if text is None:
        text = _container_text(value)
    return _object_text(value) if text is None else text


def unsigned(text: str) -> str:
    """Return a number's text with negative zero as zero."""
    return "0" if text == "-0" else text


def _atom_text(value: object) -> str | None:
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return encode_basestring(str(value))
    return repr(bytes(value)) if isinstance(value, bytes) else None


def _container_text(value: object) -> str | None:
    match value:
        case list():
            return f"[{', '.join(map(cell_text, value))}]"
        case tuple():
            return f"({', '.join(map(cell_text, value))})"
        case set() | frozenset():
            return f"{{{', '.join(sorted(map(cell_text, value)))}}}"
        case dict():
            pairs = (f"{cell_text(key)}: {cell_text(item)}" for key, item in value.items())
            return f"dict({', '.join(pairs)})"
    return None


def _number_text(value: object) -> str | None:
    """Return a number of Python's, numpy's or sympy's; `None` for what isn't a real number."""
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real) and not isinstance(value, numbers.Rational):
        return float_text(float(value))
    if not getattr(value, "is_Number", False):
        return None
    as_float = float(value)  # type: ignore[arg-type]
    return float_text(as_float) if as_float == value else str(value)


def _object_text(value: object) -> str:
    kind = type(value)
    return f"<{kind.__module__}.{kind.__qualname__} {value_digest(value)}>"
