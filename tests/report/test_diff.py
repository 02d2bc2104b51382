from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from repro.audit.compare import compare
from repro.canon.frame import outcome_from_rows
from repro.model.looptree import Compute, LoopTree, Storage, Temporal
from repro.model.rung import Rung
from repro.report.changed import Difference, short_name
from repro.report.diff import render

if TYPE_CHECKING:
    from repro.model.outcome import Outcome

LATENCY = "Total<SEP>latency"


def flat(*rows: tuple[str, float]) -> Outcome:
    named = [{"name": name, LATENCY: latency} for name, latency in rows]
    return outcome_from_rows(named, identity=["name"], objectives=[LATENCY], latency=LATENCY)


def mapped(*rows: tuple[float, tuple[str, ...], int]) -> Outcome:
    trees = [
        LoopTree(
            (
                Storage(component="MainMemory", tensors=tensors),
                Temporal(rank_variables=("m",), tile=tile),
                Compute(einsum="Matmul1", component="MAC"),
            ),
            (("m", 64),),
        )
        for _, tensors, tile in rows
    ]
    return outcome_from_rows([{LATENCY: row[0]} for row in rows], trees=trees, latency=LATENCY)


def told(first: Outcome, second: Outcome, width: int = 80, **more: object) -> str:
    return render(Difference(first, second, compare(first, second), **more), width=width)


BASE = flat(("a", 1.0), ("b", 2.0), ("c", 2.0))
SWAPPED = flat(("a", 1.0), ("x", 2.0), ("y", 2.0))


def test_equal_outcomes_are_said_to_be_so_and_nothing_else_is_listed() -> None:
    text = told(BASE, BASE)
    assert "EQUAL, down to bytes" in text
    assert "different    nothing" in text
    assert not re.search(r"lost|gained|tie-swapped|shown", text)


def test_the_required_rung_decides_the_verdict() -> None:
    assert "DIFFERENT: row order required, and not equal" in told(BASE, SWAPPED)
    assert "EQUAL as required: objectives" in told(BASE, SWAPPED, required=Rung.OBJECTIVES)


def test_rungs_and_counts_come_first() -> None:
    lines = told(BASE, SWAPPED, names=("serial.json", "native.json")).splitlines()
    assert lines[0] == "A  serial.json   3 rows, 3 distinct rows"
    assert lines[1] == "B  native.json   3 rows, 3 distinct rows"
    assert "  equal        objectives and latency groups" in lines
    assert "  different    strategies, survivors, row order and bytes" in lines
    assert "  in both      1 of 3 rows" in lines
    assert "  lost         2 rows of A alone (2 rows that only A has)" in lines
    assert "  tie-swapped  2 of the lost have a gained one with equal objectives" in lines


def test_swapped_rows_are_shown_side_by_side_with_a_mark() -> None:
    lines = told(BASE, SWAPPED).splitlines()
    place = lines.index("A row 1, B row 1: latency 2")
    assert re.fullmatch(r"   A +B", lines[place + 1])
    assert re.fullmatch(r'   name = "b" +\|  name = "x"', lines[place + 2])


def test_trees_are_shown_by_their_lines() -> None:
    text = told(mapped((1.0, ("A",), 2)), mapped((1.0, ("A",), 4)))
    assert re.search(
        r"^ {3}for m in 32 tiles of 2 +\|  for m in 16 tiles of 4$", text, re.MULTILINE
    )
    assert "1 distinct LoopTree, 1 strategy" in text
    assert "1 of the lost has a gained one" in text


def test_lists_are_capped_and_say_how_to_see_the_rest() -> None:
    text = told(BASE, SWAPPED, limit=1)
    assert "Tie-swapped: lost and gained at equal objectives (1 of 2 shown)" in text
    assert "1 more not shown: --limit 2 shows all" in text
    assert "not shown" not in told(BASE, SWAPPED, limit=2)


def test_a_limit_of_none_leaves_the_counts() -> None:
    text = told(BASE, SWAPPED, limit=0)
    assert "lost         2 rows" in text
    assert "shown" not in text


def test_rows_that_nothing_answers_to_are_shown_alone() -> None:
    text = told(BASE, flat(("a", 1.0), ("b", 2.0), ("z", 9.0)))
    assert "Lost, with no equal in B (1 of 1 shown)" in text
    assert 'A row 2: latency 2\n   name = "c"' in text
    assert "Gained, with no equal in A (1 of 1 shown)" in text
    assert 'B row 2: latency 9\n   name = "z"' in text


def test_a_revalued_row_shows_both_values_to_the_last_digit() -> None:
    text = told(BASE, flat(("a", 1.0), ("b", 2.0), ("c", 2.0000000000000004)))
    assert "revalued     1 row with other objectives" in text
    assert "A row 2, B row 2: latency 2 -> 2.0000000000000004" in text


def test_a_cosmetic_difference_shows_the_exact_trees() -> None:
    one = mapped((1.0, ("A", "B"), 2))
    text = told(one, mapped((1.0, ("B", "A"), 2)))
    assert "EQUAL as required: row order" in text
    assert "cosmetic     1 row of these written differently" in text
    assert re.search(r"^ {3}MainMemory keeps A, B +\|  MainMemory keeps B, A$", text, re.MULTILINE)


def test_rows_in_another_order_are_counted() -> None:
    text = told(BASE, flat(("c", 2.0), ("a", 1.0), ("b", 2.0)))
    assert "reordered    the same rows in another order: 1 row out of place" in text


def test_other_columns_are_named() -> None:
    one = outcome_from_rows([{"x": 1, "gone": 2}], identity=["x"])
    text = told(one, outcome_from_rows([{"new": 2, "x": 1}], identity=["x"]))
    assert "columns      only in A: 'gone'; only in B: 'new'" in text


@pytest.mark.parametrize("width", [80, 60, 120])
def test_every_line_fits_the_width_and_is_plain(width) -> None:
    first, second = mapped((1.0, ("T0", "W0"), 2)), mapped((1.0, ("T0", "W0", "T1"), 4))
    text = told(first, second, width=width, names=("first.json", "second.json"))
    assert max(map(len, text.splitlines())) <= width
    assert text.isascii()
    assert "\x1b" not in text


def test_long_file_names_stay_whole() -> None:
    name = "outcomes/of/a/search/with/a/very/long/name/in/a/deep/folder/number-1/serial.json"
    lines = told(BASE, BASE, names=(name, name)).splitlines()
    assert sum(name in line for line in lines) == 2


def test_outcomes_of_different_sizes_say_both() -> None:
    assert "in both      1 row; A has 3, B has 1" in told(BASE, flat(("a", 1.0)))


def test_objectives_go_by_the_names_people_use() -> None:
    assert short_name("Total<SEP>latency") == "latency"
    assert short_name("reservation<SEP>L2<SEP>-1<SEP>right") == "reservation L2 -1 right"
    assert short_name("speed") == "speed"
