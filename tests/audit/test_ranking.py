from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.audit.places import Seen
from repro.audit.ranking import SHOWN, judge, judge_groups, judge_ties
from repro.canon.frame import outcome_from_rows
from repro.model.ranking import Doubt, Standing

BASE = [("a", 1.0, 9.0), ("b", 2.0, 8.0), ("c", 3.0, 7.0)]


def outcome(rows):
    """Return an outcome of rows `(name, latency, size)`."""
    named = [{"name": name, "latency": t, "size": u} for name, t, u in rows]
    return outcome_from_rows(
        named, identity=["name"], objectives=["latency", "size"], latency="latency"
    )


def seen(*lists, sampled=0):
    return Seen([outcome(rows) for rows in lists], "latency", sampled)


def doubts(*lists, top=10):
    return [rank.doubts for rank in judge(seen(*lists), top)]


def replaced(index, row):
    return [*BASE[:index], row, *BASE[index + 1 :]]


def test_the_same_trees_at_the_same_ranks_are_settled_in_whatever_order_they_come() -> None:
    ranks = judge(seen(BASE, BASE[::-1], BASE), 10)
    assert [rank.settled for rank in ranks] == [True, True, True]
    assert [(rank.rank, rank.competing, rank.seen, rank.held) for rank in ranks] == [
        (1, 1, 1, 3),
        (2, 1, 1, 3),
        (3, 1, 1, 3),
    ]


def test_a_rank_that_another_took_at_equal_values_is_competed_for() -> None:
    ranks = judge(seen(BASE, replaced(1, ("x", 2.0, 8.0)), replaced(1, ("y", 2.0, 8.0))), 10)
    assert [rank.standing for rank in ranks] == [
        Standing.SETTLED,
        Standing.DRAWN,
        Standing.SETTLED,
    ]
    drawn = ranks[1]
    assert drawn.doubts == (Doubt.COMPETED,)
    assert (drawn.competing, drawn.seen, drawn.held) == (3, 3, 1)
    assert drawn.contenders[0].text == 'name = "b"'
    assert all(contender.model_equal for contender in drawn.contenders)


def test_equals_that_are_in_every_outcome_are_drawn_all_the_same() -> None:
    rows = [*BASE, ("d", 3.0, 7.0)]
    ranks = judge(seen(rows, rows), 10)
    assert [rank.doubts for rank in ranks[2:]] == [(Doubt.COMPETED,), (Doubt.COMPETED,)]
    assert [(rank.first, rank.last) for rank in ranks[2:]] == [(3, 4), (3, 4)]


def test_trees_that_tie_on_the_ranked_value_alone_share_their_ranks() -> None:
    rows = [("a", 1.0, 9.0), ("b", 2.0, 8.0), ("c", 2.0 + 1e-7, 7.0)]
    ranks = judge(seen(rows, rows), 10)
    assert [rank.doubts for rank in ranks] == [(), (Doubt.SHARED,), (Doubt.SHARED,)]
    assert [(rank.competing, rank.seen) for rank in ranks] == [(1, 1), (1, 2), (1, 2)]


def test_one_tree_in_two_rows_at_one_value_holds_both_ranks() -> None:
    rows = [("a", 1.0, 9.0), ("a", 1.0, 9.0), ("b", 2.0, 8.0)]
    assert [rank.settled for rank in judge(seen(rows, rows), 10)] == [True, True, True]


def test_a_faster_row_in_another_outcome_moves_all_that_follow() -> None:
    assert doubts(BASE, [("x", 0.5, 9.5), *BASE]) == [(Doubt.MOVED,)] * 3


def test_a_tree_at_another_value_is_moved() -> None:
    ranks = judge(seen(BASE, replaced(2, ("c", 4.0, 7.0))), 10)
    assert [rank.doubts for rank in ranks] == [(), (), (Doubt.MOVED,)]
    assert ranks[2].contenders[0].text == 'name = "c"'


def test_a_shorter_outcome_unsettles_the_ranks_that_it_lacks() -> None:
    assert doubts(BASE, BASE[:2]) == [(), (), (Doubt.MOVED,)]


def test_a_rank_that_is_shared_in_another_outcome_only_is_drawn() -> None:
    ranks = judge(seen(BASE, [*BASE, ("x", 3.0, 6.0)]), 10)
    assert ranks[2].doubts == (Doubt.SHARED, Doubt.MOVED)
    assert (ranks[2].competing, ranks[2].seen) == (1, 2)


def test_another_value_in_another_objective_is_no_model_equal() -> None:
    ranks = judge(seen(BASE, replaced(1, ("x", 2.0, 8.5))), 10)
    assert ranks[1].doubts == (Doubt.SHARED,)
    assert (ranks[1].competing, ranks[1].seen) == (1, 2)
    assert [found.model_equal for found in ranks[1].contenders] == [True, False]


def test_only_as_many_ranks_are_judged_as_are_asked_for_and_there() -> None:
    assert len(judge(seen(BASE), 2)) == 2
    assert len(judge(seen(BASE), 100)) == 3


def test_what_is_shown_of_a_rank_is_capped_and_what_is_counted_is_not() -> None:
    lists = [replaced(0, (f"x{n}", 1.0, 9.0)) for n in range(30)]
    rank = judge(seen(BASE, *lists, lists[7], sampled=31), 1)[0]
    assert (rank.seen, rank.competing, len(rank.contenders)) == (31, 31, SHOWN)
    assert rank.contenders[0].text == 'name = "a"'
    assert rank.contenders[1].text == 'name = "x7"'
    assert (rank.contenders[1].outcomes, rank.contenders[1].sampled) == (2, 2)
    assert (rank.held, rank.held_sampled) == (1, 0)


def test_values_that_are_no_numbers_are_written_as_texts() -> None:
    rank = judge(seen([("a", math.nan, 1.0)]), 1)[0]
    assert rank.value == "nan"
    assert rank.contenders[0].objectives == {"latency": "nan", "size": 1.0}
    assert rank.settled


def test_groups_hold_whoever_is_in_them() -> None:
    found = judge_groups(seen(BASE, [("x", 1.0, 1.0), *BASE[1:]]), 10)
    assert (found.groups, found.rows, found.holds, found.differing) == (3, 3, True, 0)


def test_groups_of_the_first_ranks_can_hold_where_the_others_do_not() -> None:
    lists = [BASE, replaced(2, ("c", 4.0, 7.0)), BASE]
    found = judge_groups(seen(*lists), 2)
    assert (found.holds, found.differing) == (False, 1)
    assert (found.top_holds, found.top_differing) == (True, 0)
    assert judge_groups(seen(*lists), 3).top_differing == 1


def test_groups_can_be_those_of_any_objective() -> None:
    lists = [outcome(BASE), outcome(replaced(2, ("c", 3.0, 6.0)))]
    assert judge_groups(Seen(lists, "latency"), 10).holds
    assert not judge_groups(Seen(lists, "size"), 10).holds


def test_ties_are_counted_over_all_outcomes_and_estimated_from_random_ones() -> None:
    draws = [replaced(0, (name, 1.0, 9.0)) for name in "aaxxyyzw"]
    found = judge_ties(seen(BASE, *draws, sampled=8), 1)
    assert found.seen == 5
    assert found.fresh == pytest.approx(2 / 8)
    assert found.low is not None
    assert found.high is not None
    assert 5 <= found.low <= 5 < found.high


def test_too_few_random_orders_carry_no_estimate() -> None:
    found = judge_ties(seen(BASE, *[BASE] * 7, sampled=7), 10)
    assert (found.seen, found.estimated, found.fresh) == (3, None, None)


NAMES = st.sampled_from("abcd")
VALUES = st.sampled_from([1.0, 1.0 + 2e-7, 2.0, 2.0 + 4e-7, 3.0, 3.5])
ROWS = st.lists(st.tuples(NAMES, VALUES, st.sampled_from([1.0, 2.0])), min_size=1, max_size=5)


def near(one, other):
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other))


def places(rows):
    """Return, for each rank, the ranks it shares, their least value, and who stands there.

    By the definition in the documentation, sharing no code with the tool.
    """
    groups = []
    for row in sorted(rows, key=lambda row: row[1]):
        if groups and near(groups[-1][0][1], row[1]):
            groups[-1].append(row)
        else:
            groups.append([row])
    found = []
    for group in groups:
        first, names = len(found) + 1, {row[0] for row in group}
        found += [(first, first + len(group) - 1, group[0][1], names)] * len(group)
    return found


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_a_rank_is_settled_if_and_only_if_the_definition_says_so(lists) -> None:
    ranks = judge(seen(*lists), 10)
    ours = places(lists[0])
    assert [(rank.first, rank.last) for rank in ranks] == [place[:2] for place in ours]
    for rank, (first, last, value, names) in zip(ranks, ours, strict=True):
        there = [places(rows)[rank.rank - 1] if rank.rank <= len(rows) else None for rows in lists]
        same = [
            place is not None
            and (place[0], place[1]) == (first, last)
            and near(place[2], value)
            and place[3] == names
            for place in there
        ]
        assert rank.settled == (all(same) and len(names) == 1)


@given(st.lists(ROWS, min_size=1, max_size=4))
def test_competitors_are_all_trees_with_the_same_objective_values(lists) -> None:
    everything = {row for rows in lists for row in rows}
    ordered = sorted(lists[0], key=lambda row: row[1])
    for rank, (_, t, u) in zip(judge(seen(*lists), 10), ordered, strict=True):
        equal = {name for name, other, size in everything if near(other, t) and near(size, u)}
        assert rank.value == t
        assert rank.competing == len(equal)
