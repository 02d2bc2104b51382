from __future__ import annotations

import io
import json
import os
import pty
import shutil
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from repro.cli.main import main
from repro.cli.report import read_result
from repro.errors import ResultError
from repro.report.formats import FORMATS

RESULTS = Path(__file__).parent.parent / "data" / "results"
NONDETERMINISTIC = RESULTS / "nondeterministic.json"


def told(capsys) -> str:
    return capsys.readouterr().err


def test_an_earlier_result_is_shown_again(capsys) -> None:
    assert main(["report", str(NONDETERMINISTIC), "--width", "100"]) == 0
    shown = capsys.readouterr().out
    assert "NOT REPRODUCIBLE as shipped" in shown
    assert shown.isascii()
    assert shown.endswith("(row order required; exit code 1)\n")


@pytest.mark.parametrize("path", sorted(RESULTS.glob("*.json")), ids=lambda path: path.stem)
def test_the_exit_code_says_that_the_report_was_made_not_what_it_says(path, capsys) -> None:
    assert main(["report", str(path)]) == 0
    assert told(capsys) == ""


def test_a_picture_goes_to_a_file_whole(tmp_path, capsys) -> None:
    target = tmp_path / "report.svg"
    assert main(["report", str(NONDETERMINISTIC), "--format", "svg", "-o", str(target)]) == 0
    assert capsys.readouterr().out == ""
    ET.fromstring(target.read_text("utf-8"))  # noqa: S314 - our own output
    assert [path.name for path in tmp_path.iterdir()] == ["report.svg"]


def test_a_report_in_a_file_has_no_colours_and_a_fixed_width(tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "50")
    target = tmp_path / "report.txt"
    assert main(["report", str(NONDETERMINISTIC), "-o", str(target)]) == 0
    text = target.read_text("utf-8")
    assert "\x1b" not in text
    assert max(len(line) for line in text.splitlines() if "--replay" not in line) > 80


def test_a_result_can_be_piped_in_and_a_report_piped_out(monkeypatch, capsys) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(NONDETERMINISTIC.read_text("utf-8")))
    assert main(["report", "-", "--format", "svg", "-o", "-"]) == 0
    assert capsys.readouterr().out.startswith("<svg")


def test_a_terminal_gets_colours_in_its_own_width(root) -> None:
    shown = on_a_terminal(root, ["report", str(NONDETERMINISTIC)], columns=72)
    assert "\x1b[" in shown
    band = next(line for line in shown.splitlines() if "NOT REPRODUCIBLE" in line)
    assert len(band.split("m", 1)[-1]) <= 80


def on_a_terminal(root, args, *, columns) -> str:
    """Run the tool with a pseudo-terminal as its stdout and return what it wrote."""
    parent, child = pty.openpty()
    env = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm-256color"}
    env.pop("NO_COLOR", None)
    command = [shutil.which("python3", path=str(Path(os.sys.executable).parent)), "-m", "repro"]
    pid = os.posix_spawn(
        command[0],
        [*command, *args],
        {**env, "PYTHONPATH": str(root)},
        file_actions=[(os.POSIX_SPAWN_DUP2, child, 1), (os.POSIX_SPAWN_CLOSE, parent)],
    )
    os.close(child)
    written = b""
    try:
        while part := os.read(parent, 65536):
            written += part
    except OSError:  # the other end was closed
        pass
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(parent)
    return written.decode()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "isn't JSON"),
        ("[]", "isn't the result of a check"),
        ('{"schema": "repro.outcome/1"}', "version 'repro.outcome/1'"),
        ("\xff", "isn't JSON"),
        ("[" * 100_000, "isn't JSON"),
    ],
    ids=["cut", "list", "outcome", "bytes", "deep"],
)
def test_what_is_no_result_is_refused_with_the_file_and_what_to_do(
    text, words, tmp_path, capsys
) -> None:
    path = tmp_path / "r.json"
    path.write_text(text, "latin-1")
    assert main(["report", str(path)]) == 2
    message = told(capsys)
    assert words in message
    assert str(path) in message
    assert "  do: " in message


def test_a_missing_file_is_told_by_its_name(tmp_path, capsys) -> None:
    assert main(["report", str(tmp_path / "none.json")]) == 2
    assert "No such file" in told(capsys)


def test_a_wrong_key_is_told_with_file_and_path(tmp_path) -> None:
    data = json.loads(NONDETERMINISTIC.read_text("utf-8"))
    data["sites"][0]["lines"] = 3
    path = tmp_path / "r.json"
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(ResultError) as refused:
        read_result(path)
    assert refused.value.where == f"{path}, result.sites[0].lines"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (["--format", "pdf"], "there is no format 'pdf'"),
        (["--width", "10"], "10 columns are too few"),
        (["-o", "/nowhere/at/all.svg"], "/nowhere/at"),
    ],
)
def test_options_that_cannot_be_met_are_refused(args, words, capsys) -> None:
    assert main(["report", str(NONDETERMINISTIC), *args]) == 2
    assert words in told(capsys)


def test_the_help_names_every_format(capsys, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    assert main(["report", "--help"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in FORMATS)
