"""What of numpy's and pandas' values counts, for digests of arbitrary values.

Owns dtype, shape and bits of arrays, and the labels and columns of frames. How they lie in
memory doesn't count: row or column order, and how pandas packs columns into blocks. Knows the
types by name, so that neither package is imported for values that have none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from repro.canon.shapes import Shape
    from repro.canon.value import Walker


def shape_of(kind: type) -> Shape | None:
    """Return how values of a type of numpy's or pandas' are made into bytes."""
    package = kind.__module__.partition(".")[0]
    if package == "numpy":
        return _numpy_shape(kind)
    if package == "pandas":
        return _PANDAS.get(kind.__name__) or _pandas_shape(kind)
    return None


def _numpy_shape(kind: type) -> Shape | None:
    import numpy as np

    if kind is np.ndarray:
        return _array
    return _scalar if issubclass(kind, np.generic) else None


def _pandas_shape(kind: type) -> Shape | None:
    import pandas as pd

    if issubclass(kind, pd.Index):
        return _index
    return _extension if issubclass(kind, pd.api.extensions.ExtensionArray) else None


def _array(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    dtype = value.dtype
    head = b"array" + walker.token(value.shape) + walker.text(dtype.str)
    if dtype.hasobject:
        items = value.ravel().tolist()
        walker.keep(items)
        return head + b"".join(map(walker.token, items))
    fields = walker.text(repr(dtype)) if dtype.names else b""
    bits: bytes = value.tobytes()
    return head + fields + bits


def _scalar(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    bits: bytes = value.tobytes()
    return b"scalar" + walker.text(value.dtype.str) + bits


def _frame(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    parts = [b"frame", walker.token(type(value)), _labels(walker, value.columns)]
    parts.append(_labels(walker, value.index))
    parts.extend(_values(walker, series) for _, series in value.items())
    return b"".join(parts) + _attrs(walker, value)


def _series(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    parts = (b"series", walker.token(type(value)), walker.token(value.name))
    labels = _labels(walker, value.index)
    return b"".join((*parts, labels, _values(walker, value), _attrs(walker, value)))


def _attrs(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    attrs = value.attrs
    walker.keep(attrs)
    return walker.token(attrs) if attrs else b""


def _index(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    return b"index" + _labels(walker, value)


def _labels(walker: Walker, index: Any) -> bytes:  # noqa: ANN401
    kind = walker.token(type(index))
    names = b"".join(walker.token(name) for name in index.names)
    if type(index).__name__ == "RangeIndex":
        return kind + names + b"%d:%d:%d;" % (index.start, index.stop, index.step)
    return kind + names + _values(walker, index)


def _values(walker: Walker, holder: Any) -> bytes:  # noqa: ANN401
    """Return a column's or an index's type and cells.

    Built-in arrays give their bits. Others (texts, categories, dates, masked numbers) are
    read cell by cell; the type says what else there is to them, such as the categories.
    """
    import numpy as np

    dtype = holder.dtype
    if isinstance(dtype, np.dtype):
        array = holder.to_numpy()
        walker.keep(array)
        return walker.token(array)
    return _cells(walker, dtype, holder.tolist())


def _extension(walker: Walker, value: Any) -> bytes:  # noqa: ANN401
    return b"extension" + walker.token(type(value)) + _cells(walker, value.dtype, value.tolist())


def _cells(walker: Walker, dtype: Any, cells: list[Any]) -> bytes:  # noqa: ANN401
    walker.keep(cells)
    parts = [walker.text(str(dtype)), b"%d:" % len(cells)]
    if type(dtype).__name__ == "CategoricalDtype":
        parts.append(_labels(walker, dtype.categories) + walker.token(dtype.ordered))
    return b"".join(parts) + b"".join(map(walker.token, cells))


_PANDAS: dict[str, Shape] = {"DataFrame": _frame, "Series": _series}
