from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.search


@pytest.fixture(scope="module")
def runs(fresh, root, tmp_path_factory):
    """The four runs of the benchmark, by source and completion order."""
    file = tmp_path_factory.mktemp("upstream") / "runs.json"
    script = str(root / "benchmarks" / "upstream_change.py")
    done = fresh(script, "--json", str(file), timeout=300)
    assert done.returncode == 0, done.stderr
    found = json.loads(file.read_text(encoding="utf-8"))["runs"]
    return {(run["source"], run["completion"] == "reversed"): run for run in found}


def test_as_shipped_a_reversed_completion_order_changes_the_survivors(runs) -> None:
    run = runs["as shipped", True]
    assert run["holds"]["objectives"]
    assert not run["holds"]["survivors"]
    assert run["sharedLoopTrees"] < run["serialLoopTrees"]


@pytest.mark.parametrize("backwards", [False, True])
def test_with_the_change_a_parallel_run_equals_serial_down_to_bytes(runs, backwards) -> None:
    run = runs["changed", backwards]
    assert all(run["holds"].values())
    assert run["sharedLoopTrees"] == run["serialLoopTrees"] == run["rows"]
