"""What of a Python function counts, for digests of arbitrary values.

Owns functions, their code, what they closed over, and what is bound to them. Where a function
was written doesn't count, and neither do the globals that it uses. Leaves the walk to
`repro.canon.value`.
"""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import functools

    from repro.canon.shapes import Shape
    from repro.canon.value import Walker


def partial(walker: Walker, value: functools.partial[Any]) -> bytes:
    """Return what a partial call counts as: its function and what it is called with."""
    return b"".join(
        (
            b"partial",
            walker.token(type(value)),
            walker.token(value.func),
            *map(walker.token, value.args),
            walker.attributes(value.keywords),
            walker.attributes(value.__dict__),
        )
    )


def _function(walker: Walker, value: types.FunctionType) -> bytes:
    cells = []
    for cell in value.__closure__ or ():
        try:
            cells.append(walker.token(cell.cell_contents))
        except ValueError:  # a name of the function around it that isn't bound yet
            cells.append(b"-")
    parts = (value.__module__, value.__qualname__, value.__code__, value.__defaults__)
    return b"".join(
        (
            b"function",
            *map(walker.token, parts),
            walker.attributes(value.__kwdefaults__),
            walker.attributes(value.__dict__),
            *cells,
        )
    )


def _code(walker: Walker, value: types.CodeType) -> bytes:
    names = (value.co_names, value.co_varnames, value.co_freevars, value.co_cellvars)
    sizes = (value.co_argcount, value.co_posonlyargcount, value.co_kwonlyargcount, value.co_flags)
    parts = (value.co_code, value.co_consts, names, sizes)
    for part in parts:
        walker.keep(part)
    return b"code" + b"".join(map(walker.token, parts))


def _builtin(walker: Walker, value: types.BuiltinFunctionType) -> bytes:
    owner = value.__self__
    bound = b"-" if owner is None or isinstance(owner, types.ModuleType) else walker.token(owner)
    return b"builtin" + walker.token(value.__module__) + walker.text(value.__qualname__) + bound


def _method(walker: Walker, value: types.MethodType) -> bytes:
    return b"method" + walker.token(value.__func__) + walker.token(value.__self__)


SHAPES: dict[type, Shape] = {
    types.FunctionType: _function,
    types.CodeType: _code,
    types.BuiltinFunctionType: _builtin,
    types.MethodType: _method,
}
