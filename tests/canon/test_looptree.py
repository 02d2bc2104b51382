from __future__ import annotations

import json
from dataclasses import fields, replace

from hypothesis import assume, given
from hypothesis import strategies as st

from repro.canon.looptree import exact, normalise, normalised, strategy
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

# Names that could be taken for the words, numbers and separators around them.
NAMES = st.sampled_from(
    ["m", "n", "L1", "for", "in", "a b", "x, y", "7", '"q"', "", "keeps", "m|n", "é", "1 tiles"]
)
TILES = st.none() | st.integers(1, 8) | st.sampled_from([0.5, 2.5, "stride0", "8", "m"])
RANKS = st.lists(NAMES, min_size=1, max_size=2, unique=True).map(lambda names: tuple(sorted(names)))
PAIRS = st.dictionaries(NAMES, NAMES, max_size=2).map(lambda found: tuple(sorted(found.items())))
TENSORS = st.lists(NAMES, max_size=3, unique=True).map(tuple)
BACKING = TENSORS.map(lambda names: tuple(sorted(names)))
LOOP = {
    "rank_variables": RANKS,
    "tile": TILES,
    "initial_tile": TILES,
    "iterations": TILES,
    "einsum_ranks": PAIRS,
}
SPATIALS = st.builds(Spatial, **LOOP, name=NAMES | st.integers(0, 9), component=NAMES)
HOLDER = {
    "component": NAMES,
    "tensors": TENSORS,
    "persistent": st.booleans(),
    "backing": BACKING,
}
KINDS = [
    st.builds(Temporal, **LOOP),
    SPATIALS,
    st.builds(Storage, **HOLDER, binding=st.lists(SPATIALS, max_size=2).map(tuple)),
    st.builds(Toll, **HOLDER),
    st.builds(Compute, einsum=NAMES, component=NAMES),
]
LEAVES = st.one_of(KINDS)
ALIKE = st.one_of([st.tuples(kind, kind) for kind in KINDS])
NODES = st.recursive(
    LEAVES,
    lambda inner: st.builds(
        lambda kind, children: kind(children),
        st.sampled_from([Nested, Sequential, Pipeline]),
        st.lists(inner, max_size=4).map(tuple),
    ),
    max_leaves=10,
)
BOUNDS = st.dictionaries(NAMES, st.integers(1, 8), max_size=4)
TREES = st.builds(
    LoopTree,
    st.lists(NODES, max_size=5).map(tuple),
    BOUNDS.map(lambda bounds: tuple(sorted(bounds.items()))),
)


def loop(rank: str, tile: int, **more: object) -> Temporal:
    return Temporal(rank_variables=(rank,), tile=tile, **more)


def spatial(rank: str, tile: int, name: str = "X", **more: object) -> Spatial:
    return Spatial(rank_variables=(rank,), tile=tile, name=name, component="PE", **more)


def tree(*nodes: object, **bounds: int) -> LoopTree:
    return LoopTree(tuple(nodes), tuple(sorted(bounds.items())))


MAC = Compute(einsum="A", component="MAC")


@given(TREES)
def test_a_tree_survives_json_whatever_its_names(found) -> None:
    assert LoopTree.from_dict(json.loads(json.dumps(found.to_dict()))) == found


@given(TREES, TREES)
def test_exact_texts_are_equal_only_for_equal_trees(one, other) -> None:
    assert (exact(one) == exact(other)) == (one == other)


@given(LEAVES, LEAVES)
def test_exact_texts_tell_single_nodes_apart(one, other) -> None:
    assert (exact(tree(one)) == exact(tree(other))) == (one == other)


@given(TREES)
def test_a_text_has_one_line_for_each_node(found) -> None:
    def count(nodes) -> int:
        return sum(1 + count(getattr(node, "children", ())) for node in nodes)

    lines = exact(found).splitlines()
    assert len(lines) == count(found.children) + bool(found.rank_bounds)


@given(TREES)
def test_normalising_twice_is_normalising_once(found) -> None:
    assert normalise(normalise(found)) == normalise(found)


@given(TREES)
def test_trees_of_one_normalised_form_have_one_strategy(found) -> None:
    assert strategy(normalise(found)) == strategy(found)


@given(
    st.permutations([spatial("m", 2), spatial("n", 4), spatial("k", 1, "Y"), spatial("p", 2)]),
    st.integers(0, 3),
)
def test_neighbouring_spatial_loops_of_different_ranks_commute(loops, unit_at) -> None:
    bounds = {"m": 8, "n": 8, "k": 8, "p": 8, "u": 4}
    straight = tree(
        spatial("k", 1, "Y"), spatial("m", 2), spatial("n", 4), spatial("p", 2), **bounds
    )
    loops.insert(unit_at, loop("u", 4))
    assert normalised(tree(*loops, **bounds)) == normalised(straight)
    assert strategy(tree(*loops, **bounds)) == strategy(straight)


@given(TREES, st.integers(0, 5), st.integers(1, 8))
def test_a_loop_that_iterates_once_changes_nothing_wherever_it_is_put(found, place, bound) -> None:
    bounds = (*found.rank_bounds, ("unused rank", bound))
    plain = LoopTree(found.children, tuple(sorted(bounds)))
    nodes = list(plain.children)
    nodes.insert(place, loop("unused rank", bound))
    padded = LoopTree(tuple(nodes), plain.rank_bounds)
    assert normalised(padded) == normalised(plain)
    assert strategy(padded) == strategy(plain)


def test_a_loop_over_the_tile_around_it_is_dropped_in_its_own_branch_only() -> None:
    branch = Nested((loop("m", 4), MAC))
    deeper = Nested((loop("m", 2), loop("m", 4), MAC))
    found = normalise(tree(loop("m", 4), Sequential((branch, deeper)), m=16))
    sequential = found.children[1]
    assert sequential.children == (Nested((MAC,)), Nested((loop("m", 2, iterations=2), MAC)))


def test_without_bounds_a_loop_stays_since_nobody_knows_whether_it_iterates() -> None:
    assert normalise(tree(loop("m", 4), MAC)).children == (loop("m", 4), MAC)


def test_an_inner_loop_of_equal_tile_is_dropped_even_without_bounds() -> None:
    assert normalise(tree(loop("m", 4), loop("m", 4), MAC)).children == (loop("m", 4), MAC)


def test_loops_over_symbols_are_dropped_where_the_symbol_is_the_tile_around() -> None:
    symbolic = Temporal(rank_variables=("m",), tile="stride0")
    assert normalise(tree(symbolic, symbolic, MAC, m=4)).children == (symbolic, MAC)


def test_a_merged_loop_is_dropped_only_if_none_of_its_ranks_iterates() -> None:
    merged = Temporal(rank_variables=("m", "n"), tile=4, einsum_ranks=(("A", "m"), ("B", "n")))
    assert normalise(tree(merged, MAC, m=4, n=4)).children == (MAC,)
    assert normalise(tree(merged, MAC, m=4, n=8)).children == (merged, MAC)


def test_a_first_tile_that_covers_the_rank_is_all_there_is() -> None:
    assert normalise(tree(loop("m", 2, initial_tile=8), MAC, m=8)).children == (MAC,)
    assert normalise(tree(loop("m", 8, initial_tile=2), MAC, m=8)).children != (MAC,)


def test_iterations_are_counted_from_tiles_whatever_the_mapper_wrote() -> None:
    written = tree(
        loop("m", 4, iterations=99), loop("m", 3), loop("n", 3, initial_tile=4), m=16, n=8
    )
    counted = [node.iterations for node in normalise(written).children]
    assert counted == [4, 2, 3]


def test_iterations_inside_uneven_tiles_are_not_one_number() -> None:
    found = normalise(tree(loop("m", 3, initial_tile=4), loop("m", 1), m=8))
    assert [node.iterations for node in found.children] == [3, None]


def test_spatial_loops_that_share_a_rank_keep_their_order() -> None:
    one = tree(spatial("m", 4, "Y"), spatial("m", 1, "X"), MAC, m=16)
    assert [node.name for node in normalise(one).children[:2]] == ["Y", "X"]
    between = tree(spatial("m", 4, "Y"), spatial("k", 1, "X"), spatial("m", 1, "X"), MAC, m=16, k=4)
    assert [n.rank_variables[0] for n in normalise(between).children[:3]] == ["k", "m", "m"]


def test_spatial_loops_that_a_storage_node_separates_stay_where_they_are() -> None:
    kept = Storage(component="L1", tensors=("X",))
    found = normalise(tree(spatial("n", 1), kept, spatial("m", 1), MAC, m=4, n=4))
    assert [getattr(node, "rank_variables", None) for node in found.children] == [
        ("n",),
        None,
        ("m",),
        None,
    ]


def test_temporal_loops_never_change_places() -> None:
    one, other = tree(loop("m", 1), loop("n", 1), MAC), tree(loop("n", 1), loop("m", 1), MAC)
    assert normalised(one) != normalised(other)
    assert strategy(one) != strategy(other)


def test_the_order_of_tensors_in_one_node_and_their_backing_mark_are_cosmetic() -> None:
    one = tree(Storage(component="L2", tensors=("A", "B"), backing=("A",)), MAC)
    other = tree(Storage(component="L2", tensors=("B", "A"), backing=("B",)), MAC)
    assert exact(one) != exact(other)
    assert normalised(one) == normalised(other)


def test_what_a_node_is_for_is_never_cosmetic() -> None:
    kept = Storage(component="L2", tensors=("A",))
    others = [
        Toll(component="L2", tensors=("A",)),
        replace(kept, persistent=True),
        replace(kept, component="L1"),
        replace(kept, tensors=("A", "B")),
        replace(kept, binding=(spatial("m", 1),)),
    ]
    texts = {strategy(tree(node, MAC)) for node in [kept, *others]}
    assert len(texts) == 6


def test_tile_sizes_are_all_that_a_strategy_leaves_out() -> None:
    small, large = (tree(loop("m", size), spatial("n", size), MAC, m=16, n=16) for size in (1, 4))
    assert normalised(small) != normalised(large)
    assert strategy(small) == strategy(large)
    assert strategy(small).splitlines() == [
        "for m",
        "spatial n across PE X",
        "MAC computes A",
    ]


def test_nesting_that_says_nothing_is_cosmetic() -> None:
    plain = tree(loop("m", 1), MAC, m=4)
    for wrapped in (
        tree(Nested((loop("m", 1), Nested((MAC,)))), m=4),
        tree(loop("m", 1), Sequential((MAC,)), m=4),
        tree(loop("m", 1), Sequential((Nested(()), Nested((MAC,)))), m=4),
    ):
        assert normalised(wrapped) == normalised(plain)


def test_the_order_of_branches_is_the_order_of_execution_and_stays() -> None:
    other = Compute(einsum="B", component="MAC")
    one, two = tree(Sequential((MAC, other))), tree(Sequential((other, MAC)))
    assert normalised(one) != normalised(two)
    assert normalised(one) != normalised(tree(Pipeline((MAC, other))))


def test_rank_bounds_are_part_of_what_a_tree_is_but_not_of_its_strategy() -> None:
    one, two = tree(loop("m", 1), MAC, m=4), tree(loop("m", 1), MAC, m=8)
    assert normalised(one) != normalised(two)
    assert strategy(one) == strategy(two)


def test_a_tree_reads_as_one_would_tell_it() -> None:
    found = tree(
        Storage(component="DRAM", tensors=("W", "X"), persistent=True, backing=("W",)),
        Temporal(rank_variables=("m", "n"), tile=2, iterations=8, einsum_ranks=(("A", "m"),)),
        Sequential(
            (
                Nested((Toll(component="NoC", tensors=("X",)), spatial("n", 1, iterations=2), MAC)),
                Nested((loop("n", 2, initial_tile=3), Compute(einsum="B", component="MAC"))),
            )
        ),
        m=16,
        n=16,
    )
    assert exact(found).splitlines() == [
        "over m 16, n 16",
        "DRAM keeps W, X, persistent; backs W",
        "for m|n in 8 tiles of 2 (A m)",
        "sequential",
        "  nested",
        "    NoC passes X",
        "    spatial n in 2 tiles of 1 across PE X",
        "    MAC computes A",
        "  nested",
        "    for n in tiles of 2, first 3",
        "    MAC computes B",
    ]


@given(ALIKE, st.randoms(use_true_random=False))
def test_every_attribute_of_a_node_shows_in_the_exact_text(pair, random) -> None:
    leaf, other = pair
    name = random.choice([field.name for field in fields(leaf)])
    changed = replace(leaf, **{name: getattr(other, name)})
    assert (exact(tree(changed)) == exact(tree(leaf))) == (changed == leaf)


@given(TREES, st.integers(0, 5), SPATIALS, SPATIALS)
def test_two_spatial_loops_without_a_common_rank_commute_in_any_tree(
    found, place, one, two
) -> None:
    assume(set(one.rank_variables).isdisjoint(two.rank_variables))
    nodes, bounds = found.children, found.rank_bounds
    straight = LoopTree((*nodes[:place], one, two, *nodes[place:]), bounds)
    crossed = LoopTree((*nodes[:place], two, one, *nodes[place:]), bounds)
    assert normalised(straight) == normalised(crossed)
    assert strategy(straight) == strategy(crossed)
