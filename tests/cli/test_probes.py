from __future__ import annotations

import json
from typing import TYPE_CHECKING

import jsonschema
import pytest
from referencing import Registry, Resource

from repro.cli.main import main
from repro.searches import catalog

if TYPE_CHECKING:
    from pathlib import Path

NAMES = catalog.shipped()


@pytest.fixture(autouse=True)
def wide(monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")


@pytest.fixture
def own(tmp_path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "arch.yaml").write_text("arch: {}\n")
    (folder / "workload.yaml").write_text("workload: {}\n")
    (folder / "probe.yaml").write_text("name: own\ntitle: '[bold] µ'\nmetrics: [LATENCY]\n")
    return folder


def test_the_shipped_probes_are_listed_one_a_line(capsys) -> None:
    assert main(["probes"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    for name in NAMES:
        loaded = catalog.load(name)
        (line,) = (line for line in shown.out.splitlines() if line.split()[:1] == [name])
        assert loaded.probe.title in line
        assert line.split()[-3:] == ["join", "2", loaded.digest[:12]]


def test_only_the_named_probes_are_listed(own, capsys) -> None:
    assert main(["probes", str(own), "sdpa-a"]) == 0
    names = {line.split()[0] for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert names & {"own", *NAMES} == {"own", "sdpa-a"}


def test_a_title_is_shown_as_it_is_written(own, capsys) -> None:
    assert main(["probes", str(own)]) == 0
    assert "[bold] µ" in capsys.readouterr().out


def test_each_fault_is_told_once_with_its_place_and_remedy(own, capsys) -> None:
    (own / "probe.yaml").write_text("name: own\nmetrcs: [LATENCY]\nmetrics: [SPEED]\n")
    assert main(["probes", str(own), "sdpa-a"]) == 2
    shown = capsys.readouterr()
    assert "sdpa-a" in shown.out
    assert "own" not in shown.out.split()
    place = own / "probe.yaml"
    assert shown.err == (
        "error: unknown key 'metrcs'\n"
        f"  where: {place}:2, key metrcs\n"
        "  do: the keys allowed here are: name, title, search, entry, workers, architecture, "
        "workload, includes, parameters, metrics, mapper, sources; did you mean 'metrics'?\n"
        "error: 'SPEED' is not known here\n"
        f"  where: {place}:3, key metrics\n"
        "  do: allowed are: LATENCY, ENERGY, DYNAMIC_ENERGY, LEAK_ENERGY, RESOURCE_USAGE, "
        "ENERGY_DELAY_PRODUCT\n"
    )


@pytest.mark.parametrize(
    "setting", ["time_limit: 60", "memory_limit: 1024", "time_limit_per_pmapping_template: 1"]
)
def test_a_limit_that_makes_certification_impossible_is_told(setting, own, capsys) -> None:
    with (own / "probe.yaml").open("a") as file:
        file.write(f"mapper: {{{setting}}}\n")
    assert main(["probes", str(own)]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"error: {setting.replace(': ', ' is ')}: what the search returns")


def test_an_unknown_probe_ends_with_2(capsys) -> None:
    assert main(["probes", "nope"]) == 2
    assert capsys.readouterr().err.startswith("error: there is no probe 'nope'\n")


def test_an_installation_without_probes_is_told(capsys, monkeypatch, tmp_path) -> None:
    monkeypatch.setattr(catalog, "_PACKAGE", tmp_path / "repro")
    assert main(["probes"]) == 2
    assert capsys.readouterr().err == (
        "error: the shipped probes are missing from this installation\n"
        "  do: install the distribution again, or name a folder of your own\n"
    )


def test_the_json_follows_its_schema_and_carries_whole_digests(own, root, capsys) -> None:
    (own / "arch.yaml").unlink()
    assert main(["probes", "sdpa-b", str(own), "--json"]) == 2
    shown = capsys.readouterr()
    result = json.loads(shown.out)
    schemas = [
        json.loads((root / "docs" / "schema" / name).read_text())
        for name in ("probes.schema.json", "probe.schema.json")
    ]
    registry = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas
    )
    jsonschema.Draft202012Validator(schemas[0], registry=registry).validate(result)
    valid, faulty = result["probes"]
    assert valid["digest"] == catalog.load("sdpa-b").digest
    assert valid["probe"]["parameters"]["HEADS"] == 16
    assert (faulty["spec"], faulty["valid"]) == (str(own), False)
    assert faulty["faults"] == [
        {
            "what": "the file 'arch.yaml' is missing",
            "where": f"{own / 'probe.yaml'}, key architecture",
            "do": f"put it at {own / 'arch.yaml'}, or name another file",
        }
    ]
    assert shown.err.count("error: ") == 1


def test_the_command_works_in_a_process_of_its_own(fresh) -> None:
    ran = fresh("-m", "repro", "probes", "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    assert [found["spec"] for found in json.loads(ran.stdout)["probes"]] == list(NAMES)
