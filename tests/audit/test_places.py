from __future__ import annotations

import math

import pytest

from repro.audit.places import Place, Seen, ranked, resolve
from repro.canon.frame import outcome_from_rows
from repro.errors import UsageError

NEAR = 1.0 + 5e-7


def outcome(*rows, latency="t"):
    """Return an outcome of rows `(name, t, ...)`; further values are objectives u, v."""
    named = [dict(zip(("name", "t", "u", "v"), row, strict=False)) for row in rows]
    objectives = [key for key in named[0] if key != "name"]
    return outcome_from_rows(named, identity=["name"], objectives=objectives, latency=latency)


def order(found, by="t", names=("t",)):
    return [(spot.place.first, spot.place.last, spot.index) for spot in ranked(found, by, names)]


def test_rows_are_ranked_by_value_smallest_first() -> None:
    assert order(outcome(("a", 3.0), ("b", 1.0), ("c", 2.0))) == [(1, 1, 1), (2, 2, 2), (3, 3, 0)]


def test_rows_within_a_millionth_share_their_ranks_in_the_searchs_order() -> None:
    found = outcome(("a", NEAR), ("b", 2.0), ("c", 1.0), ("d", 1.0))
    assert order(found) == [(1, 3, 2), (1, 3, 3), (1, 3, 0), (4, 4, 1)]


def test_a_ladder_of_small_steps_is_not_one_place() -> None:
    steps = [("a", 1.0), ("b", 1.0 + 8e-7), ("c", 1.0 + 16e-7)]
    assert order(outcome(*steps)) == [(1, 2, 0), (1, 2, 1), (3, 3, 2)]


def test_what_is_no_number_comes_last_and_shares_its_ranks() -> None:
    found = outcome(("a", math.nan), ("b", 1.0), ("c", math.nan), ("d", math.inf))
    assert order(found) == [(1, 1, 1), (2, 2, 3), (3, 4, 0), (3, 4, 2)]


def test_an_objective_that_an_outcome_lacks_is_zero_there() -> None:
    with_u = outcome(("a", 1.0, 5.0), ("b", 2.0, 0.0))
    without = outcome(("a", 1.0, 0.0), ("b", 2.0, 0.0))
    seen = Seen([with_u, without], "t")
    assert seen.names == ("t", "u")
    assert seen.model_equal(seen.serial(2)) == {with_u.rows[1].survivor}
    first = dict(seen.at(seen.serial(1).place))
    assert [spot.vector for spot in first[1]] == [(1.0, 0.0)]


def test_model_equal_rows_agree_in_every_objective() -> None:
    first = outcome(("a", 1.0, 5.0), ("b", 1.0, 6.0))
    second = outcome(("x", NEAR, 5.0), ("y", 1.0, 6.1))
    seen = Seen([first, second], "t")
    equal = seen.model_equal(seen.serial(1))
    assert equal == {first.rows[0].survivor, second.rows[0].survivor}


def test_model_equal_rows_are_found_where_the_value_is_no_number() -> None:
    first, second = outcome(("a", math.nan, 1.0)), outcome(("b", math.nan, 1.0))
    assert len(Seen([first, second], "t").model_equal(Seen([first], "t").serial(1))) == 2


def test_a_place_meets_what_shares_any_of_its_ranks_in_another_outcome() -> None:
    first = outcome(("a", 1.0), ("b", 2.0), ("c", 3.0))
    tied = outcome(("a", 1.0), ("x", 2.0), ("y", 2.0), ("z", 9.0))
    short = outcome(("a", 1.0))
    seen = Seen([first, tied, short], "t")
    met = {index: [spot.index for spot in spots] for index, spots in seen.at(seen.serial(3).place)}
    assert met == {0: [2], 1: [1, 2], 2: []}
    assert not seen.serial(3).place.agrees(Place(2, 3, 3.0))
    assert seen.serial(3).place.agrees(Place(3, 3, 3.0 + 1e-7))


def test_contestants_count_outcomes_and_not_rows() -> None:
    twice = outcome(("a", 1.0), ("a", 1.0), ("b", 2.0))
    other = outcome(("x", 1.0), ("a", 1.0), ("b", 2.0))
    seen = Seen([twice, other, other], "t", sampled=1)
    there = seen.contestants(seen.serial(1).place)
    assert [(entry.outcomes, entry.sampled) for entry in there.values()] == [(3, 1), (2, 1)]
    assert seen.first_ranks(other.rows[0].survivor) == (1,)
    assert seen.first_ranks("nothing") == ()


@pytest.mark.parametrize("name", ["latency", "Total<SEP>latency"])
def test_an_objective_is_found_by_its_short_name(name) -> None:
    rows = [{"name": "a", "Total<SEP>latency": 1.0, "reservation<SEP>L2<SEP>right": 2.0}]
    found = outcome_from_rows(rows, identity=["name"])
    assert resolve(found, name) == "Total<SEP>latency"
    assert resolve(found, "reservation L2 right") == "reservation<SEP>L2<SEP>right"


def test_latency_is_what_the_search_calls_it() -> None:
    assert resolve(outcome(("a", 1.0)), "latency") == "t"


def test_an_objective_that_is_not_there_is_refused_with_the_choice() -> None:
    with pytest.raises(UsageError, match="no objective 'energy'") as refused:
        resolve(outcome(("a", 1.0, 2.0)), "energy")
    assert refused.value.do == "rank by one of: t, u"


def test_an_objective_that_is_zero_everywhere_ranks_nothing() -> None:
    with pytest.raises(UsageError, match="zero in every row"):
        resolve(outcome(("a", 1.0, 0.0)), "u")
