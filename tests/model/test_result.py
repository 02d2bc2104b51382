from __future__ import annotations

import copy
import dataclasses
import json
import types
from collections.abc import Mapping
from pathlib import Path
from typing import Union, get_args, get_origin, get_type_hints

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.errors import ResultError
from repro.model.delivery import Delivery
from repro.model.evidence import DeliveryResult, EnvironmentAxis, Holds
from repro.model.record import camel, from_json, to_json
from repro.model.result import CheckResult, Verdict
from repro.model.rung import LADDER, Rung

ROOT = Path(__file__).parent.parent.parent
RESULTS = sorted((ROOT / "tests" / "data" / "results").glob("*.json"))
SCHEMA = json.loads((ROOT / "docs" / "schema" / "check.schema.json").read_text("utf-8"))
ADDED = {"schema", "exitCode"}
"""Keys of the JSON that follow from the record instead of being fields."""


@pytest.fixture(params=RESULTS, ids=lambda path: path.stem)
def data(request) -> dict:
    return json.loads(request.param.read_text("utf-8"))


@pytest.fixture
def nondeterministic() -> dict:
    path = next(path for path in RESULTS if path.stem == "nondeterministic")
    return json.loads(path.read_text("utf-8"))


@pytest.fixture
def validator() -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    return jsonschema.Draft202012Validator(SCHEMA)


def test_there_is_a_sample_of_every_verdict() -> None:
    verdicts = {json.loads(path.read_text("utf-8"))["verdict"] for path in RESULTS}
    assert verdicts == set(Verdict)


def test_samples_match_the_published_schema(data, validator) -> None:
    assert [error.message for error in validator.iter_errors(data)] == []


def test_a_result_is_written_as_it_was_read(data) -> None:
    assert CheckResult.from_dict(data).to_dict() == data


def test_a_result_read_twice_is_equal(data) -> None:
    again = json.loads(json.dumps(CheckResult.from_dict(data).to_dict()))
    assert CheckResult.from_dict(again) == CheckResult.from_dict(data)


def test_the_first_keys_are_the_ones_a_reader_looks_for(nondeterministic) -> None:
    written = CheckResult.from_dict(nondeterministic).to_dict()
    assert list(written)[:4] == ["schema", "verdict", "exitCode", "require"]


def test_the_schema_has_exactly_the_keys_of_the_records() -> None:
    assert _mismatches(CheckResult, SCHEMA, "result", ADDED) == []


def test_the_schema_describes_every_key_and_closes_every_object() -> None:
    assert _undescribed(SCHEMA, "result") == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"exitCode": 0}, "1 was expected"),
        ({"verdict": "fine"}, "'fine' is not one of"),
        ({"surprise": 1}, "'surprise' was unexpected"),
        ({"probe": {}}, "'name' is a required property"),
    ],
)
def test_the_schema_refuses_what_a_result_never_is(
    change, message, nondeterministic, validator
) -> None:
    errors = [error.message for error in validator.iter_errors({**nondeterministic, **change})]
    assert any(message in error for error in errors)


@pytest.mark.parametrize("key", sorted(SCHEMA["required"]))
def test_a_missing_key_is_named(key, nondeterministic) -> None:
    del nondeterministic[key]
    with pytest.raises(ResultError) as refused:
        CheckResult.from_dict(nondeterministic)
    assert refused.value.where == f"result.{key}"
    assert repr(key) in refused.value.what


@pytest.mark.parametrize(
    ("path", "value", "where"),
    [
        (["deliveries", "serial", "holds", "bites"], True, "result.deliveries.serial.holds.bites"),
        (["deliveries", "parallel"], {}, "result.deliveries.parallel"),
        (["sites", 0, "line"], "398", "result.sites[0].line"),
        (["axes", "workers", "holds", "many"], {}, "result.axes.workers.holds.many"),
        (["causes", 0, "kind"], "luck", "result.causes[0].kind"),
        (["require"], "row_order", "result.require"),
    ],
)
def test_what_is_wrong_deep_inside_is_named_by_its_path(
    path, value, where, nondeterministic
) -> None:
    *parents, last = path
    place = nondeterministic
    for key in parents:
        place = place[key]
    place[last] = value
    with pytest.raises(ResultError) as refused:
        CheckResult.from_dict(nondeterministic)
    assert refused.value.where == where


def test_another_version_is_refused_with_what_to_do(nondeterministic) -> None:
    with pytest.raises(ResultError, match=r"repro\.check/9") as refused:
        CheckResult.from_dict({**nondeterministic, "schema": "repro.check/9"})
    assert "version of repro" in str(refused.value.do)


@pytest.mark.parametrize("data", [[], "text", None, {}, {"verdict": "reproducible"}])
def test_what_is_no_result_at_all_is_refused(data) -> None:
    with pytest.raises(ResultError, match="isn't the result of a check"):
        CheckResult.from_dict(data)


def test_an_exit_code_that_contradicts_the_verdict_is_refused(nondeterministic) -> None:
    with pytest.raises(ResultError, match="doesn't go with the verdict") as refused:
        CheckResult.from_dict({**nondeterministic, "exitCode": 0})
    assert refused.value.where == "result.exitCode"


@pytest.mark.parametrize("index", [1, -1])
def test_a_cause_whose_witness_is_not_there_is_refused(index, nondeterministic) -> None:
    nondeterministic["causes"][0]["witness"] = index
    with pytest.raises(ResultError) as refused:
        CheckResult.from_dict(nondeterministic)
    assert refused.value.where == "result.causes[0].witness"


def test_a_verdict_knows_what_it_is() -> None:
    known = {verdict: (verdict.holds, verdict.conclusive, verdict.exit_code) for verdict in Verdict}
    assert known == {
        Verdict.REPRODUCIBLE: (True, True, 0),
        Verdict.NONDETERMINISTIC: (False, True, 1),
        Verdict.INCONCLUSIVE: (False, False, 5),
    }


def test_a_result_answers_without_its_text_being_compared(nondeterministic) -> None:
    result = CheckResult.from_dict(nondeterministic)
    assert (result.holds, result.conclusive, result.exit_code) == (False, True, 1)
    assert result.as_shipped
    assert result.objectives_hold is True
    assert result.latency_groups_hold is True
    assert result.holds_in(Delivery.ORDERED) is True
    assert result.holds_in(Delivery.INJECTED) is False
    assert result.witness_of(result.causes[0]) == result.witnesses[0]


def test_a_delivery_with_failed_runs_or_none_at_all_is_not_said_to_hold(nondeterministic) -> None:
    failed = copy.deepcopy(nondeterministic)
    failed["deliveries"]["ordered"]["failed"] = 1
    del failed["deliveries"]["native"]
    result = CheckResult.from_dict(failed)
    assert result.holds_in(Delivery.ORDERED) is None
    assert result.holds_in(Delivery.NATIVE) is None
    assert not result.as_shipped


def test_nothing_is_said_of_objectives_and_groups_that_were_not_judged(nondeterministic) -> None:
    result = CheckResult.from_dict({**nondeterministic, "deliveries": {}})
    assert (result.objectives_hold, result.latency_groups_hold) == (None, None)


def test_rungs_that_hold_and_break_come_weakest_first() -> None:
    holds = Holds.of({Rung.BYTES: False, Rung.OBJECTIVES: True, Rung.SURVIVORS: False})
    assert holds.broken == (Rung.SURVIVORS, Rung.BYTES)
    assert holds.kept == (Rung.OBJECTIVES,)
    assert holds.on(Rung.ROW_ORDER) is None
    assert holds.judged
    assert not holds.all_hold


def test_holding_everywhere_and_not_being_judged_are_told_apart() -> None:
    assert Holds.everywhere().all_hold
    assert not Holds().all_hold
    assert not Holds().judged


def test_a_delivery_without_runs_does_not_agree() -> None:
    assert DeliveryResult(runs=1, holds=Holds.everywhere()).agrees
    assert not DeliveryResult(runs=0, holds=Holds.everywhere()).agrees


def test_only_settings_that_differ_count_as_varied() -> None:
    tried = (
        {"hashSeed": 1, "timeZone": "UTC", "locale": "C"},
        {"hashSeed": 2, "timeZone": "UTC"},
    )
    assert EnvironmentAxis(tried, Holds()).varied == ("hashSeed", "locale")


@given(st.dictionaries(st.sampled_from(LADDER), st.sampled_from([True, False, None])))
def test_any_ladder_survives_json(rungs) -> None:
    holds = Holds.of(rungs)
    assert from_json(Holds, json.loads(json.dumps(to_json(holds)))) == holds
    assert all(holds.on(rung) == rungs.get(rung) for rung in LADDER)


def _mismatches(kind, schema, where, added=frozenset()) -> list[str]:
    """Compare a record's fields with an object schema's properties, down to the leaves."""
    fields = {camel(field.name): field for field in dataclasses.fields(kind)}
    properties = schema["properties"]
    found = [f"{where}: {key}" for key in set(properties) ^ set(fields) if key not in added]
    needed = {key for key, field in fields.items() if not field.metadata} | added
    if set(schema["required"]) != needed:
        found.append(f"{where}: required {set(schema['required']) ^ needed}")
    hints = get_type_hints(kind)
    for key, field in fields.items():
        for record, inner in _records(hints[field.name], properties.get(key, {})):
            found += _mismatches(record, inner, f"{where}.{key}")
    return found


def _records(hint, schema) -> list[tuple[type, dict]]:
    """Pair each record inside a type with the schema of its place."""
    schema = _resolved(schema)
    if dataclasses.is_dataclass(hint):
        return [(hint, schema)]
    if get_origin(hint) is tuple:
        return _records(get_args(hint)[0], schema.get("items", {}))
    if get_origin(hint) is Mapping:
        return _records(get_args(hint)[1], schema.get("additionalProperties", {}))
    if get_origin(hint) in (Union, types.UnionType):
        records = [member for member in get_args(hint) if dataclasses.is_dataclass(member)]
        inner = [_resolved(option) for option in schema.get("anyOf", [])]
        return [(record, inner[0]) for record in records]
    return []


def _resolved(schema) -> dict:
    if isinstance(schema, dict) and "$ref" in schema:
        return SCHEMA["$defs"][schema["$ref"].removeprefix("#/$defs/")]
    return schema if isinstance(schema, dict) else {}


def _undescribed(schema, where) -> list[str]:
    found = []
    for name, place in [("", schema), *schema["$defs"].items()]:
        if place.get("type") == "object" and place.get("additionalProperties") is not False:
            found.append(f"{where}.{name} is open")
        for key, value in place.get("properties", {}).items():
            if not value.get("description", "").endswith("."):
                found.append(f"{where}.{name}.{key} is not described")
    return found
