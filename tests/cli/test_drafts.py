from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING

import pandas as pd
import pytest

from repro.canon.frame import outcome_from_rows
from repro.cli.drafts import read_draft
from repro.errors import OutcomeError, UsageError
from repro.report.outcome_csv import to_csv

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"name": "b", "t": 2.0}, {"name": "a", "t": 1.0}]


@pytest.fixture
def outcome():
    return outcome_from_rows(ROWS, identity=["name"], latency="t")


class Trap:
    """Writes a file when it is loaded."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (exec, (f"open({str(self.path)!r}, 'w').close()",))


def test_an_outcome_is_read_row_by_row(outcome, tmp_path) -> None:
    file = tmp_path / "o.json"
    file.write_text(json.dumps(outcome.to_dict()), encoding="utf-8")
    found = read_draft(file, unpickle=False)
    assert (found.name, found.kind, found.whole) == (str(file), "outcome", True)
    assert [row.rank for row in found.rows] == [None, None]
    assert [row.objectives for row in found.rows] == [{"t": 2.0}, {"t": 1.0}]
    assert [row.survivor for row in found.rows] == [row.survivor for row in outcome.rows]


@pytest.mark.parametrize("name", ["o.csv", "o.CSV", "o.txt"])
def test_csv_is_known_by_its_suffix_or_by_what_is_in_it(outcome, tmp_path, name) -> None:
    file = tmp_path / name
    file.write_text(to_csv(outcome), encoding="utf-8-sig")
    found = read_draft(file, unpickle=False)
    assert (found.kind, [row.rank for row in found.rows]) == ("csv", [1, 2])


def test_a_pickle_is_not_loaded_unless_it_is_asked_for(tmp_path) -> None:
    mark = tmp_path / "was-run"
    file = tmp_path / "list.json"
    file.write_bytes(pickle.dumps(Trap(mark)))
    with pytest.raises(UsageError, match="loading a pickle runs the code in it") as refused:
        read_draft(file, unpickle=False)
    assert "--unpickle" in refused.value.do
    assert not mark.exists()
    with pytest.raises(OutcomeError, match="the pickle holds a NoneType"):
        read_draft(file, unpickle=True)
    assert mark.exists()


def test_a_text_is_not_taken_for_a_pickle(outcome, tmp_path) -> None:
    file = tmp_path / "o.csv"
    file.write_text(to_csv(outcome), encoding="utf-8")
    with pytest.raises(UsageError, match="the list is no pickle"):
        read_draft(file, unpickle=True)


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (pickle.dumps([1, 2]), "the pickle holds a list, not AccelForge's mappings"),
        (pickle.dumps(pd.DataFrame(ROWS)), "must have a column 'Total<SEP>mapping'"),
        (pickle.dumps(pd.DataFrame(ROWS))[:-20], "the pickle can't be loaded: "),
        (b"\x80\x04cno.such.module\nThing\n.", "the pickle can't be loaded: ModuleNotFoundError"),
    ],
    ids=["list", "frame", "cut", "module"],
)
def test_a_pickle_of_something_else_is_refused(content, what, tmp_path) -> None:
    file = tmp_path / "m.pkl"
    file.write_bytes(content)
    with pytest.raises(OutcomeError, match=what) as refused:
        read_draft(file, unpickle=True)
    assert str(file) in refused.value.where
    assert refused.value.do


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"{", "the list isn't JSON"),
        (b"[" * 100_000, "the list isn't JSON"),
        (b"\xff\xfe", "the list is neither JSON nor CSV"),
        (b'{"schema": "repro.check/1"}', "not an outcome of schema repro.outcome/1"),
        (b'{"schema": "repro.ranked/1"}', "missing key 'by'"),
        (b"[]", "not an outcome of schema"),
        (b"a,b\n1,2\n", "needs a column `survivor`"),
    ],
    ids=["cut", "nested", "binary", "other", "damaged", "array", "csv"],
)
def test_a_file_that_is_no_list_is_refused_by_name(content, what, tmp_path) -> None:
    file = tmp_path / "list"
    file.write_bytes(content)
    with pytest.raises(OutcomeError, match=what) as refused:
        read_draft(file, unpickle=False)
    assert str(file) in refused.value.where
    assert refused.value.do


def test_an_outcome_that_was_edited_is_refused(outcome, tmp_path) -> None:
    data = outcome.to_dict()
    data["rows"][0]["objectives"] = [0.5]
    file = tmp_path / "o.json"
    file.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(OutcomeError, match="this outcome was changed"):
        read_draft(file, unpickle=False)


def test_a_missing_file_is_named(tmp_path) -> None:
    with pytest.raises(OutcomeError, match="the list can't be read: No such file") as refused:
        read_draft(tmp_path / "none.csv", unpickle=False)
    assert str(tmp_path / "none.csv") in refused.value.where
