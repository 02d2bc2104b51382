"""Searches with one known fault each, and sound ones that look faulty: is each found out?

What must be said of each is declared in its file (`EXPECTED`); how a result is held to it is
`tests/planted/expected.py`. `benchmarks/planted.py` makes the table of all of them.
"""

from __future__ import annotations

import copy
import importlib
import json
from pathlib import Path

import jsonschema
import pytest

import repro

ROOT = Path(__file__).parent.parent.parent
PLANTED = ROOT / "tests" / "planted"
NAMES = sorted(path.stem for path in PLANTED.glob("*.py") if path.stem != "expected")
SCHEMA = json.loads((ROOT / "docs" / "schema" / "check.schema.json").read_text(encoding="utf-8"))
RESULTS = ROOT / "docs" / "results"


@pytest.fixture(scope="module")
def known():
    """What is known of the searches; they can be imported, here and in fresh processes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(PLANTED))
        yield importlib.import_module("expected")


def check(known, name):
    expected = known.load(name)
    return repro.check(f"{name}:search", **expected.arguments(whole=False)).to_dict()


@pytest.mark.search
@pytest.mark.parametrize("name", NAMES)
def test_a_planted_search_is_judged_as_it_deserves(name, known) -> None:
    result = check(known, name)
    jsonschema.validate(result, SCHEMA)
    assert known.disagreements(name, known.load(name), result) == []


def test_there_are_at_least_30_faults_and_15_look_alikes(known) -> None:
    expected = [known.load(name) for name in NAMES]
    assert sum(not each.sound for each in expected) >= 30
    assert sum(each.sound for each in expected) >= 15
    kinds = {cause.kind for each in expected for cause in each.causes}
    assert kinds == {"order", "jobs", "environment", "workers", "unknown"}
    first = {cause.rung for each in expected for cause in each.causes}
    assert first == set(known.RUNGS)


@pytest.mark.parametrize("name", NAMES)
def test_every_mark_is_on_a_line_that_calls_joblib_and_is_blamed(name, known) -> None:
    lines = (PLANTED / f"{name}.py").read_text(encoding="utf-8").splitlines()
    marks = known.marked(name)
    for line in marks.values():
        assert "Parallel(" in lines[line - 1] or "pool(" in lines[line - 1]
    blamed = {cause.site for cause in known.load(name).causes} - {None}
    assert set(marks) == blamed


CAUSE = {"kind": "workers", "site": None, "firstRung": "bytes"}
SPOILED = {
    "verdict": (("verdict",), "inconclusive"),
    "exit code": (("exitCode",), 5),
    "kind": (("causes", 0, "kind"), "jobs"),
    "line": (("causes", 0, "site", "line"), 1),
    "file": (("causes", 0, "site", "file"), "rekeyed.py"),
    "rung": (("causes", 0, "firstRung"), "objectives"),
    "another cause": (("causes", 0), CAUSE),
    "no cause": (("causes",), []),
    "broken rung": (("deliveries", "injected", "holds", "objectives"), False),
    "held rung": (("deliveries", "injected", "holds", "survivors"), True),
    "site cleared": (("sites", 0, "orderSensitive"), False),
    "site untested": (("sites", 0, "orderSensitive"), None),
    "witness": (("witnesses", 0, "movedCount"), 3),
    "no witness": (("witnesses",), []),
    "latency groups": (("deliveries", "injected", "latencyGroups"), False),
}
"""Where something can be wrong in a result, and a wrong value."""


def spoil(result, path, value):
    spoiled = copy.deepcopy(result)
    place = spoiled
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return spoiled


@pytest.mark.search
def test_each_thing_that_a_result_gets_wrong_is_noticed(known) -> None:
    expected, result = known.load("first_wins"), check(known, "first_wins")
    # Whether native runs differ too is luck; here it must be seen in the injected orders.
    result["deliveries"]["native"]["holds"] = result["deliveries"]["serial"]["holds"]
    assert known.disagreements("first_wins", expected, result) == []
    for name, (path, value) in SPOILED.items():
        found = known.disagreements("first_wins", expected, spoil(result, path, value))
        assert len(found) == 1, (name, found)


def test_the_published_table_is_of_these_searches_and_agrees_throughout(known) -> None:
    published = json.loads((RESULTS / "planted.json").read_text(encoding="utf-8"))
    entries = {entry["search"]: entry for entry in published["searches"]}
    assert sorted(entries) == NAMES
    for name, entry in entries.items():
        assert entry["planted"] == known.load(name).about, name
        assert entry["disagreements"] == [], name
    page = (RESULTS / "planted.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"| `{name}` |" not in page] == []
