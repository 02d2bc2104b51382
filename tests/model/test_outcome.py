from __future__ import annotations

import json
import math

import jsonschema
import pytest

from repro.canon.frame import outcome_from_rows
from repro.errors import OutcomeError
from repro.model.identities import FlatIdentity
from repro.model.looptree import Compute, LoopTree, Nested, Sequential, Storage, Temporal
from repro.model.outcome import Outcome


def tree(tile: int) -> LoopTree:
    halves = tuple(
        Nested((Temporal(rank_variables=("m",), tile=tile), Compute(einsum=name, component="MAC")))
        for name in ("A", "B")
    )
    kept = Storage(component="DRAM", tensors=("X",))
    return LoopTree((kept, Sequential(halves)), (("m", 64),))


@pytest.fixture
def flat() -> Outcome:
    rows = [
        {"latency": 1.5, "energy": math.inf, "name": "a"},
        {"latency": math.nan, "energy": -math.inf, "name": "b"},
        {"latency": 1.5, "energy": math.inf, "name": "a"},
    ]
    return outcome_from_rows(rows, latency="latency")


@pytest.fixture
def trees() -> Outcome:
    rows = [{"latency": 3.0}, {"latency": 4.0}, {"latency": 5.0}]
    return outcome_from_rows(rows, latency="latency", trees=[tree(2), tree(4), tree(2)])


@pytest.fixture(scope="module")
def schema(root) -> dict:
    return json.loads((root / "docs/schema/outcome.schema.json").read_text(encoding="utf-8"))


def through_json(outcome: Outcome) -> Outcome:
    return Outcome.from_dict(json.loads(json.dumps(outcome.to_dict(), allow_nan=False)))


@pytest.mark.parametrize("kind", ["flat", "trees"])
def test_an_outcome_survives_json_with_its_digests_and_identities(kind, request) -> None:
    outcome = request.getfixturevalue(kind)
    read = through_json(outcome)
    assert read.digests == outcome.digests
    assert dict(read.identities) == dict(outcome.identities)
    assert read.columns == outcome.columns
    assert [row.exact for row in read.rows] == [row.exact for row in outcome.rows]
    assert repr(read.rows) == repr(outcome.rows)  # repr, for NaN isn't equal to itself


@pytest.mark.parametrize("kind", ["flat", "trees"])
def test_what_is_written_fits_the_published_schema(kind, request, schema) -> None:
    jsonschema.validate(request.getfixturevalue(kind).to_dict(), schema)


def test_the_schema_refuses_a_key_that_nobody_writes(flat, schema) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**flat.to_dict(), "colour": "red"}, schema)


def test_objectives_that_are_not_finite_are_written_as_texts(flat) -> None:
    written = flat.to_dict()["rows"][1]["objectives"]
    assert written == ["-inf", "nan"]


def test_an_identity_that_rows_share_is_written_once(flat) -> None:
    data = flat.to_dict()
    assert [row["identity"] for row in data["rows"]] == [0, 1, 0]
    assert len(data["identities"]) == 2


def test_trees_are_written_as_places_in_a_table_of_nodes(trees) -> None:
    data = trees.to_dict()
    assert [entry["tree"] for entry in data["identities"]] == [
        "0 sequential(nested(1 2) nested(1 3))",
        "0 sequential(nested(4 2) nested(4 3))",
    ]
    assert len(data["nodes"]) == 5


def test_latencies_come_in_row_order(flat, trees) -> None:
    assert trees.latencies() == [3.0, 4.0, 5.0]
    assert str(flat.latencies()) == "[1.5, nan, 1.5]"


def test_latencies_that_are_all_zero_read_as_zeros_though_the_objective_is_left_out() -> None:
    outcome = outcome_from_rows([{"t": 0.0, "x": 1}, {"t": 0.0, "x": 2}], latency="t")
    assert outcome.objectives == ("x",)
    assert outcome.latencies() == [0.0, 0.0]


def test_a_search_without_latency_has_no_latencies() -> None:
    assert outcome_from_rows([{"x": 1}]).latencies() == []


@pytest.mark.parametrize("data", [[], {}, {"schema": "repro.check/1"}, "text", None])
def test_what_is_no_outcome_is_refused_by_its_schema(data) -> None:
    with pytest.raises(OutcomeError, match=r"not an outcome of schema repro\.outcome/1"):
        Outcome.from_dict(data)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("rows", [{"objectives": [1.0, 2.0], "identity": 99}]),
        ("rows", [{"objectives": [1.0], "identity": 0}]),
        ("rows", [{"objectives": ["fast", 2.0], "identity": 0}]),
        ("rows", 3),
        ("digests", {}),
        ("identities", [{}]),
        ("columns", [["a", "b"]]),
    ],
)
def test_a_damaged_outcome_is_refused(flat, key, value) -> None:
    with pytest.raises(OutcomeError, match="damaged"):
        Outcome.from_dict({**flat.to_dict(), key: value})


def test_an_identity_written_twice_is_refused(flat) -> None:
    data = flat.to_dict()
    with pytest.raises(OutcomeError, match="damaged") as caught:
        Outcome.from_dict({**data, "identities": data["identities"] * 2})
    assert "written twice" in str(caught.value.where)


@pytest.mark.parametrize(
    "line", ["0 sequential(1", "0)", "0 99", "0 vortex(1)", "0, 1", "-1", "0 sequential"]
)
def test_a_damaged_tree_is_refused_when_it_is_looked_at(trees, line) -> None:
    data = trees.to_dict()
    data["identities"][0]["tree"] = line
    read = Outcome.from_dict(data)
    with pytest.raises(OutcomeError, match="an identity of this outcome is damaged") as caught:
        read.identities[read.rows[0].exact]
    assert read.rows[0].exact in str(caught.value.where)


def test_an_unknown_identity_is_a_key_error(trees) -> None:
    assert through_json(trees).identities.get("0" * 32) is None


def test_flat_identities_name_their_columns(flat) -> None:
    identity = through_json(flat).identities[flat.rows[0].exact]
    assert identity == FlatIdentity((("energy", "inf"), ("latency", "1.5"), ("name", '"a"')))
