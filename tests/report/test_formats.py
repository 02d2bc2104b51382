from __future__ import annotations

import pytest

from repro.report.formats import FORMATS


def test_the_first_formats_are_there() -> None:
    assert {"terminal", "svg"} <= set(FORMATS)


@pytest.mark.parametrize("name", FORMATS)
def test_each_format_renders_every_sample_the_same_way_twice(name, each) -> None:
    once = FORMATS[name].render(each, width=100)
    assert once.endswith("\n")
    assert each.probe.name in once.replace("&#160;", " ")
    assert FORMATS[name].render(each, width=100) == once


def test_a_format_is_loaded_only_when_it_is_asked_for(fresh) -> None:
    script = "import sys, repro.report.formats; print('rich' in sys.modules)"
    assert fresh("-c", script).stdout.strip() == "False"
