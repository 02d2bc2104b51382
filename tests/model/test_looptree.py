from __future__ import annotations

import json

import pytest

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

TREE = LoopTree(
    children=(
        Storage(component="DRAM", tensors=("W", "X"), persistent=True, backing=("W",)),
        Temporal(
            rank_variables=("m", "n"),
            tile=2,
            initial_tile=3,
            iterations=32,
            einsum_ranks=(("A", "m"), ("B", "n")),
        ),
        Sequential(
            (
                Nested(
                    (
                        Storage(
                            component="L1",
                            tensors=("X",),
                            binding=(
                                Spatial(rank_variables=("m",), tile=1, name=0, component="PE"),
                            ),
                        ),
                        Spatial(rank_variables=("m",), tile=0.5, name="X", component="PE"),
                        Compute(einsum="A", component="MAC"),
                    )
                ),
                Pipeline(
                    (
                        Toll(component="NoC", tensors=("Y",)),
                        Compute(einsum="B", component="MAC"),
                    )
                ),
            )
        ),
    ),
    rank_bounds=(("m", 64), ("n", 64)),
)


def test_every_kind_of_node_and_attribute_survives_json() -> None:
    assert LoopTree.from_dict(json.loads(json.dumps(TREE.to_dict()))) == TREE


def test_attributes_at_their_defaults_are_left_out_of_json() -> None:
    loop = LoopTree((Temporal(rank_variables=("m",), tile=4),))
    assert loop.to_dict()["children"] == [{"kind": "temporal", "rankVariables": ["m"], "tile": 4}]


def test_equal_trees_are_one_key_and_different_trees_two() -> None:
    other = LoopTree(TREE.children, (("m", 64), ("n", 32)))
    assert len({TREE, LoopTree.from_dict(TREE.to_dict()), other}) == 2


@pytest.mark.parametrize(
    ("node", "named"),
    [
        ({"kind": "vortex", "tile": 4}, "vortex"),
        ({"kind": "temporal", "rankVariables": ["m"], "tile": 4, "stride": 2}, "stride"),
        ({"kind": "compute", "einsum": "A"}, "compute"),
        ({"kind": "storage", "component": "L1", "tensors": 7}, "storage"),
        ("temporal", "temporal"),
    ],
)
def test_a_node_that_is_not_known_is_refused_and_shown(node: object, named: str) -> None:
    with pytest.raises(OutcomeError) as caught:
        LoopTree.from_dict({"rankBounds": {}, "children": [node]})
    assert named in str(caught.value.where)


def test_what_is_no_tree_at_all_is_refused() -> None:
    with pytest.raises(OutcomeError, match="not a LoopTree"):
        LoopTree.from_dict({"children": 3})
