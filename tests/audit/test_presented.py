from __future__ import annotations

import pytest

from repro.audit.places import Seen
from repro.audit.presented import all_ties, judge_draft, ranked_draft
from repro.audit.ranking import judge
from repro.canon.frame import outcome_from_rows
from repro.errors import UsageError
from repro.model.presented import Showing
from repro.model.ranked import Draft, DraftRow, RankedList
from repro.model.ranking import OutcomesSeen, Standing
from repro.model.setting import ProbeRef

BASE = [("a", 1.0), ("b", 2.0), ("c", 3.0)]
OTHER = [("a", 1.0), ("x", 2.0), ("c", 3.0)]
PROBE = ProbeRef(name="p", digest="0", entry="python", workers=2)


def outcome(rows):
    named = [{"name": name, "t": t} for name, t in rows]
    return outcome_from_rows(named, identity=["name"], objectives=["t"], latency="t")


def seen(*lists):
    return Seen([outcome(rows) for rows in lists], "t")


SURVIVORS = {name: outcome([(name, 1.0)]).rows[0].survivor for name in "abcdxyz"}


def draft(*rows, name="list.csv", whole=False):
    """Return a list of rows `(name, rank, value)`; `None` leaves one out."""
    return Draft(
        name=name,
        kind="csv",
        whole=whole,
        rows=tuple(
            DraftRow(
                objectives={} if value is None else {"t": value},
                rank=rank,
                survivor=SURVIVORS[tree],
            )
            for tree, rank, value in rows
        ),
    )


def showings(known, *rows, top=10):
    judged = judge_draft(draft(*rows), known, judge(known, top))
    return [row.showing for row in judged.rows]


def test_a_row_at_a_settled_rank_may_be_published_and_at_a_drawn_one_not() -> None:
    found = showings(seen(BASE, OTHER), ("a", 1, None), ("b", 2, None), ("c", 3, None))
    assert found == [Showing.SETTLED, Showing.DRAWN, Showing.SETTLED]
    assert [showing.holds for showing in found] == [True, False, True]


def test_a_drawn_rank_may_be_published_with_all_its_ties() -> None:
    assert showings(seen(BASE, OTHER), ("b", 2, None), ("x", 2, None)) == [Showing.WITH_TIES] * 2


def test_all_but_one_of_the_ties_is_not_all() -> None:
    known = seen(BASE, OTHER, [("a", 1.0), ("y", 2.0), ("c", 3.0)])
    judged = judge_draft(draft(("b", 2, None), ("x", 2, None)), known, judge(known, 10))
    assert [(row.showing, row.seen, row.shown) for row in judged.rows] == [
        (Showing.DRAWN, 3, 2)
    ] * 2
    assert not judged.holds


def test_ties_that_are_given_other_ranks_do_not_count_as_shown() -> None:
    assert showings(seen(BASE, OTHER), ("b", 2, None), ("x", 3, None)) == [
        Showing.DRAWN,
        Showing.MISPLACED,
    ]


def test_ranks_of_one_place_may_be_numbered_apart_if_all_are_there() -> None:
    rows = [("a", 1.0), ("b", 2.0), ("c", 2.0)]
    known = seen(rows, rows)
    assert showings(known, ("b", 2, None), ("c", 3, None)) == [Showing.WITH_TIES] * 2
    assert showings(known, ("c", 2, None)) == [Showing.DRAWN]


def test_a_tree_at_a_rank_where_it_never_was_is_misplaced_and_the_others_are_named() -> None:
    known = seen(BASE, OTHER)
    judged = judge_draft(draft(("a", 3, None), ("b", 7, None)), known, judge(known, 10))
    assert [(row.showing, row.places) for row in judged.rows] == [
        (Showing.MISPLACED, (1,)),
        (Showing.MISPLACED, (2,)),
    ]


def test_a_tree_that_no_outcome_has_was_not_seen_again() -> None:
    assert showings(seen(BASE), ("a", 1, None), ("z", 2, None)) == [
        Showing.SETTLED,
        Showing.UNSEEN,
    ]


def test_a_list_of_which_nothing_was_ever_seen_is_of_another_search() -> None:
    known = seen(BASE)
    with pytest.raises(UsageError, match="of another search") as refused:
        judge_draft(draft(("y", 1, None), ("z", 2, None)), known, judge(known, 10))
    assert refused.value.where == "list.csv"


def test_rows_without_ranks_are_ranked_by_value_and_share_what_ties() -> None:
    found = ranked_draft(draft(("c", None, 3.0), ("a", None, 1.0), ("b", None, 1.0)), "t", None)
    assert [(row.survivor, row.rank) for row in found.rows] == [
        (SURVIVORS["a"], 1),
        (SURVIVORS["b"], 1),
        (SURVIVORS["c"], 3),
    ]


def test_only_the_first_ranks_are_kept_if_so_asked() -> None:
    rows = draft(("a", None, 1.0), ("b", None, 2.0), ("c", None, 2.0), ("d", None, 4.0))
    assert len(ranked_draft(rows, "t", 2).rows) == 3
    assert len(ranked_draft(rows, "t", None).rows) == 4


def test_an_objective_that_a_whole_outcome_lacks_is_zero_in_all_rows() -> None:
    found = ranked_draft(draft(("a", None, 1.0), ("b", None, 2.0), whole=True), "u", None)
    assert [row.rank for row in found.rows] == [1, 1]


@pytest.mark.parametrize(
    ("rows", "what"),
    [
        ([("a", 1, 1.0), ("b", None, 2.0)], "1 of 2 rows have a rank"),
        ([("a", None, 1.0), ("b", None, None)], "neither ranks nor the values of 't'"),
        ([("a", 1, 5.0), ("b", 2, 4.0)], "its ranks don't follow 't': rank 1 has 5, rank 2 has 4"),
    ],
    ids=["some", "none", "other"],
)
def test_ranks_that_cannot_be_held_to_anything_are_refused(rows, what) -> None:
    with pytest.raises(UsageError, match=what) as refused:
        ranked_draft(draft(*rows), "t", None)
    assert refused.value.where == "list.csv"


def test_ranks_may_differ_from_the_values_by_rounding() -> None:
    rows = draft(("a", 1, 1.0 + 4e-7), ("b", 2, 1.0))
    assert ranked_draft(rows, "t", None) == rows


def test_a_row_can_be_known_by_its_text_whatever_an_editor_did_to_line_ends() -> None:
    known = seen(BASE)
    text = 'name = "a"  \r\n'
    row = Draft(name="l", kind="csv", rows=(DraftRow(objectives={}, rank=1, text=text),))
    (found,) = judge_draft(row, known, judge(known, 1)).rows
    assert (found.survivor, found.showing) == (SURVIVORS["a"], Showing.SETTLED)


def test_a_row_whose_text_is_another_trees_is_refused() -> None:
    known = seen(BASE)
    bad = DraftRow(objectives={}, rank=1, survivor=SURVIVORS["a"], text='name = "b"')
    with pytest.raises(UsageError, match="the digest of one LoopTree and the text of another"):
        judge_draft(Draft(name="l", kind="csv", rows=(bad,)), known, judge(known, 1))


def test_a_row_that_names_no_tree_is_refused() -> None:
    known = seen(BASE)
    bare = Draft(name="l", kind="csv", rows=(DraftRow(objectives={}, rank=4),))
    with pytest.raises(UsageError, match="the row of rank 4 doesn't say which LoopTree it is"):
        judge_draft(bare, known, judge(known, 1))


@pytest.mark.parametrize(
    "lists",
    [
        (BASE, BASE),
        (BASE, OTHER, OTHER),
        ([("a", 1.0), ("b", 1.0), ("c", 3.0)],) * 2,
        (BASE, [("y", 0.5), *BASE], OTHER),
        (BASE, BASE[:1]),
        (BASE, [("x", 10.0), ("y", 20.0), ("z", 30.0)]),
    ],
    ids=["settled", "drawn", "shared", "moved", "short", "far"],
)
def test_what_may_be_published_passes_when_it_is_judged(lists) -> None:
    known = seen(*lists)
    ranks = judge(known, 3)
    rows = tuple(all_ties(known, ranks))
    written = RankedList(
        by="t",
        probe=PROBE,
        outcomes=OutcomesSeen(serial=1, injected=1, sampled=0),
        bound=None,
        fresh=None,
        rows=rows,
    )
    again = RankedList.from_dict(written.to_dict())
    assert again == written
    judged = judge_draft(ranked_draft(again.draft("l"), "t", None), known, ranks)
    assert judged.holds, [row.showing for row in judged.rows]
    settled = {row.rank for row in rows if row.standing is Standing.SETTLED}
    assert settled == {rank.rank for rank in ranks if rank.settled}


def test_what_may_be_published_names_the_serial_tree_first_and_then_by_frequency() -> None:
    known = seen(BASE, OTHER, OTHER, [("a", 1.0), ("y", 2.0), ("c", 3.0)])
    found = [(row.rank, row.text, row.outcomes) for row in all_ties(known, judge(known, 2))]
    assert found == [
        (1, 'name = "a"', 4),
        (2, 'name = "b"', 1),
        (2, 'name = "x"', 2),
        (2, 'name = "y"', 1),
    ]
