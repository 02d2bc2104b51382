"""The main job on the real mapper, as issue and guide promise it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

pytestmark = pytest.mark.search

ROOT = Path(__file__).parent.parent.parent


def repro(*args, timeout=580, **more):
    return subprocess.run(
        [sys.executable, "-m", "repro", *args],
        env={**os.environ, "PYTHONPATH": str(ROOT), **more},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


@pytest.fixture(scope="module")
def matmul_chain(tmp_path_factory):
    out = tmp_path_factory.mktemp("matmul") / "r.json"
    done = repro("check", "matmul-chain", "--orders", "8", "--json", str(out))
    return done, json.loads(out.read_text())


def test_matmul_chain_is_not_reproducible_as_shipped(matmul_chain):
    done, result = matmul_chain
    assert done.returncode == 1
    jsonschema.validate(
        result, json.loads((ROOT / "docs" / "schema" / "check.schema.json").read_text())
    )
    deliveries = result["deliveries"]
    assert deliveries["serial"]["holds"]["bytes"] is True
    assert deliveries["ordered"]["holds"]["bytes"] is True
    assert deliveries["injected"]["holds"]["objectives"] is True
    assert deliveries["injected"]["latencyGroups"] is True
    assert deliveries["injected"]["holds"]["survivors"] is False
    assert deliveries["injected"]["ordersTried"] == 8
    assert result["reference"]["rows"] == 20


def test_matmul_chain_blames_the_one_site_and_clears_every_other(matmul_chain):
    _, result = matmul_chain
    (sensitive,) = [site for site in result["sites"] if site["orderSensitive"]]
    assert sensitive["file"] == "accelforge/mapper/FFM/_make_pmappings/make_pmappings.py"
    assert sensitive["jobs"] == 54
    others = [site for site in result["sites"] if site is not sensitive]
    assert len(others) == 7
    for site in others:
        assert site["unordered"]
        assert site["orderSensitive"] is False
        assert site["ordersTried"] >= 1
    (cause,) = result["causes"]
    assert cause["kind"] == "order"
    assert cause["witness"] == 0


def test_matmul_chain_is_explained_by_one_swapped_pair(matmul_chain):
    _, result = matmul_chain
    (witness,) = result["witnesses"]
    assert witness["movedCount"] == 2
    assert all("template" in job for job in witness["moved"])
    assert witness["lost"] == witness["gained"] > 0


def test_matmul_chain_tells_worker_counts_and_pure_jobs_apart(matmul_chain):
    _, result = matmul_chain
    workers = result["axes"]["workers"]["holds"]
    assert workers["64"]["rowOrder"] is False
    assert workers["64"]["survivors"] is True
    assert all(workers["2"].values())
    assert result["axes"]["executionOrder"]["holds"] is True
    assert result["axes"]["environment"]["holds"]["bytes"] is True


def test_a_matmul_chain_witness_shows_itself_in_a_fresh_process(matmul_chain):
    _, result = matmul_chain
    token = result["witnesses"][0]["token"]
    assert repro("check", "matmul-chain", "--replay", token, "--quiet").returncode == 1
    refused = repro("check", "matmul-chain", "--set", "M=32", "--replay", token)
    assert refused.returncode == 2
    assert "another probe" in refused.stderr


def test_serial_and_ordered_delivery_pass_on_matmul_chain():
    done = repro(
        "check", "matmul-chain", "--delivery", "serial", "--delivery", "ordered", "--runs", "2"
    )
    assert done.returncode == 0, done.stdout


def infeasible(folder):
    source = ROOT / "probes" / "matmul-chain"
    for name in ("probe.yaml", "arch.yaml", "workload.yaml"):
        text = (source / name).read_text()
        if name == "arch.yaml":
            # A buffer that must hold every tensor and has no room for one value.
            text = text.replace("size: {{ GlobalBufferSize }}", "size: 1")
            text = text.replace("size: {{GlobalBufferSize}}", "size: 1")
        (folder / name).write_text(text)
    return folder


def test_an_infeasible_mapspace_is_the_inputs_fault(tmp_path):
    done = repro("check", str(infeasible(tmp_path)), "--orders", "8")
    assert done.returncode == 2, done.stderr + done.stdout
    assert "Traceback" not in done.stderr
    assert "no mapping" in done.stderr


def test_the_detailed_entry_says_that_graphviz_is_missing(tmp_path):
    source = ROOT / "probes" / "matmul-chain"
    for name in ("probe.yaml", "arch.yaml", "workload.yaml"):
        text = (source / name).read_text()
        (tmp_path / name).write_text(text.replace("entry: join", "entry: detailed"))
    assert "entry: detailed" in (tmp_path / "probe.yaml").read_text()
    nothing = tmp_path / "bin"
    nothing.mkdir()
    done = repro("check", str(tmp_path), "--orders", "8", PATH=str(nothing))
    assert done.returncode == 2, done.stderr
    assert "graphviz" in done.stderr


def test_a_limit_set_by_a_spec_file_is_found_when_it_is_evaluated(tmp_path):
    source = ROOT / "probes" / "matmul-chain"
    for name in ("probe.yaml", "arch.yaml", "workload.yaml"):
        (tmp_path / name).write_text((source / name).read_text())
    with (tmp_path / "arch.yaml").open("a") as file:
        file.write("\nmapper:\n  time_limit: 5\n")
    done = repro("check", str(tmp_path), "--orders", "8")
    assert done.returncode == 2, done.stderr
    assert "time_limit" in done.stderr
