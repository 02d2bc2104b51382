from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import jsonschema
import numpy as np
import pandas as pd
import pytest

from repro.canon.frame import outcome_from_frame, outcome_from_rows
from repro.cli.main import main

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from repro.model.outcome import Outcome

BASE = [{"name": "a", "t": 1.0}, {"name": "b", "t": 2.0}, {"name": "c", "t": 2.0}]
SWAPPED = [*BASE[:2], {"name": "x", "t": 2.0}]
REVERSED = BASE[::-1]
BIG = 100_000


def outcome(rows: list[dict]) -> Outcome:
    return outcome_from_rows(rows, identity=["name"], latency="t")


@pytest.fixture
def saved(tmp_path) -> Callable[[str, list[dict]], str]:
    """Write an outcome to a file and return its name."""

    def save(name: str, rows: list[dict]) -> str:
        path = tmp_path / f"{name}.json"
        path.write_text(json.dumps(outcome(rows).to_dict()), encoding="utf-8")
        return str(path)

    return save


def test_equal_outcomes_end_with_0(saved, capsys) -> None:
    assert main(["diff", saved("a", BASE), saved("b", BASE)]) == 0
    assert "EQUAL, down to bytes" in capsys.readouterr().out


def test_different_outcomes_end_with_1_and_show_the_pair(saved, capsys) -> None:
    assert main(["diff", saved("a", BASE), saved("b", SWAPPED)]) == 1
    shown = capsys.readouterr().out
    assert "DIFFERENT: row order required" in shown
    assert 'name = "c"' in shown
    assert 'name = "x"' in shown


@pytest.mark.parametrize(
    ("rung", "code"),
    [("objectives", 0), ("survivors", 0), ("strategies", 0), ("rowOrder", 1), ("bytes", 1)],
)
def test_only_the_required_rung_decides(saved, rung, code) -> None:
    files = saved("a", BASE), saved("b", REVERSED)
    assert main(["diff", *files, "--require", rung]) == code


def test_the_comparison_can_be_written_as_json_that_fits_its_schema(saved, tmp_path, root) -> None:
    written = tmp_path / "diff.json"
    code = main(["diff", saved("a", BASE), saved("b", SWAPPED), "--json", str(written)])
    found = json.loads(written.read_text(encoding="utf-8"))
    assert code == 1
    assert found["tieSwapped"] == [[2, 2]]
    assert found["holds"] is False
    schema = json.loads((root / "docs/schema/diff.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(found, schema)


def test_json_on_stdout_is_all_there_is(saved, capsys) -> None:
    main(["diff", saved("a", BASE), saved("b", REVERSED), "--json", "-"])
    assert json.loads(capsys.readouterr().out)["reordered"] is True


def test_an_outcome_can_come_from_stdin(saved, capsys, monkeypatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(outcome(BASE).to_dict())))
    assert main(["diff", "-", saved("b", BASE)]) == 0
    assert capsys.readouterr().out.startswith("A  -")


def test_the_list_of_pairs_is_as_long_as_asked_for(saved, capsys) -> None:
    others = [{"name": f"x{place}", "t": row["t"]} for place, row in enumerate(BASE)]
    files = saved("a", BASE), saved("b", others)
    main(["diff", *files, "--limit", "1"])
    assert "2 more not shown: --limit 3 shows all" in capsys.readouterr().out
    main(["diff", *files, "--limit", "3"])
    assert "not shown" not in capsys.readouterr().out


def refused(capsys, *args: str) -> str:
    assert main(["diff", *args]) == 2
    found = capsys.readouterr()
    assert found.out == ""
    return found.err


def test_a_missing_file_is_named(saved, capsys, tmp_path) -> None:
    missing = str(tmp_path / "none.json")
    told = refused(capsys, saved("a", BASE), missing)
    assert "the outcome can't be read: No such file" in told
    assert missing in told


@pytest.mark.parametrize(
    ("content", "what"),
    [
        ("{", "the outcome isn't JSON"),
        ("\xff\xfe", "the outcome isn't JSON"),
        ("[" * 100_000, "the outcome isn't JSON"),
        ('{"schema": "repro.check/1"}', "not an outcome of schema repro.outcome/1"),
        ('{"schema": "repro.outcome/1"}', "this outcome is damaged"),
    ],
    ids=["cut", "binary", "nested", "other", "empty"],
)
def test_a_file_that_is_no_outcome_is_refused_by_name(
    saved, capsys, tmp_path, content, what
) -> None:
    file = tmp_path / "other.json"
    file.write_bytes(content.encode("latin-1"))
    told = refused(capsys, saved("a", BASE), str(file))
    assert what in told
    assert str(file) in told
    assert "do:" in told


def test_an_outcome_that_was_edited_is_refused(saved, capsys, tmp_path) -> None:
    data = outcome(BASE).to_dict()
    data["rows"][0]["objectives"] = [0.5]
    edited = tmp_path / "edited.json"
    edited.write_text(json.dumps(data), encoding="utf-8")
    told = refused(capsys, saved("a", BASE), str(edited))
    assert "its rows don't have the digest it gives for objectives" in told
    assert str(edited) in told


def test_a_rung_that_is_not_there_is_refused_with_the_choice(saved, capsys) -> None:
    file = saved("a", BASE)
    told = refused(capsys, file, file, "--require", "sameness")
    assert "no rung 'sameness'" in told
    assert "objectives, strategies, survivors, rowOrder, bytes" in told


def test_stdin_cannot_be_both(capsys) -> None:
    assert "only one of two outcomes" in refused(capsys, "-", "-")


def test_an_output_that_cannot_be_written_is_refused_before_reading(capsys) -> None:
    told = refused(capsys, "none.json", "none.json", "--json", "/nowhere/at/all.json")
    assert "the output's folder doesn't exist" in told


def test_files_of_a_hundred_thousand_rows_fit_into_500_mb(tmp_path, fresh) -> None:
    def save(seed: int) -> Path:
        varied = np.random.default_rng(seed)
        names = np.arange(BIG)
        names[varied.choice(BIG, BIG // 20, replace=False)] += BIG * seed
        rows = pd.DataFrame({"t": np.arange(BIG) / 7, "name": names})
        rows = rows.iloc[varied.permutation(BIG)].reset_index(drop=True)
        path = tmp_path / f"{seed}.json"
        found = outcome_from_frame(rows, identity=["name"], objectives=["t"], latency="t")
        path.write_text(json.dumps(found.to_dict()), encoding="utf-8")
        return path

    code = (
        "import re, sys\n"
        "from repro.cli.main import main\n"
        "code = main(['diff', *sys.argv[1:]])\n"
        "print('peak', *re.findall(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read()))\n"
        "sys.exit(code)"
    )
    told = fresh("-c", code, str(save(1)), str(save(2)))
    assert told.returncode == 1
    assert "100,000 rows" in told.stdout
    *report, peak = told.stdout.splitlines()
    assert len(report) < 60
    assert int(peak.split()[1]) < 500 * 1024
