"""The exact, normalised and strategy forms of a LoopTree, as readable text.

Owns the rules by which two LoopTrees count as the same, and how a tree is written: one node
a line, indented where the tree branches. These texts are what is digested and what reports
print, so one can be read where the other differs. Leaves the records to
`repro.model.looptree` and the walk of a mapper's objects to `repro.canon.mapping`.

**Exact**: every attribute of every node. Equal texts mean equal records.

**Normalised**, rule by rule:

1. A loop that iterates once does nothing and is dropped: its tile covers the tile around it,
   or the whole rank if there is none. The rank bounds are needed to know; where they are
   missing the loop stays.
2. Neighbouring spatial loops commute, for each names its own dimension of its own component.
   They are sorted, except that two that share a rank variable keep their order: there the
   inner one's tile lies inside the outer one's, and exchanging them gives another tiling.
3. The tensors of one storage or toll node are sorted: the node holds them together.
4. Nesting that says nothing goes: a nest directly inside a nest, a split with one branch, an
   empty branch. The order of a split's branches stays: it is the order of execution.
5. What follows from the rest is left out or computed anew: `backing` (whether it is set on a
   shared node depends on which tensor the mapper listed first), `iterations` (from the tile
   and the one around it), and the Einsums' rank variables of a loop that has only one.

**Strategy**: normalised, then without rank bounds, tile sizes and iteration counts.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil
from typing import TYPE_CHECKING, TypeGuard

from repro.canon.looptext import leaf_text, tree_text
from repro.canon.mapping import from_cells, from_mapping
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
    from collections.abc import Iterable, Iterator, Sequence

    from repro.model.looptree import Node, Tile

__all__ = ["exact", "from_cells", "from_mapping", "normalise", "normalised", "strategy"]

type _Loop = Temporal | Spatial
type _Extents = dict[str, tuple[Tile, bool]]
"""Rank variable -> shape of the tile around, and whether every tile has that shape."""


def exact(tree: LoopTree) -> str:
    """Return the text that says everything about a tree."""
    return tree_text(tree)


def normalised(tree: LoopTree) -> str:
    """Return the text that trees share if they differ only cosmetically."""
    return tree_text(normalise(tree))


def strategy(tree: LoopTree) -> str:
    """Return the text that trees share if they differ only cosmetically or in tile sizes."""
    return tree_text(_without_sizes(normalise(tree)))


def normalise(tree: LoopTree) -> LoopTree:
    """Return the tree by the rules above. Normalising it again changes nothing."""
    extents: _Extents = {rank: (bound, True) for rank, bound in tree.rank_bounds}
    return LoopTree(_nest(tree.children, extents), tree.rank_bounds)


def _nest(nodes: Iterable[Node], extents: _Extents) -> tuple[Node, ...]:
    """Normalise nodes each of which is the parent of the next; `extents` is changed."""
    result: list[Node] = []
    for node in nodes:
        result.extend(_normal(node, extents))
    return tuple(_commuted(result))


def _normal(node: Node, extents: _Extents) -> tuple[Node, ...]:
    match node:
        case Nested():
            return _nest(node.children, extents)
        case Sequential() | Pipeline():
            return _split(node, extents)
        case Temporal() | Spatial():
            return _loop(node, extents)
        case Storage():
            bound = tuple(replace(loop, iterations=None) for loop in node.binding)
            return (replace(node, tensors=tuple(sorted(node.tensors)), backing=(), binding=bound),)
        case Toll():
            return (replace(node, tensors=tuple(sorted(node.tensors)), backing=()),)
        case Compute():
            return (node,)


def _split(split: Sequential | Pipeline, extents: _Extents) -> tuple[Node, ...]:
    branches = []
    for child in split.children:
        inside = dict(extents)
        nodes = _nest((child,), inside)
        if nodes:
            branches.append((nodes, inside))
    if len(branches) != 1:
        return (type(split)(tuple(Nested(nodes) for nodes, _ in branches)),) if branches else ()
    # What comes after the only branch comes inside of it.
    extents.clear()
    extents.update(branches[0][1])
    return branches[0][0]


def _loop(loop: _Loop, extents: _Extents) -> tuple[_Loop, ...]:
    """Drop a loop that iterates once; count the iterations of one that stays."""
    around = [extents.get(rank) for rank in loop.rank_variables]
    if all(extent is not None and _covers(loop, extent[0]) for extent in around):
        return ()
    counts = {_iterations(loop, extent) for extent in around}
    shape, even = _shape(loop)
    for rank in loop.rank_variables:
        if shape is None:
            extents.pop(rank, None)
        else:
            extents[rank] = (shape, even)
    return (
        replace(
            loop,
            iterations=counts.pop() if len(counts) == 1 else None,
            einsum_ranks=loop.einsum_ranks if len(loop.rank_variables) > 1 else (),
        ),
    )


def _covers(loop: _Loop, extent: Tile) -> bool:
    """Whether the loop's first tile is all there is to iterate over."""
    first = loop.tile if loop.initial_tile is None else loop.initial_tile
    if first is None or isinstance(first, str) or isinstance(extent, str):
        return first is not None and first == extent
    return first >= extent


def _iterations(loop: _Loop, around: tuple[Tile, bool] | None) -> int | None:
    """Return how often the loop iterates, or `None` where that isn't one known number."""
    if around is None or not around[1]:
        return None
    tile, extent = loop.tile, around[0]
    first = loop.tile if loop.initial_tile is None else loop.initial_tile
    if not (_number(tile) and _number(first) and _number(extent)) or tile <= 0:
        return None
    return 1 + max(0, ceil((extent - first) / tile))


def _shape(loop: _Loop) -> tuple[Tile | None, bool]:
    """Return the shape of the loop's largest tile, and whether all are of that shape."""
    if loop.initial_tile is None or loop.initial_tile == loop.tile:
        return loop.tile, True
    if _number(loop.tile) and _number(loop.initial_tile):
        return max(loop.tile, loop.initial_tile), False
    return None, False


def _number(tile: Tile | None) -> TypeGuard[int | float]:
    return isinstance(tile, int | float)


def _commuted(nodes: Sequence[Node]) -> Iterator[Node]:
    """Sort each run of neighbouring spatial loops."""
    run: list[Spatial] = []
    for node in nodes:
        if isinstance(node, Spatial):
            run.append(node)
            continue
        yield from _sorted_run(run)
        run = []
        yield node
    yield from _sorted_run(run)


def _sorted_run(run: list[Spatial]) -> Iterator[Spatial]:
    """Yield the least order of a run in which loops that share a rank keep theirs.

    The key has no sizes, so that the strategies of two trees can be compared. Loops with
    equal keys share their ranks: the order is unique.
    """
    left = [(leaf_text(_unsized(loop)), loop) for loop in run]
    while left:
        free = [
            place
            for place, (_, loop) in enumerate(left)
            if not any(_share_rank(loop, earlier) for _, earlier in left[:place])
        ]
        yield left.pop(min(free, key=lambda place: left[place][0]))[1]


def _share_rank(one: Spatial, other: Spatial) -> bool:
    return not set(one.rank_variables).isdisjoint(other.rank_variables)


def _without_sizes(tree: LoopTree) -> LoopTree:
    return LoopTree(tuple(map(_sizeless, tree.children)))


def _sizeless(node: Node) -> Node:
    match node:
        case Nested() | Sequential() | Pipeline():
            return type(node)(tuple(map(_sizeless, node.children)))
        case Temporal() | Spatial():
            return _unsized(node)
        case Storage():
            return replace(node, binding=tuple(map(_unsized, node.binding)))
        case _:
            return node


def _unsized[L: _Loop](loop: L) -> L:
    return replace(loop, tile=None, initial_tile=None, iterations=None)
