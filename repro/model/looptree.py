"""The records of a LoopTree: what a mapping is, without the mapper's objects.

Owns the node kinds, their attributes and their JSON form. Walking an AccelForge mapping,
normalising a tree and writing it as text are in `repro.canon.looptree`.

Reservations have no record: they follow from the storage nodes and the loops above them.
Every record is hashable, so equal nodes of many trees can be shared.
"""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

from repro.errors import OutcomeError

if TYPE_CHECKING:
    from collections.abc import Mapping

type Tile = int | float | str
"""Indices that a loop moves by: a number, or the name of a symbol that isn't settled yet."""

type Pairs[V] = tuple[tuple[str, V], ...]
"""A mapping as pairs sorted by name, so that the record that holds it can be hashed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """What temporal and spatial loops share."""

    rank_variables: tuple[str, ...]
    """Sorted. Several if the loop was merged from loops of several Einsums."""
    tile: Tile | None
    initial_tile: Tile | None = None
    """Shape of the first tile, where it differs from the others."""
    iterations: Tile | None = None
    """As the mapper wrote it down; it follows from the tiles and the rank bounds."""
    einsum_ranks: Pairs[str] = ()
    """Einsum -> the rank variable that it uses for a loop with several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Temporal(Loop):
    """A loop over time."""

    kind: ClassVar[str] = "temporal"


@dataclass(frozen=True, slots=True, kw_only=True)
class Spatial(Loop):
    """A loop over the instances of a component, along one of its dimensions."""

    kind: ClassVar[str] = "spatial"
    name: int | str
    component: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Holder:
    """What storage and toll nodes share."""

    component: str
    tensors: tuple[str, ...]
    """In the mapper's order."""
    persistent: bool = False
    backing: tuple[str, ...] = ()
    """Sorted: the tensors whose backing storage this node is, as the mapper marked it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage(Holder):
    """A component that holds tensors for reuse."""

    kind: ClassVar[str] = "storage"
    binding: tuple[Spatial, ...] = ()
    """Spatial loops that distribute the tensor over the component's instances."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Toll(Holder):
    """A component that tensors pass through, without reuse."""

    kind: ClassVar[str] = "toll"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compute:
    """A leaf: the computation of one Einsum."""

    kind: ClassVar[str] = "compute"
    einsum: str
    component: str


@dataclass(frozen=True, slots=True)
class Nested:
    """Nodes each of which is the parent of the next."""

    kind: ClassVar[str] = "nested"
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Sequential:
    """Branches processed one after another."""

    kind: ClassVar[str] = "sequential"
    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Branches that operate at the same time, in different hardware."""

    kind: ClassVar[str] = "pipeline"
    children: tuple[Node, ...]


type Leaf = Temporal | Spatial | Storage | Toll | Compute
type Branching = Nested | Sequential | Pipeline
type Node = Leaf | Branching

LEAVES: dict[str, type[Leaf]] = {
    cls.kind: cls for cls in (Temporal, Spatial, Storage, Toll, Compute)
}
BRANCHINGS: dict[str, type[Branching]] = {cls.kind: cls for cls in (Nested, Sequential, Pipeline)}


@dataclass(frozen=True, slots=True)
class LoopTree:
    """A whole mapping: its nodes from the root down, and the bounds they iterate in."""

    children: tuple[Node, ...]
    rank_bounds: Pairs[int] = ()
    """Rank variable -> its extent."""

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as JSON values; attributes at their defaults are left out."""
        return {
            "rankBounds": dict(self.rank_bounds),
            "children": [node_to_dict(child) for child in self.children],
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_dict` wrote.

        Raises:
            OutcomeError: It isn't a LoopTree, or has a node kind or key unknown here.
        """
        try:
            children = tuple(node_from_dict(child) for child in data["children"])
            bounds = tuple(sorted(data["rankBounds"].items()))
        except (KeyError, TypeError, AttributeError) as error:
            raise _malformed("LoopTree", data) from error
        return cls(children=children, rank_bounds=bounds)


def node_to_dict(node: Node) -> dict[str, Any]:
    """Return a node, with all below it, as JSON values."""
    if isinstance(node, Nested | Sequential | Pipeline):
        return {"kind": node.kind, "children": [node_to_dict(child) for child in node.children]}
    return leaf_to_dict(node)


def node_from_dict(data: Mapping[str, Any]) -> Node:
    """Read what `node_to_dict` wrote.

    Raises:
        OutcomeError: The node's kind or one of its keys is unknown here.
    """
    branching = BRANCHINGS.get(data["kind"])
    if branching is None:
        return leaf_from_dict(data)
    return branching(tuple(node_from_dict(child) for child in data["children"]))


def leaf_to_dict(leaf: Leaf) -> dict[str, Any]:
    """Return a node without children as JSON values, defaults left out."""
    data: dict[str, Any] = {"kind": leaf.kind}
    for field in fields(leaf):
        value = getattr(leaf, field.name)
        if field.default is not MISSING and value == field.default:
            continue
        data[_KEYS[field.name]] = _plain(field.name, value)
    return data


def leaf_from_dict(data: Mapping[str, Any]) -> Leaf:
    """Read what `leaf_to_dict` wrote.

    Raises:
        OutcomeError: The node's kind or one of its keys is unknown here.
    """
    try:
        cls = LEAVES[data["kind"]]
        values = {_NAMES[key]: value for key, value in data.items() if key != "kind"}
        for name in ("rank_variables", "tensors", "backing"):
            if name in values:
                values[name] = tuple(values[name])
        if "einsum_ranks" in values:
            values["einsum_ranks"] = tuple(sorted(values["einsum_ranks"].items()))
        if "binding" in values:
            values["binding"] = tuple(leaf_from_dict(loop) for loop in values["binding"])
        return cls(**values)
    except (KeyError, TypeError, AttributeError) as error:
        raise _malformed("LoopTree node", data) from error


def _plain(name: str, value: object) -> object:
    if name == "einsum_ranks":
        return dict(value)  # type: ignore[call-overload]
    if name == "binding":
        return [leaf_to_dict(loop) for loop in value]  # type: ignore[attr-defined]
    return list(value) if isinstance(value, tuple) else value


def _malformed(what: str, data: object) -> OutcomeError:
    return OutcomeError(
        f"this is not a {what} that this version of repro reads",
        where=repr(data)[:120],
        do="write the file again with `repro run`, or read it with the version that wrote it",
    )


_KEYS = {
    "rank_variables": "rankVariables",
    "tile": "tile",
    "initial_tile": "initialTile",
    "iterations": "iterations",
    "einsum_ranks": "einsumRanks",
    "name": "name",
    "component": "component",
    "tensors": "tensors",
    "persistent": "persistent",
    "backing": "backing",
    "binding": "binding",
    "einsum": "einsum",
}
_NAMES = {key: name for name, key in _KEYS.items()}
