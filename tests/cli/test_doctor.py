from __future__ import annotations

import json
import os
import sys
from importlib import import_module, metadata
from typing import TYPE_CHECKING

import joblib
import pytest

from repro.cli.doctor import to_dict
from repro.cli.machine import PACKAGES, TESTED, gpus
from repro.cli.main import main
from repro.model.probe import CLOCK_SETTINGS

if TYPE_CHECKING:
    from pathlib import Path

PROBE = """
name: timed
metrics: [LATENCY]
architecture: arch.yaml
workload: workload.yaml
"""


@pytest.fixture
def probe(tmp_path):
    """A folder with a probe, to whose `probe.yaml` a test may add lines."""

    def write(more: str = "") -> Path:
        (tmp_path / "probe.yaml").write_text(PROBE + more, encoding="utf-8")
        for name in ("arch.yaml", "workload.yaml"):
            (tmp_path / name).write_text("{}", encoding="utf-8")
        return tmp_path

    return write


@pytest.fixture
def tools(tmp_path, monkeypatch):
    """A folder that is the whole PATH, in which a test puts the programs to be found."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))

    def put(name: str, script: str) -> Path:
        program = folder / name
        program.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
        return program

    return put


def answer(capsys, *args: str) -> tuple[int, dict]:
    code = main(["doctor", "--json", *args])
    return code, json.loads(capsys.readouterr().out)


def test_a_machine_that_can_audit_ends_with_0(capsys) -> None:
    code, found = answer(capsys)
    assert code == found["exitCode"] == 0
    assert found["control"] == [
        {"package": "joblib", "works": True},
        {"package": "AccelForge", "works": True},
    ]


def test_versions_are_those_that_are_installed(capsys) -> None:
    _, found = answer(capsys)
    assert found["versions"]["python"] == ".".join(map(str, sys.version_info[:3]))
    for name in PACKAGES:
        assert found["versions"][name] == metadata.version(name)


def test_the_tested_versions_are_those_that_make_installs(root) -> None:
    pins = (root / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    for name, version in TESTED.items():
        assert f"{name}=={version}" in pins


def test_another_version_than_the_tested_one_is_pointed_out(capsys, monkeypatch) -> None:
    monkeypatch.setitem(TESTED, "joblib", "1.5.1")
    assert main(["doctor"]) == 0
    told = f"{joblib.__version__} (this release was tested with 1.5.1)\n"
    assert told in capsys.readouterr().out


def test_cores_are_counted_as_this_process_may_use_them(fresh) -> None:
    code = (
        "import os, sys\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "from repro.cli.main import main\n"
        "sys.exit(main(['doctor', '--json']))"
    )
    cores = json.loads(fresh("-c", code).stdout)["cores"]
    assert cores == {"usable": 1, "machine": os.cpu_count()}


def test_a_joblib_that_cannot_be_controlled_ends_with_5(capsys, monkeypatch) -> None:
    class Changed(joblib.Parallel):
        """As if a new joblib no longer told unordered calls from ordered ones."""

        def __init__(self, *args, **kwargs) -> None:
            super().__init__(*args, **kwargs)
            self.return_ordered = True

    monkeypatch.setattr(joblib, "Parallel", Changed)
    code, found = answer(capsys)
    assert code == found["exitCode"] == 5
    by_package = {entry["package"]: entry for entry in found["control"]}
    assert not by_package["joblib"]["works"]
    assert by_package["joblib"]["what"].startswith(f"the installed joblib {joblib.__version__}")
    assert by_package["joblib"]["do"]


def test_what_stands_in_the_way_of_control_is_printed(capsys, monkeypatch) -> None:
    # accelforge.util also has a function of the module's name, which hides it.
    wrapper = import_module("accelforge.util.parallel")
    monkeypatch.setattr(wrapper, "Parallel", object)
    assert main(["doctor"]) == 5
    shown = capsys.readouterr().out
    assert "AccelForge control  NO: the installed AccelForge" in shown
    assert "joblib control      works" in shown


def test_settings_that_rule_out_an_audit_are_listed(capsys) -> None:
    _, found = answer(capsys)
    assert set(found["clockSettings"]) == set(CLOCK_SETTINGS)
    assert "time_limit" in found["clockSettings"]
    assert main(["doctor"]) == 0
    assert "time_limit_per_pmapping_template" in capsys.readouterr().out


def test_a_probe_with_a_time_limit_ends_with_2_and_names_the_setting(probe, capsys) -> None:
    folder = str(probe("mapper: {time_limit: 60}\n"))
    code, found = answer(capsys, folder)
    assert code == 2
    (only,) = found["probes"]
    assert (only["probe"], only["auditable"]) == (folder, False)
    assert "time_limit" in only["what"] + only["where"]


def test_a_probe_without_one_can_be_audited(probe, capsys) -> None:
    folder = str(probe())
    code, found = answer(capsys, folder)
    assert (code, found["probes"]) == (0, [{"probe": folder, "auditable": True}])


def test_a_probe_that_is_not_there_ends_with_2(capsys) -> None:
    code, found = answer(capsys, "no-such-probe")
    assert code == 2
    assert "no-such-probe" in found["probes"][0]["what"]


def test_the_detailed_entry_needs_dot(probe, tools, capsys) -> None:
    folder = str(probe("entry: detailed\n"))
    code, found = answer(capsys, folder)
    assert (code, found["dot"]) == (2, None)
    assert "graphviz" in found["probes"][0]["what"]
    dot = tools("dot", "exit 0")
    code, found = answer(capsys, folder)
    assert (code, found["dot"]) == (0, str(dot))


def test_gpus_are_those_that_the_driver_names(tools) -> None:
    assert gpus() == ()
    tools("nvidia-smi", "echo 'NVIDIA H200'; echo 'NVIDIA H200'")
    assert gpus() == ("NVIDIA H200", "NVIDIA H200")


def test_a_driver_that_fails_shows_no_gpu(tools) -> None:
    tools("nvidia-smi", "echo 'no devices were found'; exit 6")
    assert gpus() == ()


def test_the_hash_seed_is_the_one_of_this_process(fresh) -> None:
    done = fresh("-m", "repro", "doctor", "--json", env={"PYTHONHASHSEED": "7"})
    assert json.loads(done.stdout)["hashSeed"] == "7"


def test_little_space_is_pointed_out(capsys, monkeypatch) -> None:
    from repro.cli import doctor, machine

    monkeypatch.setattr(doctor, "_LITTLE_SPACE", 1 << 62)
    assert main(["doctor"]) == 0
    assert f"{machine.look().temp_folder}, " in (shown := capsys.readouterr().out)
    assert "runs may end inconclusive" in shown


def test_json_and_text_tell_the_same_machine() -> None:
    from repro.cli.doctor import diagnose, lines

    found = diagnose([])
    text = "\n".join(lines(found))
    told = to_dict(found)
    assert told["system"] in text
    assert told["temp"]["folder"] in text
    assert all(f"{version}" in text for version in told["versions"].values() if version)
