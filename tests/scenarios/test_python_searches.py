"""The example of docs/python-searches.md does what the page says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import repro

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = ROOT / "docs" / "examples"
PAGE = (ROOT / "docs" / "python-searches.md").read_text(encoding="utf-8")
SOURCE = (EXAMPLES / "tiling.py").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.syspath_prepend(str(EXAMPLES))


@pytest.mark.search
def test_the_example_is_not_reproducible_and_the_line_is_named() -> None:
    result = repro.check("tiling:search", orders=20)
    assert result.exit_code == 1
    assert result.deliveries["injected"].holds.objectives is True
    assert result.deliveries["injected"].holds.survivors is False
    (cause,) = result.causes
    assert cause.kind == "order"
    assert cause.site.file == "tiling.py"
    assert "Parallel(" in SOURCE.splitlines()[cause.site.line - 1]
    (witness,) = result.witnesses
    assert witness.moved_count == 2


@pytest.mark.search
def test_its_three_cures_cure_it() -> None:
    assert repro.check("tiling:sound_search", orders=20).exit_code == 0
    ordered = repro.check("tiling:search", deliveries=("serial", "ordered"))
    assert ordered.exit_code == 0
    claimed = repro.check("tiling:search", orders=20, require="objectives")
    assert claimed.exit_code == 0


def test_the_page_shows_code_of_the_example() -> None:
    (shown,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    blocks = shown.strip().split("\n\n\n")
    assert len(blocks) == 2
    assert [block for block in blocks if block not in SOURCE] == []
