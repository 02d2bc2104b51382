"""`repro ranking` held to an enumeration by brute force, which shares nothing with it."""

from __future__ import annotations

import json
import re
from itertools import groupby

import pytest

pytestmark = pytest.mark.search

LATENCY = "Total<SEP>latency"
ENERGY = "Total<SEP>energy"
SECONDS = 900


def leaves(text):
    """Return the nodes that a LoopTree's text tells, as `brute_ranks.py` writes them."""
    found = []
    for line in map(str.strip, text.splitlines()[1:]):
        if line in {"sequential", "pipeline", "nested"}:
            continue
        node = re.fullmatch(
            r"(for|spatial) (\S+) in (?:\d+ )?tiles of (\d+)(?: across (\S+) (\S+))?", line
        )
        if node:
            kind = "Temporal" if node[1] == "for" else "Spatial"
            found.append([kind, node[2], int(node[3]), *filter(None, node.groups()[3:])])
            continue
        component, verb, what = line.split(" ", 2)
        kind = {"keeps": "Storage", "passes": "Toll", "computes": "Compute"}[verb]
        found.append([kind, component, *what.removesuffix(", persistent").split(", ")])
    runs = groupby(found, key=lambda node: node[0] == "Spatial")
    return [node for spatial, run in runs for node in (sorted(run) if spatial else run)]


@pytest.fixture(scope="module")
def ranking(fresh, tmp_path_factory):
    """Judge a probe's ranks with the tool; return how it ended and its result."""

    def judge(probe, by, *, top, orders):
        file = tmp_path_factory.mktemp("ranking") / "r.json"
        options = ("--by", by, "--top", str(top), "--orders", str(orders), "--runs", "1")
        command = ("ranking", probe, *options, "--show", "1", "--json", str(file))
        done = fresh("-m", "repro", *command, timeout=SECONDS)
        assert file.exists(), done.stderr
        return done, json.loads(file.read_text(encoding="utf-8"))

    return judge


@pytest.fixture(scope="module")
def enumerated(fresh, root):
    """Judge them by brute force."""

    def judge(probe, by, *, orders):
        script = str(root / "tests" / "scenarios" / "brute_ranks.py")
        done = fresh(script, str(root / "probes" / probe), by, str(orders), timeout=SECONDS)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["ranks"]

    return judge


def agrees(result, brute):
    """Hold every rank to the enumeration: value, standing, and each LoopTree seen there."""
    assert len(result["ranks"]) == len(brute)
    for ours, theirs in zip(result["ranks"], brute, strict=True):
        place = ours["rank"]
        assert ours["value"] == theirs["value"], place
        assert (ours["standing"] == "settled") == theirs["settled"], place
        assert ours["competing"] == len(theirs["trees"]), place
        equal = [leaves(each["text"]) for each in ours["contenders"] if each["modelEqual"]]
        assert sorted(equal) == theirs["trees"], place
        assert leaves(ours["contenders"][0]["text"]) == theirs["serial"], place


@pytest.fixture(scope="module")
def matmul_chain(ranking):
    return ranking("matmul-chain", ENERGY, top=20, orders=16)


@pytest.fixture(scope="module")
def attention_small(enumerated):
    return enumerated("attention-small", LATENCY, orders=8)


def test_matmul_chain_agrees_rank_by_rank_with_brute_force(matmul_chain, enumerated) -> None:
    _, result = matmul_chain
    agrees(result, enumerated("matmul-chain", ENERGY, orders=4))
    assert {rank["competing"] for rank in result["ranks"]} == {1, 4}


def test_matmul_chain_is_drawn_and_its_values_hold(matmul_chain) -> None:
    done, result = matmul_chain
    assert done.returncode == 1
    assert (result["settled"], result["drawn"]) == (6, 14)
    assert result["groups"] == {
        "groups": 20,
        "rows": 20,
        "holds": True,
        "differing": 0,
        "topHolds": True,
        "topDiffering": 0,
    }
    assert result["ties"]["seen"] == 62
    assert "4 model-equal LoopTrees compete for it" in " ".join(done.stdout.split())


@pytest.mark.nightly
@pytest.mark.timeout(SECONDS * 2)
@pytest.mark.parametrize(("top", "code", "drawn"), [(10, 0, 0), (52, 1, 35)])
def test_attention_small_agrees_rank_by_rank_with_brute_force(
    ranking, attention_small, top, code, drawn
) -> None:
    done, result = ranking("attention-small", LATENCY, top=top, orders=24)
    agrees(result, attention_small[:top])
    assert (done.returncode, result["drawn"]) == (code, drawn)


PICKLED = """
import pickle, sys
from pathlib import Path
from repro.cli.drafts import read_draft
from repro.searches.accelforge import AccelForgeSearch
from repro.searches.catalog import load

found = load("matmul-chain")
search = AccelForgeSearch(found.probe, found.folder)
search.prepare()
mappings = search.execute(1)
rows = [row.survivor for row in search.outcome(mappings).rows]
frame = mappings.data.sort_values("Total<SEP>energy")
for name, content in (("mappings", mappings), ("frame", frame)):
    file = Path(sys.argv[1]) / name
    file.write_bytes(pickle.dumps(content))
    draft = read_draft(file, unpickle=True)
    assert draft.kind == "pickle"
    assert sorted(row.survivor for row in draft.rows) == sorted(rows)
    assert all(row.objectives["Total<SEP>energy"] > 0 for row in draft.rows)
print(len(rows), "rows")
"""


def test_pickled_mappings_of_accelforge_are_read_as_the_search_returned_them(
    fresh, tmp_path
) -> None:
    done = fresh("-c", PICKLED, str(tmp_path), timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == "20 rows"
