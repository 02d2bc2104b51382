from __future__ import annotations

import copy
import warnings
from typing import Any

import numpy as np
import pytest
import sympy
from accelforge.frontend.mapping import mapping as ffm
from accelforge.util._frozenset import oset

from repro.canon.looptree import exact, normalise
from repro.canon.mapping import from_cells, from_mapping
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

MAC = ffm.Compute(einsum="A", component="MAC")


def children(*nodes: Any) -> tuple:
    return from_mapping(ffm.Mapping(nodes=list(nodes))).children


def rebuilt(node: Any) -> Any:
    """Make an AccelForge node from a record, as whoever lowers or evaluates a tree would."""
    kind = getattr(ffm, type(node).__name__)
    match node:
        case Nested() | Sequential() | Pipeline():
            return kind(nodes=[rebuilt(child) for child in node.children])
        case Temporal() | Spatial():
            ranks = node.rank_variables
            place = {"name": node.name, "component": node.component} if kind is ffm.Spatial else {}
            loop = kind(
                rank_variable=ranks[0] if len(ranks) == 1 else set(ranks),
                tile_shape=node.tile,
                initial_tile_shape=node.initial_tile,
                **place,
            )
            loop._einsum_to_rank_variable = dict(node.einsum_ranks)
            return loop
        case Compute():
            return kind(einsum=node.einsum, component=node.component)
    bound = {"binding": list(map(rebuilt, node.binding))} if kind is ffm.Storage else {}
    held = {"tensors": list(node.tensors), "persistent": node.persistent}
    return kind(component=node.component, **held, **bound)


def evaluated(spec: Any, mapping: Any) -> dict[str, str]:
    """Return what AccelForge's model says of a mapping, to the last bit."""
    from accelforge.model.main import evaluate_mapping

    spec.mapping = mapping
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the model's own, about pandas
        row = evaluate_mapping(spec).data.iloc[0]
    names = [name for name in row.index if name.startswith(("Total", "reservation"))]
    return {name: float(row[name]).hex() for name in names if "mapping" not in name}


def test_every_kind_of_node_is_read_with_its_attributes() -> None:
    merged = ffm.Temporal(rank_variable={"n", "m"}, tile_shape=4, initial_tile_shape=6)
    merged._einsum_to_rank_variable = {"B": "n", "A": "m"}
    merged._calculated_n_iterations = 8
    bound = ffm.Spatial(rank_variable="m", tile_shape=1, name="X", component="PE")
    kept = ffm.Storage(tensors=["X", "W"], component="L1", persistent=True, binding=[bound])
    kept._backing = oset({"X", "W"})
    toll = ffm.Toll(tensors=["Y"], component="NoC")
    pipeline = ffm.Pipeline(nodes=[ffm.Nested(nodes=[copy.copy(MAC)])])
    assert children(kept, merged, ffm.Sequential(nodes=[ffm.Nested(nodes=[toll, pipeline])])) == (
        Storage(
            component="L1",
            tensors=("X", "W"),
            persistent=True,
            backing=("W", "X"),
            binding=(Spatial(rank_variables=("m",), tile=1, name="X", component="PE"),),
        ),
        Temporal(
            rank_variables=("m", "n"),
            tile=4,
            initial_tile=6,
            iterations=8,
            einsum_ranks=(("A", "m"), ("B", "n")),
        ),
        Sequential(
            (
                Nested(
                    (
                        Toll(component="NoC", tensors=("Y",)),
                        Pipeline((Nested((Compute(einsum="A", component="MAC"),)),)),
                    )
                ),
            )
        ),
    )


def test_reservations_follow_from_the_rest_and_are_left_out() -> None:
    held = ffm.Reservation(purposes=["X"], resource="L1")
    assert children(held, MAC) == children(MAC)


@pytest.mark.parametrize(
    ("value", "tile"),
    [
        (4, 4),
        (4.0, 4),
        (2.5, 2.5),
        (np.int64(4), 4),
        (np.float32(4), 4),
        (sympy.Integer(4), 4),
        (sympy.Rational(5, 2), 2.5),
        (sympy.Symbol("stride0"), "stride0"),
        ("stride0", "stride0"),
    ],
)
def test_a_tile_is_a_plain_number_or_a_name_whatever_held_it(value: Any, tile: object) -> None:
    loop = ffm.Temporal(rank_variable="m", tile_shape=1)
    object.__getattribute__(loop, "__dict__")["tile_shape"] = value
    (read, *_) = children(loop, MAC)
    assert (read.tile, type(read.tile)) == (tile, type(tile))


def test_an_expression_as_tile_is_refused() -> None:
    loop = ffm.Temporal(rank_variable="m", tile_shape=sympy.Symbol("a") * 2)
    with pytest.raises(OutcomeError, match="tile shape is a Mul"):
        children(loop, MAC)


def test_a_node_of_an_unknown_class_is_named_and_never_dropped() -> None:
    with pytest.raises(OutcomeError, match="node of class Split, which is unknown"):
        from_mapping(ffm.Mapping(nodes=[ffm.Split(nodes=[ffm.Nested(nodes=[MAC])])]))


def test_a_field_that_a_later_version_adds_is_named_and_never_dropped() -> None:
    class Storage(ffm.Storage):
        compression: float = 2.0

    assert type(Storage(tensors=["X"], component="L1")).__name__ == "Storage"
    with pytest.raises(OutcomeError, match="Storage has a field 'compression'"):
        from_mapping(ffm.Nested(nodes=[Storage(tensors=["X"], component="L1"), MAC]))


@pytest.mark.parametrize("value", [None, "mapping", MAC, 7])
def test_what_is_no_mapping_is_refused(value: object) -> None:
    with pytest.raises(OutcomeError, match="not a mapping"):
        from_mapping(value)


@pytest.mark.parametrize("cell", ["text", None, len])
def test_a_cell_that_makes_no_mapping_is_refused(cell: object) -> None:
    with pytest.raises(OutcomeError, match="not a callable that makes a row's mapping"):
        from_cells([cell])


def test_stripping_the_architecture_changes_no_tree(matmul_rows) -> None:
    cells = matmul_rows["Total<SEP>mapping"]
    whole = [from_mapping(cell(_for_model=True), cell.rank_variable_bounds) for cell in cells]
    assert from_cells(cells) == whole
    assert len(set(whole)) == len(cells) == 20


def test_reading_cells_leaves_them_as_they_were(matmul_rows) -> None:
    cells = matmul_rows["Total<SEP>mapping"]
    from_cells(cells)
    holders = (ffm.Storage, ffm.Toll, ffm.Compute)
    for cell in cells:
        assert all(node.component_object is not None for node in cell().get_nodes_of_type(holders))


def test_a_tree_rebuilt_from_json_evaluates_bit_for_bit_as_the_live_mapping(
    matmul_rows, matmul_spec
) -> None:
    for place in (0, 7, 19):
        cell = matmul_rows["Total<SEP>mapping"].iloc[place]
        (tree,) = from_cells([cell])
        read = LoopTree.from_dict(tree.to_dict())
        live = evaluated(matmul_spec(), cell(_for_model=True))
        nodes = [rebuilt(child) for child in read.children]
        assert evaluated(matmul_spec(), ffm.Mapping(nodes=nodes)) == live
        assert "Total<SEP>latency" in live


def test_what_normalising_drops_and_sorts_makes_no_difference_to_the_model(
    matmul_rows, matmul_spec
) -> None:
    cell = matmul_rows["Total<SEP>mapping"].iloc[3]
    (tree,) = from_cells([cell])
    unit = Temporal(rank_variables=("m",), tile=64)
    padded = LoopTree((*tree.children[:-1], unit, tree.children[-1]), tree.rank_bounds)
    nodes = [rebuilt(child) for child in normalise(padded).children]
    assert exact(padded) != exact(normalise(padded))
    assert evaluated(matmul_spec(), ffm.Mapping(nodes=nodes)) == evaluated(
        matmul_spec(), cell(_for_model=True)
    )
