"""The command as a user meets it: real processes, small Python searches."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pytest

pytestmark = pytest.mark.search

ROOT = Path(__file__).parent.parent.parent
SEARCHES = ROOT / "tests" / "engine"
QUICK = ("--runs", "1", "--orders", "8")


def environment(**more):
    return {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{SEARCHES}", **more}


def repro(*args, cwd=SEARCHES, timeout=120, **more):
    return subprocess.run(
        [sys.executable, "-m", "repro", *args],
        cwd=cwd,
        env=environment(**more),
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def one_message(done):
    lines = done.stderr.strip().splitlines()
    errors = [line for line in lines if line.startswith("error: ")]
    assert "Traceback" not in done.stderr
    assert len(errors) == 1, done.stderr
    return " ".join(lines)


def test_a_first_wins_search_is_found_out(tmp_path):
    out = tmp_path / "r.json"
    done = repro("check", "joblib_searches:first", *QUICK, "--json", str(out), "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (1, "", "")
    result = json.loads(out.read_text())
    schema = json.loads((ROOT / "docs" / "schema" / "check.schema.json").read_text())
    jsonschema.validate(result, schema)
    assert result["verdict"] == "nondeterministic"
    assert result["deliveries"]["serial"]["holds"]["bytes"] is True
    assert result["deliveries"]["ordered"]["holds"]["bytes"] is True
    assert result["deliveries"]["injected"]["holds"]["survivors"] is False
    assert result["deliveries"]["injected"]["ordersTried"] == 8
    (site,) = result["sites"]
    assert site["orderSensitive"] is True
    source = (SEARCHES / "joblib_searches.py").read_text().splitlines()
    assert "generator_unordered" in source[site["line"] - 1]
    (witness,) = result["witnesses"]
    assert witness["movedCount"] == 2
    assert "row #0" in witness["moved"]


def test_a_witness_replays_from_its_token_and_only_where_it_belongs(tmp_path):
    out = tmp_path / "r.json"
    repro("check", "joblib_searches:first", *QUICK, "--json", str(out), "--quiet")
    token = json.loads(out.read_text())["witnesses"][0]["token"]
    again = repro("check", "joblib_searches:first", "--replay", token, "--json", str(out))
    assert again.returncode == 1
    assert json.loads(out.read_text())["witnesses"][0]["token"] == token
    other = repro("check", "joblib_searches:two_sites", "--replay", token)
    assert other.returncode == 2
    assert "another probe" in one_message(other)
    damaged = repro("check", "joblib_searches:first", "--replay", token[:-3])
    assert damaged.returncode == 2
    assert "damaged" in one_message(damaged)


def test_a_rekeyed_search_is_reproducible(tmp_path):
    out = tmp_path / "r.json"
    done = repro("check", "joblib_searches:rekeyed", *QUICK, "--json", str(out))
    assert done.returncode == 0, done.stdout + done.stderr
    assert "REPRODUCIBLE" in done.stdout
    result = json.loads(out.read_text())
    assert result["bound"]["differing"] == 0
    assert 0 < result["bound"]["upperRate"] <= 0.32
    assert [site["orderSensitive"] for site in result["sites"]] == [False]


def test_only_the_second_of_two_sites_is_blamed(tmp_path):
    out = tmp_path / "r.json"
    repro("check", "joblib_searches:two_sites", *QUICK, "--json", str(out), "--quiet")
    result = json.loads(out.read_text())
    assert [site["orderSensitive"] for site in result["sites"]] == [False, True]
    assert [cause["kind"] for cause in result["causes"]] == ["order"]


def test_the_fallback_without_forks_finds_the_same(tmp_path):
    out = tmp_path / "r.json"
    done = repro("check", "joblib_searches:beside_a_thread", *QUICK, "--json", str(out), "--quiet")
    result = json.loads(out.read_text())
    assert done.returncode == 1
    assert "fallbackFresh" in [reason["code"] for reason in result["reasons"]]
    assert result["witnesses"][0]["movedCount"] == 2


def test_restricted_to_sound_deliveries_the_same_search_passes():
    done = repro("check", "joblib_searches:first", "--delivery", "serial", "--delivery", "ordered")
    assert done.returncode == 0, done.stdout


def test_a_search_without_joblib_is_inconclusive_not_sound():
    done = repro("check", "joblib_searches:without_joblib", *QUICK)
    assert done.returncode == 5
    assert "INCONCLUSIVE" in done.stdout
    assert "joblib" in done.stdout


def test_an_order_that_makes_the_search_raise_is_nondeterminism():
    done = repro("check", "joblib_searches:raises_if_reordered", *QUICK)
    assert done.returncode == 1
    assert "LookupError" in done.stdout


@pytest.mark.parametrize(
    ("search", "code", "words"),
    [
        ("raises", 5, "job 0 can't be done"),
        ("killed", 5, "SIGKILL"),
        ("silent", 5, "left no outcome"),
        ("disk_full", 5, "no space"),
        ("empty", 2, "loosen the constraints"),
        ("nowhere", 2, "nowhere"),
    ],
)
def test_a_search_that_cannot_run_gives_one_message(search, code, words):
    done = repro("check", f"joblib_searches:{search}", *QUICK)
    assert done.returncode == code, done.stderr
    assert words in one_message(done)


def test_a_hanging_search_is_ended_at_its_limit():
    done = repro("check", "joblib_searches:hangs", *QUICK, "--limit", "2")
    assert done.returncode == 5
    assert "limit of 2 s" in one_message(done)


def test_an_order_that_hangs_makes_a_sound_search_inconclusive():
    done = repro("check", "joblib_searches:sound_or_hangs", *QUICK, "--limit", "2")
    assert done.returncode == 5
    assert "INCONCLUSIVE" in done.stdout


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--orders", "0"), "--orders must be at least 1"),
        (("--require", "everything"), "no rung 'everything'"),
        (("--delivery", "chaos"), "no delivery 'chaos'"),
        (("--set", "M=1"), "parameters can't be set"),
        (("--json", "/nowhere/r.json"), "folder doesn't exist"),
        (("--budget", "-1"), "--budget"),
    ],
)
def test_wrong_usage_is_told_before_anything_runs(args, words):
    done = repro("check", "joblib_searches:first", *args)
    assert done.returncode == 2
    assert words in one_message(done)


def test_a_report_is_shown_even_if_its_file_cannot_be_written():
    if not Path("/dev/full").exists():
        pytest.skip("needs a device that is always full")
    done = repro("check", "joblib_searches:first", *QUICK, "--json", "/dev/full")
    assert "NOT REPRODUCIBLE" in done.stdout
    assert done.returncode == 5
    assert "no space is left" in one_message(done)


def children_of(folder):
    """Processes that run in a folder or were told of it."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if str(folder).encode() in (entry / "environ").read_bytes():
                found.append(int(entry.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("after", [0.3, 1.2, 2.5, 4.0])
@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_stopped_at_any_time_it_leaves_nothing(tmp_path, after, stop):
    process = subprocess.Popen(
        [sys.executable, "-m", "repro", "check", "joblib_searches:slow", "--orders", "500"],
        cwd=SEARCHES,
        env=environment(TMPDIR=str(tmp_path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    time.sleep(after)
    process.send_signal(stop)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 128 + stop
    assert "Traceback" not in said
    deadline = time.monotonic() + 5
    while children_of(tmp_path) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert children_of(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_run_writes_an_outcome_that_diff_reads(tmp_path):
    one, two = tmp_path / "1.json", tmp_path / "2.json"
    for path, delivery in ((one, "serial"), (two, "ordered")):
        done = repro("run", "joblib_searches:rekeyed", "--json", str(path), "--delivery", delivery)
        assert done.returncode == 0, done.stderr
        assert "6 rows" in done.stdout
    assert repro("diff", str(one), str(two)).returncode == 0
    table = tmp_path / "3.csv"
    assert repro("run", "joblib_searches:rekeyed", "--csv", str(table)).returncode == 0
    assert len(list(csv.DictReader(table.read_text().splitlines(keepends=True)))) == 6
    nowhere = repro("run", "joblib_searches:rekeyed")
    assert nowhere.returncode == 2
    assert "nowhere to write" in one_message(nowhere)


def test_one_outcome_alone_proves_nothing():
    done = repro("check", "joblib_searches:rekeyed", "--delivery", "serial", "--runs", "1")
    assert done.returncode == 5
    assert "nothing to compare" in done.stdout


def test_native_runs_alone_prove_nothing():
    done = repro("check", "joblib_searches:rekeyed", "--delivery", "native")
    assert done.returncode == 5
    assert "no order was tried" in " ".join(done.stdout.split())


def test_a_closed_stdout_is_no_nondeterminism():
    command = f'"{sys.executable}" -m repro check joblib_searches:rekeyed --delivery serial >&-'
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=SEARCHES,
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode in (0, 141), done.stderr


def test_jobs_that_share_memory_are_not_called_sound():
    done = repro("check", "joblib_searches:shared_memory", *QUICK)
    assert done.returncode == 1, done.stdout
    assert "jobs" in done.stdout
