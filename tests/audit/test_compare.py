from __future__ import annotations

import math
import time
import tracemalloc
from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from repro.audit.compare import compare, latency_groups, latency_groups_agree
from repro.canon.frame import outcome_from_frame, outcome_from_rows
from repro.model.comparison import ColumnChanges, Counts
from repro.model.looptree import Compute, LoopTree, Storage, Temporal
from repro.model.rung import LADDER, Rung

if TYPE_CHECKING:
    from repro.model.outcome import Outcome

ROWS = 100_000
BASE = [("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 3.0)]


def outcome(rows: list[tuple[str, float]], **columns: list[Any]) -> Outcome:
    """Return an outcome of rows that stand for their names."""
    named = [{"name": name, "latency": latency} for name, latency in rows]
    for column, cells in columns.items():
        for row, cell in zip(named, cells, strict=True):
            row[column] = cell
    objectives = ["latency", *columns]
    return outcome_from_rows(named, identity=["name"], objectives=objectives, latency="latency")


def mapped(*rows: tuple[float, tuple[str, ...], int]) -> Outcome:
    """Return an outcome of LoopTrees with the given latencies, tensor orders and tiles."""
    trees = [
        LoopTree(
            (
                Storage(component="L2", tensors=tensors),
                Temporal(rank_variables=("m",), tile=tile),
                Compute(einsum="A", component="MAC"),
            ),
            (("m", 64),),
        )
        for _, tensors, tile in rows
    ]
    return outcome_from_rows([{"latency": row[0]} for row in rows], trees=trees, latency="latency")


def test_equal_outcomes_differ_in_nothing() -> None:
    found = compare(outcome(BASE), outcome(BASE))
    assert found.first_rung is None
    assert all(found.holds(rung) for rung in LADDER)
    assert found.same == 4
    assert (found.lost, found.gained, found.revalued, found.cosmetic) == ((), (), (), ())
    assert (found.moved, found.reordered, found.latency_groups_equal) == (0, False, True)
    assert found.columns == ColumnChanges()


def test_rows_that_change_places_are_reordered_and_the_fewest_are_counted() -> None:
    found = compare(outcome(BASE), outcome([BASE[3], *BASE[:3]]))
    assert found.first_rung is Rung.ROW_ORDER
    assert found.reordered
    assert found.moved == 1


def test_a_row_that_another_takes_the_place_of_at_equal_objectives_is_tie_swapped() -> None:
    found = compare(outcome(BASE), outcome([("a", 1.0), ("x", 2.0), ("c", 2.0), ("d", 3.0)]))
    assert found.first_rung is Rung.STRATEGIES
    assert found.equal[Rung.OBJECTIVES]
    assert (found.lost, found.gained, found.tie_swapped) == ((1,), (1,), ((1, 1),))
    assert (found.lost_survivors, found.gained_survivors) == (1, 1)
    assert not found.reordered


def test_rows_of_other_objectives_are_lost_and_gained_but_no_tie() -> None:
    found = compare(outcome(BASE), outcome([*BASE[:3], ("x", 4.0)]))
    assert found.first_rung is Rung.OBJECTIVES
    assert (found.lost, found.gained, found.tie_swapped) == ((3,), (3,), ())


def test_the_same_name_with_another_objective_is_revalued() -> None:
    found = compare(outcome(BASE), outcome([*BASE[:3], ("d", 4.0)]))
    assert found.revalued == ((3, 3),)
    assert (found.lost, found.gained) == ((), ())
    assert found.equal[Rung.SURVIVORS]
    assert not found.equal[Rung.OBJECTIVES]


def test_as_many_rows_of_one_form_are_matched_as_both_have() -> None:
    twice = outcome([("a", 1.0), ("a", 1.0), ("a", 5.0)])
    found = compare(twice, outcome([("a", 1.0), ("a", 6.0)]))
    assert (found.same, found.revalued, found.lost) == (1, ((1, 1),), (2,))
    assert found.lost_survivors == 0
    assert found.equal[Rung.SURVIVORS]


def test_ties_are_paired_with_one_of_the_same_strategy_first() -> None:
    plain, turned = ("A", "B"), ("A", "C")
    one = mapped((1.0, plain, 2), (1.0, turned, 2))
    other = mapped((1.0, turned, 4), (1.0, plain, 4))
    found = compare(one, other)
    assert (found.lost, found.gained) == ((0, 1), (0, 1))
    assert found.tie_swapped == ((0, 1), (1, 0))
    assert found.equal[Rung.STRATEGIES]


def test_no_row_is_in_two_ties() -> None:
    found = compare(outcome([("a", 1.0), ("b", 1.0)]), outcome([("x", 1.0)]))
    assert found.tie_swapped == ((0, 0),)
    assert found.lost == (0, 1)


def test_a_tree_written_differently_is_cosmetic_and_breaks_bytes_alone() -> None:
    one = mapped((1.0, ("A", "B"), 2), (2.0, ("A", "B"), 4))
    other = mapped((1.0, ("A", "B"), 2), (2.0, ("B", "A"), 4))
    found = compare(one, other)
    assert found.cosmetic == ((1, 1),)
    assert found.same == 2
    assert found.first_rung is Rung.BYTES
    assert (found.lost, found.gained) == ((), ())


def test_an_objective_that_only_one_side_has_counts_as_zero_on_the_other() -> None:
    one = outcome([("a", 1.0), ("b", 2.0)], usage=[0.0, 0.0])
    other = outcome([("a", 1.0), ("b", 2.0)], usage=[0.0, 0.5])
    assert one.objectives != other.objectives
    found = compare(one, other)
    assert (found.same, found.revalued) == (1, ((1, 1),))


def test_nan_objectives_match_nan() -> None:
    rows = [("a", math.nan), ("b", 1.0)]
    found = compare(outcome(rows), outcome(rows))
    assert found.same == 2
    assert found.latency_groups_equal


def test_counts_tell_rows_from_what_they_stand_for() -> None:
    one = mapped((1.0, ("A",), 2), (2.0, ("A",), 2), (3.0, ("A",), 4))
    found = compare(one, mapped((1.0, ("A",), 2)))
    assert found.second == Counts(rows=1, survivors=1, strategies=1)
    assert found.first == Counts(rows=3, survivors=2, strategies=1)


def test_columns_that_come_go_turn_or_change_type_are_told_apart() -> None:
    one = outcome_from_frame(pd.DataFrame({"x": [1], "y": [2], "z": [3]}), identity=["x"])
    other = outcome_from_frame(pd.DataFrame({"z": [3.0], "w": [2], "x": [1]}), identity=["x"])
    assert compare(one, other).columns == ColumnChanges(
        new=("w",), gone=("y",), retyped=("z",), reordered=True
    )


def test_comparisons_are_json_with_every_rung() -> None:
    found = compare(outcome(BASE), outcome(BASE[::-1])).to_dict(require=Rung.SURVIVORS)
    assert found["schema"] == "repro.diff/1"
    assert found["equal"] == {
        "objectives": True,
        "strategies": True,
        "survivors": True,
        "rowOrder": False,
        "bytes": False,
    }
    assert (found["require"], found["holds"], found["firstRung"]) == ("survivors", True, "rowOrder")
    assert (found["reordered"], found["moved"]) == (True, 3)


ROW = st.tuples(st.sampled_from("abcd"), st.sampled_from([0.0, 1.0, 2.0, math.nan]))


@settings(deadline=None)
@given(st.lists(ROW, min_size=1, max_size=8), st.lists(ROW, min_size=1, max_size=8))
def test_every_row_is_accounted_for_once_and_rungs_agree_with_the_pairing(one, other) -> None:
    ours, theirs = outcome(one), outcome(other)
    found = compare(ours, theirs)
    assert found.same + len(found.revalued) + len(found.lost) == len(one)
    assert found.same + len(found.revalued) + len(found.gained) == len(other)
    in_order = not (found.lost or found.gained or found.revalued or found.moved)
    assert in_order == found.equal[Rung.ROW_ORDER]
    survivors = not (found.lost_survivors or found.gained_survivors)
    assert survivors == found.equal[Rung.SURVIVORS]
    names = Counter(name for name, _ in one), Counter(name for name, _ in other)
    assert len(found.lost) == sum((names[0] - names[1]).values())
    for left, right in found.tie_swapped:
        assert repr(ours.latencies()[left]) == repr(theirs.latencies()[right])


@settings(deadline=None)
@given(st.permutations(range(7)))
def test_the_rows_out_of_place_are_the_fewest_that_have_to_move(order) -> None:
    rows = [(f"r{place}", float(place)) for place in range(7)]
    found = compare(outcome(rows), outcome([rows[place] for place in order]))
    longest = 0
    for chosen in range(1 << 7):
        kept = [place for place in order if chosen >> place & 1]
        if kept == sorted(kept):
            longest = max(longest, len(kept))
    assert found.moved == 7 - longest


def test_a_latency_group_is_what_lies_near_its_first_and_not_near_its_neighbour() -> None:
    steps = [1.0, 1.0 + 0.9e-6, 1.0 + 1.8e-6, 2.0]
    found = latency_groups(outcome([(str(step), step) for step in reversed(steps)]))
    assert found is not None
    assert (found.latencies, found.sizes) == ((1.0, 1.0 + 1.8e-6, 2.0), (2, 1, 1))


def test_latencies_that_are_no_number_come_last_in_one_group() -> None:
    rows = [("a", math.nan), ("b", math.inf), ("c", 1.0), ("d", math.nan), ("e", math.inf)]
    found = latency_groups(outcome(rows))
    assert found is not None
    assert str(found.latencies) == "(1.0, inf, nan)"
    assert found.sizes == (1, 2, 2)
    assert latency_groups_agree(found, found)


@pytest.mark.parametrize(
    ("other", "equal"),
    [
        ([("x", 1.0), ("y", 2.0), ("z", 2.0), ("w", 3.0)], True),
        ([("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 3.0 * (1 + 5e-7))], True),
        ([("a", 1.0), ("b", 2.0), ("c", 2.0), ("d", 3.0 * (1 + 5e-6))], False),
        ([("a", 1.0), ("b", 1.0), ("c", 2.0), ("d", 3.0)], False),
        ([("a", 1.0), ("b", 2.0), ("c", 2.0)], False),
    ],
)
def test_latency_groups_are_equal_whoever_is_in_them(other, equal) -> None:
    assert compare(outcome(BASE), outcome(other)).latency_groups_equal is equal


def test_a_search_without_latency_has_no_groups_to_compare() -> None:
    plain = outcome_from_rows([{"x": 1}])
    assert latency_groups(plain) is None
    assert compare(plain, plain).latency_groups_equal is None
    assert compare(plain, outcome_from_rows([{"x": 1}], latency="x")).latency_groups_equal is False


@pytest.fixture(scope="module")
def large() -> tuple[Outcome, Outcome]:
    """Two outcomes of 100,000 rows in other orders, a twentieth of the rows swapped."""

    def made(seed: int) -> Outcome:
        fixed, varied = np.random.default_rng(0), np.random.default_rng(seed)
        names = np.arange(ROWS)
        names[varied.choice(ROWS, ROWS // 20, replace=False)] += ROWS * seed
        rows = pd.DataFrame(
            {
                "latency": fixed.random(ROWS),
                "energy": fixed.integers(0, 10**6, ROWS),
                "name": names,
            }
        ).iloc[varied.permutation(ROWS)]
        return outcome_from_frame(
            rows.reset_index(drop=True),
            identity=["name"],
            objectives=["latency", "energy"],
            latency="latency",
        )

    return made(1), made(2)


def test_two_outcomes_of_a_hundred_thousand_rows_are_compared_in_under_two_seconds(large) -> None:
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        found = compare(*large)
        seconds.append(time.perf_counter() - start)
    assert found.equal[Rung.OBJECTIVES]
    assert len(found.lost) == len(found.gained) == len(found.tie_swapped) > 9000
    # The best of three: a test that runs beside others measures them too.
    assert min(seconds) < 2.0


def test_comparing_them_takes_little_memory_beside_them(large) -> None:
    tracemalloc.start()
    compare(*large)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # The outcomes themselves and the interpreter take some 250 MB of the 500 that are allowed.
    assert peak < 150e6
