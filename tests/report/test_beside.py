from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.console import Console

from repro.report.beside import Aligned, Beside, Hanging, Hidden, aligned, shortened

if TYPE_CHECKING:
    from rich.console import RenderableType

LINES = st.lists(st.sampled_from("abcd"), max_size=8)


def shown(renderable: RenderableType, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    with console.capture() as capture:
        console.print(renderable, crop=False)
    return capture.get().splitlines()


@settings(deadline=None)
@given(LINES, LINES)
def test_every_line_of_both_texts_is_there_in_its_order(left, right) -> None:
    found = aligned(left, right)
    assert [line.left for line in found if line.mark != ">"] == left
    assert [line.right for line in found if line.mark != "<"] == right


@settings(deadline=None)
@given(LINES, LINES)
def test_lines_are_unmarked_exactly_where_they_are_equal(left, right) -> None:
    for line in aligned(left, right):
        assert (line.mark == " ") == (line.left == line.right)


def test_marks_say_which_side_has_a_line() -> None:
    assert aligned(["a", "b", "c"], ["a", "x", "c", "d"]) == [
        Aligned(" ", "a", "a"),
        Aligned("|", "b", "x"),
        Aligned(" ", "c", "c"),
        Aligned(">", "", "d"),
    ]
    assert aligned(["a", "b"], ["b"])[0] == Aligned("<", "a", "")


def test_long_runs_of_equal_lines_are_left_out_and_counted() -> None:
    same = [str(number) for number in range(20)]
    left = [*same, "a", *same]
    right = [*same, "b", *same]
    found = shortened(aligned(left, right))
    assert found[0] == Hidden(18)
    assert [line.mark for line in found[1:-1] if isinstance(line, Aligned)] == list("  |  ")
    assert found[-1] == Hidden(18)


def test_two_equal_lines_are_shown_rather_than_counted() -> None:
    left = ["a", "1", "2", "3", "4", "5", "6", "b"]
    right = ["x", "1", "2", "3", "4", "5", "6", "y"]
    assert not any(isinstance(line, Hidden) for line in shortened(aligned(left, right)))


@pytest.mark.parametrize("width", [40, 80, 132])
def test_lines_fit_the_width_and_marks_stand_in_one_column(width) -> None:
    left = ["  for m in 32 tiles of 2", "  " + "long " * 20]
    right = ["  for m in 16 tiles of 4", "  " + "longer " * 20]
    lines = shown(Beside(left, right, ("A", "B"), indent=3), width)
    assert max(map(len, lines)) <= width
    column = lines[1].index("|")
    assert all(line[column] == "|" for line in lines[1:])


def test_colours_only_repeat_the_marks() -> None:
    console = Console(file=io.StringIO(), width=60, force_terminal=True, color_system="standard")
    with console.capture() as capture:
        console.print(Beside(["a"], ["b"], ("A", "B")))
    assert "\x1b[" in capture.get()
    assert "|" in shown(Beside(["a"], ["b"], ("A", "B")))[1]


def test_what_hangs_is_indented_under_its_head() -> None:
    lines = shown(Hanging("  lost     ", "word " * 30, indent=11), 40)
    assert lines[0].startswith("  lost     word")
    assert all(line.startswith(" " * 11 + "word") for line in lines[1:])
    assert max(map(len, lines)) <= 40
    assert not any(line.endswith(" ") for line in lines)


def test_a_word_longer_than_the_line_sticks_out_whole() -> None:
    path = "/a/path/that/is/longer/than/the/line.json"
    assert any(path in line for line in shown(Hanging("where ", path, indent=6), 20))
