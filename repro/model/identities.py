"""What rows stand for, and how it is written into an outcome file without repeating it.

Owns `FlatIdentity`, and the tables of an outcome file: LoopTrees of one search share nearly
all their nodes, so each distinct node is written once, and a tree is one line such as
`0 1 sequential(nested(2 3) nested(4 5))` of places in that table. That keeps a file of 100,000
trees small, in memory too. Leaves the nodes themselves to `repro.model.looptree`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from repro.errors import OutcomeError
from repro.model.looptree import (
    BRANCHINGS,
    LoopTree,
    Nested,
    Pipeline,
    Sequential,
    leaf_from_dict,
    leaf_to_dict,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repro.model.looptree import Branching, Leaf, Node
    from repro.model.outcome import Row


@dataclass(frozen=True, slots=True)
class FlatIdentity:
    """What a row stands for in a search that isn't about LoopTrees.

    Attributes:
        cells: Name and canonical text of each column that tells rows apart, by name.
    """

    cells: tuple[tuple[str, str], ...]


type Identity = LoopTree | FlatIdentity

_TOKEN = re.compile(r"(?P<leaf>\d+)|(?P<kind>[a-z]+)\(|(?P<end>\))|\s+|(?P<wrong>.)")


class _Interned(dict[Any, int]):
    """Each distinct key's place, in the order of first use."""

    def __missing__(self, key: object) -> int:
        self[key] = len(self)
        return self[key]


def encode(identities: Mapping[str, Identity], digests: Mapping[str, Row]) -> dict[str, Any]:
    """Return the tables of an outcome file, with one identity for each entry of `digests`."""
    nodes = _Interned()
    bounds = _Interned()
    columns = _Interned()
    written = []
    for exact, row in digests.items():
        identity = identities[exact]
        entry: dict[str, Any] = {
            "exact": exact,
            "survivor": row.survivor,
            "strategy": row.strategy,
        }
        if isinstance(identity, LoopTree):
            entry["bounds"] = bounds[identity.rank_bounds]
            entry["tree"] = _code(identity.children, nodes)
        else:
            entry["columns"] = columns[tuple(name for name, _ in identity.cells)]
            entry["cells"] = [text for _, text in identity.cells]
        written.append(entry)
    return {
        "nodes": [leaf_to_dict(leaf) for leaf in nodes],
        "rankBounds": [dict(pairs) for pairs in bounds],
        "identityColumns": [list(names) for names in columns],
        "identities": written,
    }


def decode(data: Mapping[str, Any]) -> tuple[list[tuple[str, str, str]], Mapping[str, Identity]]:
    """Return each identity's three digests, by index, and the identities by exact digest."""
    written = data["identities"]
    forms = [(entry["exact"], entry["survivor"], entry["strategy"]) for entry in written]
    coded = {entry["exact"]: entry for entry in written}
    if len(coded) != len(written):
        raise ValueError("an identity is written twice")
    nodes = [leaf_from_dict(leaf) for leaf in data["nodes"]]
    bounds = [tuple(sorted(pairs.items())) for pairs in data["rankBounds"]]
    columns = [tuple(names) for names in data["identityColumns"]]
    return forms, _Lazy(coded, nodes, bounds, columns)


class _Lazy(Mapping[str, Identity]):
    """Identities as they lie in a file, decoded one by one when they are asked for."""

    def __init__(
        self,
        entries: dict[str, dict[str, Any]],
        nodes: list[Leaf],
        bounds: list[tuple[tuple[str, int], ...]],
        columns: list[tuple[str, ...]],
    ) -> None:
        self._entries = entries
        self._nodes = nodes
        self._bounds = bounds
        self._columns = columns

    def __getitem__(self, exact: str) -> Identity:
        entry = self._entries[exact]
        try:
            if "tree" in entry:
                return LoopTree(_decode(entry["tree"], self._nodes), self._bounds[entry["bounds"]])
            names = self._columns[entry["columns"]]
            return FlatIdentity(tuple(zip(names, entry["cells"], strict=True)))
        except (KeyError, IndexError, TypeError, ValueError) as error:
            raise OutcomeError(
                "an identity of this outcome is damaged",
                where=f"identity {exact}",
                do="write the outcome again with `repro run`",
            ) from error

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)


def _code(nodes: tuple[Node, ...], places: _Interned) -> str:
    return " ".join(
        f"{node.kind}({_code(node.children, places)})"
        if isinstance(node, Nested | Sequential | Pipeline)
        else str(places[node])
        for node in nodes
    )


def _decode(code: str, leaves: Sequence[Leaf]) -> tuple[Node, ...]:
    """Read what `_code` wrote.

    Raises:
        KeyError, IndexError, ValueError: It isn't such a line.
    """
    around: list[tuple[type[Branching], list[Node]]] = []
    nodes: list[Node] = []
    for token in _TOKEN.finditer(code):
        match token.lastgroup:
            case "leaf":
                nodes.append(leaves[int(token["leaf"])])
            case "kind":
                around.append((BRANCHINGS[token["kind"]], nodes))
                nodes = []
            case "end":
                branching, outer = around.pop()
                outer.append(branching(tuple(nodes)))
                nodes = outer
            case "wrong":
                raise ValueError(f"{token['wrong']!r} has no meaning in a tree")
    if around:
        raise ValueError("a tree ends before its last bracket")
    return tuple(nodes)
