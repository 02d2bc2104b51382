"""The command as a user meets it: real processes, small Python searches."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

pytestmark = pytest.mark.search

ROOT = Path(__file__).parent.parent.parent
QUICK = ("--runs", "1", "--orders", "8")
SEARCHES = '''
import repro
from joblib import Parallel, delayed


def evaluate(index):
    """Two of each latency, but for the fastest."""
    return {"latency": float((index + 1) // 2 + 1), "size": 1.0, "tile": index}


def arrived(count=7, workers=2):
    tasks = (delayed(evaluate)(index) for index in range(count))
    return Parallel(n_jobs=workers, return_as="generator_unordered")(tasks)


@repro.declare(objectives=["latency", "size"], identity=["tile"], latency="latency")
def first_wins(workers=2):
    best = {}
    for row in arrived(workers=workers):
        best.setdefault(row["latency"], row)
    return list(best.values())


@repro.declare(objectives=["latency", "size"], identity=["tile"], latency="latency")
def least_wins(workers=2):
    best = {}
    for row in sorted(arrived(workers=workers), key=lambda row: row["tile"]):
        best.setdefault(row["latency"], row)
    return list(best.values())


@repro.declare(objectives=["latency", "size"], identity=["tile"], latency="latency")
def raises_if_reordered(workers=2):
    rows = list(arrived(workers=workers))
    if rows[0]["tile"] != 0:
        raise RuntimeError("this search minds")
    return rows[:1]
'''


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("searches")
    (made / "ranked_searches.py").write_text(SEARCHES, encoding="utf-8")
    return made


@pytest.fixture(scope="module")
def repro(folder):
    def run(*args):
        return subprocess.run(
            [sys.executable, "-m", "repro", *args],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(folder)])},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    return run


@pytest.fixture(scope="module")
def drawn(repro, folder):
    """Judge a search in which all ranks but the first are drawn, and keep what was written."""
    done = repro(
        "ranking",
        "ranked_searches:first_wins",
        *("--orders", "16", "--runs", "1", "--json", "r.json", "--all-ties", "ties.csv"),
    )
    return done, json.loads((folder / "r.json").read_text(encoding="utf-8"))


def test_ranks_that_ties_share_are_drawn_and_the_others_settled(drawn, root) -> None:
    done, result = drawn
    assert done.returncode == 1, done.stderr
    schema = json.loads((root / "docs/schema/ranking.schema.json").read_text(encoding="utf-8"))
    jsonschema.validate(result, schema)
    assert result["verdict"] == "drawn"
    assert [rank["standing"] for rank in result["ranks"]] == ["settled"] + ["drawn"] * 3
    assert [rank["competing"] for rank in result["ranks"]] == [1, 2, 2, 2]
    assert [rank["value"] for rank in result["ranks"]] == [1.0, 2.0, 3.0, 4.0]
    assert (result["asked"], result["rows"], result["by"]) == (10, 4, "latency")
    assert result["groups"]["holds"] is True
    assert result["bound"]["orders"] == result["outcomes"]["sampled"] == 16
    assert "DRAWN: of the first 4 ranks 1 settled, 3 drawn" in done.stdout
    assert "tile = 1" in done.stdout


@pytest.mark.usefixtures("drawn")
def test_all_ties_are_written_and_pass_when_they_are_judged(repro, folder) -> None:
    with (folder / "ties.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["rank"], row["standing"]) for row in rows] == [
        ("1", "settled"),
        *[(rank, "drawn") for rank in "223344"],
    ]
    assert sorted(row["text"] for row in rows) == [f"tile = {index}" for index in range(7)]
    judged = repro("ranking", "ranked_searches:first_wins", "--file", "ties.csv", *QUICK)
    assert judged.returncode == 0, judged.stdout + judged.stderr
    assert "MAY BE PUBLISHED: ties.csv presents no draw as a result" in judged.stdout


def test_a_run_of_a_search_that_draws_is_not_to_be_published(repro, folder) -> None:
    repro("run", "ranked_searches:first_wins", "--json", "outcome.json", "--quiet")
    judged = repro(
        "ranking",
        "ranked_searches:first_wins",
        *("--file", "outcome.json", *QUICK, "--json", "judged.json", "--quiet"),
    )
    assert (judged.returncode, judged.stdout, judged.stderr) == (1, "", "")
    found = json.loads((folder / "judged.json").read_text(encoding="utf-8"))["presented"]
    assert found["kind"] == "outcome"
    assert [row["showing"] for row in found["rows"]] == ["settled", "drawn", "drawn", "drawn"]
    top = ("--file", "outcome.json", "--top", "1", *QUICK)
    assert repro("ranking", "ranked_searches:first_wins", *top).returncode == 0


def test_a_sound_ranking_is_settled_with_its_bound(repro) -> None:
    done = repro("ranking", "ranked_searches:least_wins", *QUICK)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "SETTLED: the first 4 ranks, in every outcome seen" in done.stdout
    assert "0 of 8 random orders changed any of these ranks" in done.stdout


def test_a_search_that_raises_under_some_order_leaves_nothing_settled(repro) -> None:
    done = repro("ranking", "ranked_searches:raises_if_reordered", *QUICK)
    assert done.returncode == 5, done.stdout + done.stderr
    assert "INCONCLUSIVE" in done.stdout
    assert "this search minds" in done.stdout


def test_an_unknown_objective_is_refused_with_the_choice_before_orders_are_tried(repro) -> None:
    done = repro("ranking", "ranked_searches:first_wins", "--by", "energy", *QUICK)
    assert done.returncode == 2
    assert "there is no objective 'energy'" in done.stderr
    assert "rank by one of: latency, size" in done.stderr
    assert "orders" not in done.stderr


def test_a_list_of_another_search_is_refused(repro, folder) -> None:
    (folder / "other.csv").write_text("rank,text\n1,tile = 99\n", encoding="utf-8")
    done = repro("ranking", "ranked_searches:first_wins", "--file", "other.csv", *QUICK)
    assert done.returncode == 2
    assert "nothing in this list was ever seen" in done.stderr


@pytest.mark.parametrize(
    ("options", "what"),
    [
        (("--all-ties", "ties.txt"), "--all-ties writes JSON or CSV"),
        (("--all-ties", "nowhere/ties.csv"), "the output's folder doesn't exist"),
        (("--unpickle",), "--unpickle is about a --file"),
        (("--file", "none.csv"), "the list can't be read"),
        (("--top", "0"), "'--top'"),
        (("--orders", "0"), "--orders must be at least 1"),
    ],
)
def test_what_cannot_be_done_is_refused_before_anything_is_run(repro, options, what) -> None:
    done = repro("ranking", "ranked_searches:first_wins", *options)
    assert done.returncode == 2
    assert what in done.stderr
    assert "begins" not in done.stderr
    assert done.stdout == ""
