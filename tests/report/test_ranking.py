from __future__ import annotations

import json

import jsonschema
import pytest

from repro.audit.bound import bound
from repro.audit.places import Seen
from repro.audit.presented import judge_draft, ranked_draft
from repro.audit.ranking import judge, judge_groups, judge_ties
from repro.canon.frame import outcome_from_rows
from repro.errors import ResultError
from repro.model.looptree import Compute, LoopTree, Storage, Temporal
from repro.model.ranked import Draft, DraftRow
from repro.model.ranking import OutcomesSeen, RankingResult, RankingVerdict
from repro.model.result import Reason
from repro.model.setting import Environment, ProbeRef
from repro.report.ranking import render

LATENCY = "Total<SEP>latency"
SIZE = "reservation<SEP>L2"
HERE = Environment(
    python="3.12.3", tool="0.1.0", joblib="1.6.0", platform="Linux", machine="x86_64", cores=2
)


def tree(tile):
    nodes = (
        Storage(component="L2", tensors=("A", "B")),
        Temporal(rank_variables=("m",), tile=tile),
        Compute(einsum="A", component="MAC"),
    )
    return LoopTree(nodes, (("m", 64),))


def outcome(*rows):
    """Return an outcome of rows `(tile, latency, size)`."""
    return outcome_from_rows(
        [{LATENCY: latency, SIZE: size} for _, latency, size in rows],
        trees=[tree(tile) for tile, _, _ in rows],
        latency=LATENCY,
    )


BASE = outcome((1, 1.5, 4.0), (2, 2.5, 3.0), (4, 3.5, 2.0))
SWAPPED = outcome((1, 1.5, 4.0), (8, 2.5, 3.0), (4, 3.5, 2.0))
TIED = outcome((1, 1.5, 4.0), (2, 2.5, 3.0), (16, 2.5, 2.9))
MOVED = outcome((32, 1.0, 5.0), (1, 1.5, 4.0), (2, 2.5, 3.0), (4, 3.5, 2.0))


def result(  # noqa: PLR0913 - one keyword for each thing that a report tells differently
    *others, serial=BASE, top=10, sampled=True, reasons=(), draft=None, entry="join"
):
    outcomes = [serial, *others]
    count = len(others) if sampled else 0
    seen = Seen(outcomes, LATENCY, count)
    ranks = judge(seen, top)
    presented = judge_draft(ranked_draft(draft, LATENCY, None), seen, ranks) if draft else None
    good = all(rank.settled for rank in ranks) if presented is None else presented.holds
    verdict = RankingVerdict.INCONCLUSIVE if reasons else RankingVerdict.SETTLED
    return RankingResult(
        verdict=verdict if good else RankingVerdict.DRAWN,
        reasons=tuple(reasons),
        probe=ProbeRef(
            name="mine", digest="d", entry=entry, workers=2, title="my design", arguments="./mine"
        ),
        by=LATENCY,
        asked=top,
        rows=seen.rows,
        outcomes=OutcomesSeen(serial=1, injected=len(others), sampled=count),
        ranks=ranks,
        groups=judge_groups(seen, top),
        ties=judge_ties(seen, top),
        bound=bound(count, 0),
        presented=presented,
        environment=HERE,
        total_seconds=12.3456,
    )


def told(found, **options):
    """Return the report as one line, so that where lines break is no matter."""
    return " ".join(render(found, **options).split())


def listing(*rows):
    """Return a list of rows `(tile, rank)`."""
    survivors = {tile: outcome((tile, 1.0, 1.0)).rows[0].survivor for tile, _ in rows}
    return Draft(
        name="table.csv",
        kind="csv",
        rows=tuple(
            DraftRow(objectives={}, rank=rank, survivor=survivors[tile]) for tile, rank in rows
        ),
    )


def test_a_settled_ranking_says_so_first_and_last_with_its_bound() -> None:
    text = render(result(*[BASE] * 20))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    assert "SETTLED: the first 3 ranks, in every outcome seen" in lines[:5]
    assert lines[-1].startswith("SETTLED: ")
    assert lines[-1].endswith("(exit code 0; 12 s)")
    flat = " ".join(text.split())
    assert "one LoopTree, alone, in all 21 outcomes" in flat
    assert "0 of 20 random orders changed any of these ranks" in flat
    assert "fewer than 14% of orders do" in flat
    assert "keeps" not in flat
    assert "now" not in flat.split("SETTLED")[1].split()


def test_a_drawn_rank_shows_its_trees_where_they_differ() -> None:
    text = render(result(BASE, SWAPPED, SWAPPED))
    flat = " ".join(text.split())
    assert "DRAWN: of the first 3 ranks 2 settled, 1 drawn" in flat
    assert "2 2.5 drawn 2 model-equal LoopTrees compete for it" in flat
    assert "serial's own is here in 1 of 3 random orders" in flat
    assert "Rank 2: 2 LoopTrees seen (2 shown)" in flat
    assert "serial's own, in 1 of 3 random orders, at latency 2.5 and reservation L2 3:" in flat
    lines = text.splitlines()
    assert "     for m in 32 tiles of 2" in lines
    assert "     -for m in 32 tiles of 2" in lines
    assert "     +for m in 8 tiles of 8" in lines
    assert sum("L2 keeps A, B" in line for line in lines) == 1


def test_a_drawn_ranking_says_what_to_publish_instead() -> None:
    text = told(result(SWAPPED))
    assert "publish each rank with all LoopTrees that were seen there" in text
    assert "repro ranking ./mine --top 3 --all-ties ranking.csv" in text


def test_what_is_cut_says_so() -> None:
    others = [outcome((1, 1.5, 4.0), (tile, 2.5, 3.0), (4, 3.5, 2.0)) for tile in (8, 16, 32, 3, 5)]
    text = told(result(*others), show=2)
    assert "Rank 2: 6 LoopTrees seen (2 shown)" in text
    assert "4 more not shown: --show N shows more, --all-ties FILE writes all" in text
    assert "(2 shown)" not in told(result(*others), show=0)


def test_trees_that_tie_on_the_value_alone_are_told_apart_and_shown_once() -> None:
    text = told(result(TIED, serial=TIED))
    assert text.count("ranks 2 to 3 tie on latency alone") == 2
    assert text.count("Ranks 2 to 3: 2 LoopTrees seen") == 1
    assert "tied on latency alone, at reservation L2 2.9; where it differs:" in text


def test_other_values_at_a_rank_are_named() -> None:
    text = told(result(MOVED))
    assert text.count("other values stand here in some outcomes") == 3
    assert "at latency 1 and reservation L2 5; where it differs:" in text


def test_groups_are_judged_whoever_is_in_them() -> None:
    assert "3 latency groups of 3 rows: the same in every outcome" in told(result(SWAPPED))
    text = told(result(MOVED))
    assert "1 of 2 outcomes have other ones, 1 of 2 even among the first 3 ranks" in text
    later = outcome((1, 1.5, 4.0), (2, 2.5, 3.0), (4, 9.5, 2.0))
    text = told(result(later, top=2))
    assert "1 of 2 outcomes have other ones, but among the first 2 ranks all have the same" in text


def test_how_many_trees_there_may_be_is_estimated() -> None:
    draws = [outcome((1, 1.5, 4.0), (tile, 2.5, 3.0), (4, 3.5, 2.0)) for tile in (2, 2, 8, 8, 16)]
    text = told(result(*draws, *draws[:2], outcome((3, 1.5, 4.0), (2, 2.5, 3.0), (4, 3.5, 2.0))))
    assert "6 LoopTrees were seen at these ranks, an estimated" in text
    assert "95% interval" in text
    assert "nothing points to others" in told(result(*[BASE] * 8))


def test_doubts_are_told_with_what_to_do() -> None:
    against = Reason("budgetExhausted", {"asked": 8, "done": 0})
    text = told(result(BASE, sampled=False, reasons=[against]))
    assert "INCONCLUSIVE: nothing changed the first 3 ranks" in text
    assert "doubt the time ran out: 0 of 8 orders were tried; allow more time" in text
    assert "exit code 5" in text


def test_fewer_ranks_than_were_asked_for_is_said() -> None:
    assert "there are 3 ranks, 10 were asked for" in told(result(BASE))
    assert "were asked for" not in told(result(BASE, top=3))


def test_a_python_search_has_rows() -> None:
    text = told(result(SWAPPED, entry="python"))
    assert "2 model-equal rows compete for it" in text
    assert "LoopTree" not in text


@pytest.mark.parametrize(
    ("rows", "verdict", "row"),
    [
        ([(1, 1), (4, 3)], "MAY BE PUBLISHED: table.csv presents no draw", "settled: the same"),
        ([(2, 2), (8, 2)], "MAY BE PUBLISHED", "drawn, and shown with all 2 LoopTrees"),
        ([(1, 1), (2, 2)], "NOT TO BE PUBLISHED: 1 of 2 rows in table.csv", "the list shows 1"),
        (
            [(1, 1), (2, 3)],
            "NOT TO BE PUBLISHED",
            "MISPLACED: this LoopTree was seen, but at rank 2",
        ),
        ([(1, 1), (64, 2)], "NOT TO BE PUBLISHED", "NOT SEEN AGAIN: no outcome has this LoopTree"),
    ],
    ids=["settled", "ties", "drawn", "misplaced", "unseen"],
)
def test_a_list_is_judged_row_by_row(rows, verdict, row) -> None:
    text = told(result(SWAPPED, draft=listing(*rows)), show=0)
    assert verdict in text
    assert row in text


def test_the_report_keeps_to_the_width_but_for_commands() -> None:
    for width in (60, 80, 120):
        lines = render(result(SWAPPED, MOVED, TIED), width=width).splitlines()
        assert [line for line in lines if len(line) > width and "repro ranking" not in line] == []


@pytest.mark.parametrize(
    "found",
    [
        result(*[BASE] * 9),
        result(SWAPPED, MOVED, TIED, sampled=False),
        result(SWAPPED, draft=listing((1, 1), (2, 2), (64, 9))),
        result(BASE, reasons=[Reason("noJoblibCall")]),
        result(serial=outcome((1, float("inf"), 1.0), (2, float("nan"), 1.0))),
    ],
    ids=["settled", "drawn", "list", "inconclusive", "no numbers"],
)
def test_a_result_fits_its_schema_and_comes_back_from_json(found, root) -> None:
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    schema = json.loads((root / "docs/schema/ranking.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(written, schema)
    assert RankingResult.from_dict(written) == found


def test_a_result_that_contradicts_itself_is_refused() -> None:
    written = result(SWAPPED).to_dict()
    with pytest.raises(ResultError, match="settled is 3"):
        RankingResult.from_dict({**written, "settled": 3})
    with pytest.raises(ResultError, match="exitCode is 0"):
        RankingResult.from_dict({**written, "exitCode": 0})
    with pytest.raises(ResultError, match=r"of schema repro\.ranking/1"):
        RankingResult.from_dict({**written, "schema": "repro.check/1"})
