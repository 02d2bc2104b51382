from __future__ import annotations

import time

import pytest

from repro.cli.app import COMMANDS
from repro.cli.main import main

HEAVY = {"accelforge", "joblib", "numpy", "pandas", "rich", "torch", "triton"}
SECONDS = 0.3


def test_help_loads_no_heavy_package(fresh) -> None:
    code = (
        "import sys\n"
        "from repro.cli.main import main\n"
        "assert main(['--help']) == 0\n"
        "print(*{name.partition('.')[0] for name in sys.modules}, file=sys.stderr)"
    )
    done = fresh("-c", code)
    assert done.returncode == 0
    assert "Usage: repro" in done.stdout
    assert not set(done.stderr.split()) & HEAVY


def test_help_answers_in_under_0_3_seconds(fresh) -> None:
    def seconds() -> float:
        begin = time.perf_counter()
        assert fresh("-m", "repro", "--help").returncode == 0
        return time.perf_counter() - begin

    # The quickest of a few: the others say how busy the machine is, not how slow the tool is.
    assert min(seconds() for _ in range(5)) < SECONDS


def test_help_lists_every_command_with_what_it_is_for(capsys) -> None:
    assert main(["--help"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    for name, short_help in COMMANDS.items():
        assert f"{name} {short_help}" in text


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_help_of_its_own(name, capsys) -> None:
    assert main([name, "--help"]) == 0
    assert capsys.readouterr().out.startswith(f"Usage: repro {name} ")


def test_version_names_tool_and_number(capsys) -> None:
    from repro import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"repro {__version__}\n"


def test_no_command_shows_the_help_on_stderr_and_is_wrong_usage(capsys) -> None:
    assert main([]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("Usage: repro ")


@pytest.mark.parametrize(
    ("args", "what", "where"),
    [
        (["chekc"], "No such command 'chekc'. Did you mean 'check'?", "repro"),
        (["--jsn"], "No such option: --jsn", "repro"),
        (["doctor", "--jsn"], "No such option: --jsn (Possible options: --json)", "repro doctor"),
    ],
)
def test_wrong_usage_is_one_message_and_exit_2(args, what, where, capsys) -> None:
    assert main(args) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err == f"error: {what}\n  where: {where}\n  do: see `{where} --help`\n"


def test_a_shell_completes_commands_and_options(fresh) -> None:
    def completed(words: str, place: int) -> list[str]:
        env = {"_REPRO_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(place)}
        return fresh("-m", "repro", env=env).stdout.split()

    assert completed("repro do", 1) == ["doctor"]
    assert "--json" in completed("repro doctor --", 2)
