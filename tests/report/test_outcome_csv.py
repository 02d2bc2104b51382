from __future__ import annotations

import csv
import io
import math

import pytest

from repro.canon.digest import digest_text
from repro.canon.frame import outcome_from_rows
from repro.errors import OutcomeError
from repro.model.looptree import Compute, LoopTree, Storage, Temporal
from repro.model.ranked import DraftRow, RankedList, RankedRow
from repro.model.ranking import OutcomesSeen, Standing
from repro.model.setting import ProbeRef
from repro.report.outcome_csv import from_csv, ranked_csv, to_csv

LATENCY = "Total<SEP>latency"


def tree(tile):
    nodes = (
        Storage(component="L2", tensors=("A", "B")),
        Temporal(rank_variables=("m",), tile=tile),
        Compute(einsum="A", component="MAC"),
    )
    return LoopTree(nodes, (("m", 64),))


def mapped(*latencies):
    trees = [tree(2**place) for place in range(len(latencies))]
    rows = [{LATENCY: value, "reservation<SEP>L2": 0.1} for value in latencies]
    return outcome_from_rows(rows, trees=trees, latency=LATENCY)


def table(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_an_outcome_is_written_in_the_order_of_its_ranks() -> None:
    found = mapped(3.0, 1.0, 1.0 + 1e-7)
    rows = table(to_csv(found))
    assert list(rows[0]) == ["rank", "row", LATENCY, "reservation<SEP>L2", "survivor", "text"]
    assert [(row["rank"], row["row"]) for row in rows] == [("1", "1"), ("1", "2"), ("3", "0")]
    assert [row["survivor"] for row in rows] == [found.rows[index].survivor for index in (1, 2, 0)]
    assert all(digest_text(row["text"]) == row["survivor"] for row in rows)
    assert rows[0]["text"].splitlines()[2:] == ["for m in 32 tiles of 2", "MAC computes A"]


def test_an_outcome_can_be_ranked_by_another_objective() -> None:
    rows = [{"name": "a", "t": 1.0, "u": 2.0}, {"name": "b", "t": 2.0, "u": 1.0}]
    found = outcome_from_rows(rows, identity=["name"], latency="t")
    assert [row["row"] for row in table(to_csv(found, by="u"))] == ["1", "0"]


def test_without_a_latency_there_are_no_ranks() -> None:
    found = outcome_from_rows([{"name": "b", "t": 2.0}, {"name": "a", "t": 1.0}], objectives=["t"])
    rows = table(to_csv(found))
    assert "rank" not in rows[0]
    assert [row["row"] for row in rows] == ["0", "1"]


def test_numbers_come_back_to_the_last_bit() -> None:
    values = (math.pi, 1e-300, 0.1 + 0.2, math.inf)
    found = mapped(*values)
    back = from_csv(to_csv(found), "f.csv")
    assert [row.objectives[LATENCY] for row in back.rows] == sorted(values)
    assert {row.survivor for row in back.rows} == {row.survivor for row in found.rows}


def test_an_outcome_reads_back_as_the_list_that_it_is() -> None:
    found = mapped(2.0, 1.0)
    back = from_csv(to_csv(found), "f.csv")
    assert (back.name, back.kind, back.whole) == ("f.csv", "csv", False)
    assert [row.rank for row in back.rows] == [1, 2]
    assert back.rows[0].text.splitlines()[0] == "over m 64"


def test_what_a_spreadsheet_does_to_a_file_is_no_matter() -> None:
    text = to_csv(mapped(2.0, 1.0))
    changed = "\ufeff" + text.replace("\n", "\r\n") + "\r\n"
    ours, theirs = from_csv(text, "f"), from_csv(changed, "f")
    assert [row.survivor for row in theirs.rows] == [row.survivor for row in ours.rows]
    assert [row.rank for row in theirs.rows] == [1, 2]


def test_columns_that_are_not_known_are_ignored() -> None:
    back = from_csv("rank,note,survivor\n1,fastest by far,AB12 \n", "f.csv")
    assert back.rows == (DraftRow(objectives={}, rank=1, survivor="ab12"),)


def test_a_list_that_may_be_published_says_what_is_settled() -> None:
    rows = [
        RankedRow(
            rank=rank,
            standing=standing,
            outcomes=3,
            survivor=letter * 32,
            objectives={"t": value},
            text="one\ntwo",
        )
        for rank, standing, letter, value in (
            (1, Standing.SETTLED, "a", 1.0),
            (2, Standing.DRAWN, "b", "inf"),
        )
    ]
    text = ranked_csv(
        RankedList(
            by="t",
            probe=ProbeRef(name="p", digest="0", entry="join", workers=2),
            outcomes=OutcomesSeen(serial=1, injected=2, sampled=0),
            bound=None,
            fresh=None,
            rows=tuple(rows),
        )
    )
    first, second = table(text)
    assert list(first) == ["rank", "standing", "outcomes", "t", "survivor", "text"]
    assert (first["rank"], first["standing"], first["outcomes"]) == ("1", "settled", "3")
    assert (second["standing"], second["t"]) == ("drawn", "inf")
    back = from_csv(text, "f")
    assert [(row.rank, row.survivor) for row in back.rows] == [(1, "a" * 32), (2, "b" * 32)]


def test_an_objective_with_the_name_of_another_column_is_refused() -> None:
    found = outcome_from_rows([{"name": "a", "rank": 2.0}], identity=["name"])
    with pytest.raises(OutcomeError, match="an objective is called 'rank'"):
        to_csv(found)


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("", "needs a column `survivor` or a column `text`"),
        ("rank,t\n1,2\n", "needs a column `survivor` or a column `text`"),
        ("rank,survivor\n", "the list has no rows"),
        ("rank,rank,survivor\n1,1,a\n", "a column's name occurs twice"),
        ("rank,survivor\n1\n", "it has 1 cells, the head has 2"),
        ("rank,survivor\nfirst,a\n", "'first' is no rank"),
        ("rank,survivor\n0,a\n", "'0' is no rank"),
        ("rank,survivor\n1.5,a\n", "'1.5' is no rank"),
        ("rank,survivor\nnan,a\n", "'nan' is no rank"),
        ('rank,survivor\n1,"a\n', "this isn't CSV"),
    ],
)
def test_a_file_that_is_no_such_list_is_refused(text, what) -> None:
    with pytest.raises(OutcomeError, match=what) as refused:
        from_csv(text, "f.csv")
    assert "f.csv" in refused.value.where


def test_a_rank_may_be_written_as_a_float_as_pandas_does() -> None:
    assert from_csv("rank,survivor\n2.0,a\n", "f").rows[0].rank == 2
