from __future__ import annotations

import dataclasses
import io
import re

import pytest
from rich.console import Console

from repro.report.tell import tell
from repro.report.terminal import Report, render

WIDTHS = [60, 80, 100, 140]
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def coloured(result, width: int, **options) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        height=50,
        force_terminal=True,
        color_system="truecolor",
        legacy_windows=False,
        **options,
    )
    with console.capture() as capture:
        console.print(Report(result), crop=False)
    return capture.get()


def words(text: str) -> list[str]:
    return text.replace("=", " ").split()


def test_the_answers_come_in_the_order_of_the_questions(nondeterministic) -> None:
    text = render(nondeterministic, width=80)
    labels = re.findall(r"^  (\w+)  ", text, flags=re.MULTILINE)
    assert labels == [
        *("publish", "serial", "ordered", "native", "injected"),
        *("latency", "jobs", "workers", "settings"),
        *("where", "why", "example", "cleared", "others", "extent", "bound", "now", "replay"),
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_the_verdict_stands_between_rules_at_the_top_and_again_at_the_end(each, width) -> None:
    headline = tell(each).headline
    lines = render(each, width=width).splitlines()
    rules = [place for place, line in enumerate(lines) if re.fullmatch("=+", line)]
    assert len(rules) == 2
    assert rules[0] <= 3
    assert " ".join(lines[rules[0] + 1 : rules[1]]).split() == headline.text.split()
    assert " ".join(lines[-2:]).count(headline.verdict) == 1


@pytest.mark.parametrize("width", WIDTHS)
def test_no_line_is_longer_than_the_terminal_unless_one_word_is(each, width) -> None:
    for line in render(each, width=width).splitlines():
        if len(line) > width and not line.lstrip().startswith("repro check"):
            assert len(line.split()) <= 3, line


@pytest.mark.parametrize("width", WIDTHS)
def test_paths_and_commands_are_never_broken(each, width) -> None:
    lines = render(each, width=width).splitlines()
    wanted = [str(cause.site) for cause in each.causes if cause.site]
    wanted += [f"--replay {each.witness_of(c).token}" for c in each.causes if each.witness_of(c)]
    for text in wanted:
        assert any(text in line for line in lines)


def test_a_command_stands_alone_on_its_line_so_that_it_can_be_copied(nondeterministic) -> None:
    token = nondeterministic.witnesses[0].token
    lines = [line.strip() for line in render(nondeterministic, width=40).splitlines()]
    assert f"repro check attention-small --replay {token}" in lines


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_but_ascii_is_drawn_and_no_line_ends_in_space(each, width) -> None:
    text = render(each, width=width)
    assert text.isascii()
    assert "\x1b" not in text
    assert not re.search(r"[ \t]$", text, flags=re.MULTILINE)


@pytest.mark.parametrize("width", WIDTHS)
def test_colour_says_nothing_that_the_words_do_not(each, width) -> None:
    text = coloured(each, width)
    assert "\x1b[" in text
    plain = ESCAPES.sub("", text)
    assert words(plain) == words(render(each, width=width))


def test_without_colour_the_verdict_gets_its_rules_on_a_terminal_too(nondeterministic) -> None:
    lines = ESCAPES.sub("", coloured(nondeterministic, 80, no_color=True)).splitlines()
    assert lines[2] == "=" * 80


def test_a_report_of_one_cause_is_short_enough_to_be_read(nondeterministic) -> None:
    assert len(render(nondeterministic, width=100).splitlines()) <= 70


def test_control_characters_are_spelt_out_instead_of_driving_the_terminal(
    nondeterministic,
) -> None:
    evil = "\x1b]0;owned\x07\r\nx\u202e"
    witness = dataclasses.replace(nondeterministic.witnesses[0], moved=(evil, "b"))
    probe = dataclasses.replace(nondeterministic.probe, title=evil)
    text = render(
        dataclasses.replace(nondeterministic, witnesses=(witness,), probe=probe), width=100
    )
    assert text.isprintable() is False  # it has line feeds
    assert text.replace("\n", "").isprintable()
    assert text.count(r"\x1b]0;owned\x07\r\nx\u202e") == 2


def test_markup_in_names_is_printed_as_it_is(nondeterministic) -> None:
    probe = dataclasses.replace(nondeterministic.probe, title="[bold red]x[/] :smile:")
    text = render(dataclasses.replace(nondeterministic, probe=probe), width=100)
    assert "[bold red]x[/] :smile:" in text


def test_words_are_parted_at_spaces_only(nondeterministic) -> None:
    text = render(nondeterministic, width=60)
    original = re.sub(r"\s+", " ", render(nondeterministic, width=400))
    assert re.sub(r"=+", "=", re.sub(r"\s+", " ", text)) == re.sub(r"=+", "=", original)


def test_the_notes_leave_out_what_the_report_says_already(nondeterministic, sample) -> None:
    assert "environmentVaried" in {reason.code for reason in nondeterministic.reasons}
    assert tell(nondeterministic).notes == ()
    assert "fresh processes" in render(sample("reproducible"), width=100)
