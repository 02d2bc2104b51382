"""An AccelForge mapping, walked node by node into a LoopTree record.

Owns what is read from the mapper's objects and what is refused. Knows them by the names of
their classes and fields only, so that nothing here imports AccelForge. Leaves normalising
and text to `repro.canon.looptree`.

Which mapping is canonical: a cell of `Total<SEP>mapping` is a callable. `cell()` is meant for
display: it lifts storage nodes that branches share above the split, and AccelForge's own
comment says that this changed what the model computed. `cell(_for_model=True)` leaves them in
their branches, and is what `evaluate_mapping` takes. That form is canonical here: a tree
rebuilt from its record evaluates bit for bit as the live one (a test holds this).

What is left out, because it follows from the rest or only steers the mapper: reservations,
component objects, and the private marks `_lower`, `_must_keep_tensors`, `_fused`,
`_shared_tensor_binding`, `_may_cause_imperfect` and the like. What is not known here, a node
class or a public field of one, is refused by name: a tree with something missing would make
two different mappings look the same.
"""

from __future__ import annotations

import copy
import io
import numbers
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Any

from repro.errors import OutcomeError
from repro.model.looptree import (
    Compute,
    LoopTree,
    Nested,
    Pipeline,
    Sequential,
    Spatial,
    Storage,
    Temporal,
    Toll,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from repro.model.looptree import Node, Pairs, Tile

_LOOP = {"rank_variable", "tile_shape", "initial_tile_shape"}
_HOLDER = {"tensors", "component", "component_object", "persistent"}
_FIELDS: dict[str, set[str]] = {
    "Temporal": _LOOP,
    "Spatial": _LOOP | {"name", "component", "component_object"},
    "Storage": _HOLDER | {"binding"},
    "Toll": _HOLDER,
    "Compute": {"einsum", "component", "component_object"},
    "Nested": {"nodes"},
    "Mapping": {"nodes"},
    "Sequential": {"nodes"},
    "Pipeline": {"nodes"},
}
"""The public fields of each node class. A field that isn't here is one that isn't read."""

_CELL = ("row", "rank_variable_bounds", "einsum_names")
"""What a cell makes its mapping from."""

_DERIVED = "Reservation"


def from_mapping(mapping: object, rank_bounds: Mapping[str, int] | None = None) -> LoopTree:
    """Return the LoopTree of an AccelForge `Mapping`, or of one Einsum's pmapping.

    Args:
        mapping: The root node.
        rank_bounds: Rank variable -> its extent; needed to know which loops iterate.

    Raises:
        OutcomeError: It isn't a mapping, or holds a node, a field or a value unknown here.
    """
    if not isinstance(getattr(mapping, "nodes", None), list | tuple):
        raise OutcomeError(
            f"this is a {type(mapping).__name__}, not a mapping: it has no nodes to walk",
            do="name the column that holds mappings, or leave it out of the identity",
        )
    bounds = sorted((str(rank), int(bound)) for rank, bound in (rank_bounds or {}).items())
    _check_fields(mapping)
    return LoopTree(children=_children(mapping), rank_bounds=tuple(bounds))


def from_cells(cells: Iterable[Any]) -> list[LoopTree]:
    """Return the LoopTree of each cell of a `Total<SEP>mapping` column, in order.

    A cell makes its mapping from the pmappings in its row, and spends most of that
    time on copies of the architecture that hangs on every node. The pmappings are therefore
    stripped of it first, once for each distinct one: the same nodes, in a third of the time.

    Raises:
        OutcomeError: A cell isn't callable, or as `from_mapping`.
    """
    stripped: dict[int, tuple[Any, Any]] = {}
    # Where loops of several Einsums are merged, the mapper prints that it did so.
    with redirect_stdout(io.StringIO()):
        return [_from_cell(cell, stripped) for cell in cells]


def _from_cell(cell: Any, stripped: dict[int, tuple[Any, Any]]) -> LoopTree:  # noqa: ANN401
    if not callable(cell) or not all(hasattr(cell, name) for name in _CELL):
        raise OutcomeError(
            f"this cell is a {type(cell).__name__}, not a callable that makes a row's mapping",
            do="check that the AccelForge version is one that `repro doctor` accepts",
        )
    names = [f"{einsum}<SEP>mapping" for einsum in cell.einsum_names]
    row = cell.row.copy()
    for name in names:
        pmapping = row[name]
        # The memo holds the pmapping too: its id can't be given to another while it is here.
        if id(pmapping) not in stripped:
            stripped[id(pmapping)] = (pmapping, _strip(pmapping))
        row[name] = stripped[id(pmapping)][1]
    light = type(cell)(row, cell.rank_variable_bounds, cell.einsum_names)
    return from_mapping(light(_for_model=True), cell.rank_variable_bounds)


def _strip(node: Any) -> Any:  # noqa: ANN401
    """Return a copy of a node and all below it, without the objects of the architecture."""
    light = copy.copy(node)
    if hasattr(light, "component_object"):
        light.component_object = None
    if type(light).__name__ == _DERIVED:
        light._component_object = None  # noqa: SLF001 - the reservation's copy of the same
        light._tensor_holder = None  # noqa: SLF001
    if hasattr(light, "nodes"):
        light.nodes = type(light.nodes)(_strip(child) for child in light.nodes)
    return light


def _children(node: Any) -> tuple[Node, ...]:  # noqa: ANN401
    return tuple(_node(child) for child in node.nodes if type(child).__name__ != _DERIVED)


def _node(node: Any) -> Node:  # noqa: ANN401
    read = _READERS.get(type(node).__name__)
    if read is None:
        raise OutcomeError(
            f"a mapping holds a node of class {type(node).__name__}, which is unknown here",
            where=f"{type(node).__module__}.{type(node).__qualname__}",
            do="use a version of repro that knows it; a tree without it would be another one",
        )
    _check_fields(node)
    return read(node)


def _check_fields(node: object) -> None:
    known = _FIELDS.get(type(node).__name__, set())
    unknown = sorted(set(getattr(type(node), "model_fields", ())) - known)
    if unknown:
        raise OutcomeError(
            f"a mapping's {type(node).__name__} has a field {unknown[0]!r}, unknown here",
            where=f"{type(node).__module__}.{type(node).__qualname__}",
            do="use a version of repro that knows it; a tree without it would be another one",
        )


def _loop(node: Any) -> dict[str, Any]:  # noqa: ANN401
    ranks = node.rank_variable
    several = isinstance(ranks, set | frozenset | list | tuple)
    einsum_ranks: Pairs[str] = tuple(
        sorted(
            (str(einsum), str(rank))
            for einsum, rank in (getattr(node, "_einsum_to_rank_variable", None) or {}).items()
        )
    )
    return {
        "rank_variables": tuple(sorted(map(str, ranks))) if several else (str(ranks),),
        "tile": _tile(node.tile_shape),
        "initial_tile": _tile(node.initial_tile_shape),
        "iterations": _tile(getattr(node, "_calculated_n_iterations", None)),
        "einsum_ranks": einsum_ranks,
    }


def _temporal(node: Any) -> Temporal:  # noqa: ANN401
    return Temporal(**_loop(node))


def _spatial(node: Any) -> Spatial:  # noqa: ANN401
    name = int(node.name) if isinstance(node.name, numbers.Integral) else str(node.name)
    return Spatial(**_loop(node), name=name, component=str(node.component))


def _holder(node: Any) -> dict[str, Any]:  # noqa: ANN401
    return {
        "component": str(node.component),
        "tensors": tuple(map(str, node.tensors)),
        "persistent": bool(node.persistent),
        "backing": tuple(sorted(map(str, getattr(node, "_backing", None) or ()))),
    }


def _storage(node: Any) -> Storage:  # noqa: ANN401
    return Storage(**_holder(node), binding=tuple(_spatial(loop) for loop in node.binding))


def _toll(node: Any) -> Toll:  # noqa: ANN401
    return Toll(**_holder(node))


def _compute(node: Any) -> Compute:  # noqa: ANN401
    return Compute(einsum=str(node.einsum), component=str(node.component))


def _tile(value: Any) -> Tile | None:  # noqa: ANN401
    """Return a tile shape as a plain number or a symbol's name.

    Whole numbers come out as `int` whatever type held them, sympy's and numpy's included.
    """
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return int(value)
    if getattr(value, "is_Symbol", False):
        return str(value.name)
    if isinstance(value, numbers.Real) or getattr(value, "is_Number", False):
        number = float(value)
        return int(number) if number.is_integer() else number
    raise OutcomeError(
        f"a loop's tile shape is a {type(value).__name__}, not a number or a symbol",
        where=f"{value!r:.80}",
        do="evaluate the mapping's expressions before it is compared",
    )


_READERS: dict[str, Callable[[Any], Node]] = {
    "Temporal": _temporal,
    "Spatial": _spatial,
    "Storage": _storage,
    "Toll": _toll,
    "Compute": _compute,
    "Nested": lambda node: Nested(_children(node)),
    "Sequential": lambda node: Sequential(_children(node)),
    "Pipeline": lambda node: Pipeline(_children(node)),
}
