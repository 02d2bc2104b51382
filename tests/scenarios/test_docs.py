from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

import repro
from repro.cli.app import COMMANDS, load
from repro.cli.exits import MEANINGS
from repro.model.delivery import Delivery
from repro.model.probe import Probe
from repro.model.rung import LADDER
from repro.searches.catalog import read_yaml

ROOT = Path(__file__).parent.parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
ROOT_OPTIONS = {"--help", "--version"}
PAGE = 600
"""Words on a printed page."""


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def code(page: Path) -> list[str]:
    """Everything that a page shows as code: spans, and the lines of fenced blocks."""
    fenced = re.findall(r"^ *```\w*\n(.*?)^ *```", text(page), re.MULTILINE | re.DOTALL)
    rest = re.sub(r"^ *```.*?^ *```", "", text(page), flags=re.MULTILINE | re.DOTALL)
    spans = [" ".join(span.split()) for span in re.findall(r"`([^`]+)`", rest)]
    return spans + [line.strip() for block in fenced for line in block.splitlines()]


def commands(page: Path) -> list[list[str]]:
    """The words of each call of `repro` that a page shows, comments left out."""
    calls = [shown.split("#")[0].split() for shown in code(page)]
    return [words[1:] for words in calls if len(words) > 1 and words[0].endswith("repro")]


def options(name: str) -> set[str]:
    found = {opt for param in load(name).params for opt in (*param.opts, *param.secondary_opts)}
    return found | {"--help"}


def table(page: Path, heading: str) -> list[list[str]]:
    """The rows of the first table under a heading, without its own head."""
    section = text(page).split(f"## {heading}\n")[1]
    rows = re.findall(r"^\|(.+)\|$", section.split("\n## ")[0], re.MULTILINE)
    return [[cell.strip().strip("`") for cell in row.split(" | ")] for row in rows[2:]]


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_commands_and_options_that_a_page_shows_exist(page) -> None:
    for words in commands(page):
        if words[0].startswith("-"):
            assert set(words) <= ROOT_OPTIONS, words
            continue
        assert words[0] in COMMANDS, words
        shown = {word.split("=")[0] for word in words if word.startswith("-") and word != "-"}
        assert shown <= options(words[0]), words


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_make_targets_that_a_page_shows_exist(page) -> None:
    targets = set(re.findall(r"^([a-z]+):", text(ROOT / "Makefile"), re.MULTILINE))
    shown = [words.split() for words in code(page) if words.startswith("make ")]
    assert {words[1] for words in shown} <= targets


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_links_inside_the_repository_lead_somewhere(page) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", text(page))
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_public_names_that_a_page_shows_exist(page) -> None:
    shown = set(re.findall(r"\brepro\.(\w+)\(", text(page)))
    assert shown <= set(repro.__all__)


def test_there_are_pages_and_they_show_commands() -> None:
    assert {"README.md", "docs/guide.md", "docs/upstream.md", "SECURITY.md"} <= set(NAMES)
    assert len(commands(ROOT / "README.md")) >= len(COMMANDS)
    assert len(commands(ROOT / "docs" / "guide.md")) > 5


def test_the_readme_shows_the_two_commands_to_begin_with() -> None:
    first = re.search(r"```sh\n(.*?)```", text(ROOT / "README.md"), re.DOTALL)
    assert first is not None
    lines = first[1].splitlines()
    assert [line.split("#")[0].strip() for line in lines] == ["make demo", "make test"]


def test_the_readme_lists_every_command() -> None:
    rows = table(ROOT / "README.md", "Commands")
    assert [row[0].split()[1] for row in rows] == list(COMMANDS)


def test_the_readme_lists_every_exit_code_with_its_meaning() -> None:
    rows = table(ROOT / "README.md", "Exit codes")
    assert {int(code): meaning for code, meaning in rows} == MEANINGS


def test_the_readme_lists_the_deliveries_and_the_ladder() -> None:
    deliveries = table(ROOT / "README.md", "Four deliveries")
    assert [row[0] for row in deliveries] == [delivery.value for delivery in Delivery]
    ladder = table(ROOT / "README.md", "The ladder of sameness")
    assert [row[0] for row in ladder] == [rung.value for rung in LADDER]


def test_the_guides_probe_is_valid() -> None:
    block = re.search(r"```yaml\n(.*?)```", text(ROOT / "docs" / "guide.md"), re.DOTALL)
    assert block is not None
    data, lines = read_yaml(block[1].encode(), "docs/guide.md")
    assert Probe.from_dict(data, lines=lines).name == "my-design"


def test_the_guide_is_under_a_page() -> None:
    assert len(text(ROOT / "docs" / "guide.md").split()) < PAGE


def test_decision_records_are_numbered_without_gaps_and_under_a_page() -> None:
    records = sorted((ROOT / "docs" / "adr").glob("*.md"))
    assert [int(record.name[:4]) for record in records] == list(range(1, len(records) + 1))
    for record in records:
        assert text(record).startswith(f"# {record.name[:4]}: ")
        assert len(text(record).split()) < PAGE


def test_contributing_lists_the_layers_that_are_enforced() -> None:
    project = tomllib.loads(text(ROOT / "pyproject.toml"))
    layers = project["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = [layer.strip("()") for layer in layers if not layer.startswith("_")]
    line = re.search(
        r"The layers, from the bottom: (.*?)\. Pure", text(ROOT / "CONTRIBUTING.md"), re.DOTALL
    )
    assert line is not None
    assert re.findall(r"`(\w+)`", line[1]) == rooms[::-1]


def test_the_changelog_keeps_to_its_form() -> None:
    page = text(ROOT / "CHANGELOG.md")
    assert page.startswith("# Changelog\n")
    assert re.findall(r"^## (.*)$", page, re.MULTILINE)[0] == "[Unreleased]"
    kinds = set(re.findall(r"^### (.*)$", page, re.MULTILINE))
    assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
