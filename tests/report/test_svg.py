from __future__ import annotations

import dataclasses
import hashlib
import re
from xml.etree import ElementTree as ET

import pytest

from repro.report.svg import render

SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = """
import hashlib, json, sys
from repro.model.result import CheckResult
from repro.report.svg import render
result = CheckResult.from_dict(json.load(open(sys.argv[1])))
print(hashlib.sha256(render(result, width=100).encode()).hexdigest())
"""


def lines(svg: str) -> str:
    texts = ET.fromstring(svg).iter(f"{SVG}text")  # noqa: S314 - our own output
    return "\n".join("".join(text.itertext()).replace("\xa0", " ") for text in texts)


def test_the_picture_is_well_formed_and_shows_the_report(each) -> None:
    shown = lines(render(each, width=100))
    assert each.probe.name in shown
    assert "publish" in shown


def test_the_picture_names_itself_for_those_who_cannot_see_it(nondeterministic) -> None:
    root = ET.fromstring(render(nondeterministic, width=100))  # noqa: S314
    title = root.find(f"{SVG}title")
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == title.get("id")
    assert title.text.startswith("repro check attention-small: NOT REPRODUCIBLE as shipped")


def test_long_commands_are_folded_into_the_picture(nondeterministic) -> None:
    shown = re.sub(r"\s", "", lines(render(nondeterministic, width=80)))
    assert nondeterministic.witnesses[0].token in shown


def test_the_picture_asks_the_network_for_nothing(each) -> None:
    text = render(each, width=100).replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "http" not in text
    assert "url(" not in re.sub(r"url\(#repro-[\w-]+\)", "", text)


@pytest.mark.parametrize(
    "env",
    [
        {"PYTHONHASHSEED": "1"},
        {"PYTHONHASHSEED": "2", "NO_COLOR": "1", "COLUMNS": "40", "TERM": "dumb"},
        {"FORCE_COLOR": "1", "LINES": "7", "COLORTERM": "", "TTY_COMPATIBLE": "0"},
    ],
)
def test_its_bytes_follow_from_the_result_alone(env, fresh, root, nondeterministic) -> None:
    path = root / "tests" / "data" / "results" / "nondeterministic.json"
    done = fresh("-c", SCRIPT, str(path), env=env)
    here = hashlib.sha256(render(nondeterministic, width=100).encode()).hexdigest()
    assert done.stdout.strip() == here, done.stderr


def test_braces_and_brackets_in_names_do_not_break_it(nondeterministic) -> None:
    name = "a {b} </title><script>&\x1b\x00"
    probe = dataclasses.replace(nondeterministic.probe, name=name, title="{0}")
    root = ET.fromstring(  # noqa: S314
        render(dataclasses.replace(nondeterministic, probe=probe), width=100)
    )
    assert root.find(f"{SVG}title").text.startswith("repro check a {b} </title><script>&??: NOT")
    assert root.find(f".//{SVG}script") is None
