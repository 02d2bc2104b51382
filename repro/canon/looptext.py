"""A LoopTree as text: one node a line, indented where the tree branches.

Owns the wording, which is injective: two trees with the same text are equal. Names that could
be mistaken for the words around them are quoted. Leaves what is left out of a tree before it
is written to `repro.canon.looptree`.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from repro.model.looptree import Compute, Nested, Pipeline, Sequential, Spatial, Storage, Temporal

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from repro.model.looptree import Leaf, LoopTree, Node, Tile, Toll

_INDENT = "  "
_PLAIN = re.compile(r"[^\W\d][\w.\-/<>:]*")
_WORDS = frozenset(
    (
        *("across", "backs", "bound", "computes", "first", "for", "in", "keeps", "nested", "of"),
        *("over", "passes", "persistent", "pipeline", "sequential", "spatial", "tiles", "to"),
    )
)


def tree_text(tree: LoopTree) -> str:
    """Return a tree as text, its rank bounds first if it has any."""
    lines = []
    if tree.rank_bounds:
        lines.append("over " + ", ".join(f"{_name(rank)} {n}" for rank, n in tree.rank_bounds))
    lines += _lines(tree.children, "")
    return "\n".join(lines)


def leaf_text(leaf: Leaf) -> str:
    """Return a node without children as one line."""
    match leaf:
        case Temporal():
            return f"for {_loop(leaf)}"
        case Spatial():
            return f"spatial {_loop(leaf)} across {_name(leaf.component)} {_name(leaf.name)}"
        case Compute():
            return f"{_name(leaf.component)} computes {_name(leaf.einsum)}"
        case _:
            return _holder(leaf)


def _lines(nodes: Iterable[Node], indent: str) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, Nested | Sequential | Pipeline):
            yield indent + node.kind
            yield from _lines(node.children, indent + _INDENT)
        else:
            yield indent + leaf_text(node)


def _loop(loop: Temporal | Spatial) -> str:
    text = "|".join(map(_name, loop.rank_variables))
    if loop.iterations is not None or loop.tile is not None:
        count = "" if loop.iterations is None else f"{_tile(loop.iterations)} "
        size = "" if loop.tile is None else f" of {_tile(loop.tile)}"
        text += f" in {count}tiles{size}"
    if loop.initial_tile is not None:
        text += f", first {_tile(loop.initial_tile)}"
    if loop.einsum_ranks:
        pairs = ", ".join(f"{_name(einsum)} {_name(rank)}" for einsum, rank in loop.einsum_ranks)
        text += f" ({pairs})"
    return text


def _holder(holder: Storage | Toll) -> str:
    verb = "keeps" if isinstance(holder, Storage) else "passes"
    text = f"{_name(holder.component)} {verb} {_names(holder.tensors)}".rstrip()
    if holder.persistent:
        text += ", persistent"
    if holder.backing:
        text += f"; backs {_names(holder.backing)}"
    if isinstance(holder, Storage):
        text += "".join(f"; bound to {leaf_text(loop)}" for loop in holder.binding)
    return text


def _names(names: Iterable[str]) -> str:
    return ", ".join(map(_name, names))


def _name(name: str | int) -> str:
    if isinstance(name, int):
        return str(name)
    return name if _PLAIN.fullmatch(name) and name not in _WORDS else json.dumps(name)


def _tile(tile: Tile) -> str:
    if isinstance(tile, str):
        return _name(tile)
    return str(int(tile)) if float(tile).is_integer() else repr(float(tile))
