from __future__ import annotations

import itertools
import json
import math
from dataclasses import fields, replace

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.errors import ProbeClockError, ProbeError
from repro.model.probe import (
    CLOCK_SETTINGS,
    MAPPER_SETTINGS,
    METRICS,
    Entry,
    Kind,
    Probe,
)
from repro.model.probe_reading import read, refuse_clock_settings

MINIMAL = {"name": "mine", "metrics": ["LATENCY"]}
FULL = {
    "name": "full",
    "title": "one line",
    "search": "accelforge",
    "entry": "detailed",
    "workers": 16,
    "architecture": "../models/gpu.yaml",
    "workload": "attention.yaml",
    "includes": ["parts/l2.yaml"],
    "parameters": {"M": 64, "SCALE": 0.5, "FUSED": True, "KIND": "fp16"},
    "metrics": ["LATENCY", "RESOURCE_USAGE"],
    "mapper": {"max_loops": 9, "explore_loop_orders": False, "time_limit": math.inf},
    "sources": ["a whitepaper, 2022"],
}
FILES = {"architecture": b"arch: {}\n", "workload": b"workload: {}\n"}


@pytest.fixture(scope="module")
def schema(root) -> jsonschema.Draft202012Validator:
    text = (root / "docs" / "schema" / "probe.schema.json").read_text()
    return jsonschema.Draft202012Validator(json.loads(text))


def faults_of(data: object, **kwargs) -> list[ProbeError]:
    probe, faults = read(data, **kwargs)
    assert (probe is None) == bool(faults)
    return list(faults)


def test_name_and_metrics_are_enough() -> None:
    probe = Probe.from_dict(MINIMAL)
    assert probe == Probe(name="mine", metrics=("LATENCY",))
    assert (probe.search, probe.entry, probe.workers) == ("accelforge", Entry.JOIN, 2)
    assert (probe.architecture, probe.workload) == ("arch.yaml", "workload.yaml")


@pytest.mark.parametrize("data", [MINIMAL, FULL])
def test_a_probe_survives_json(data) -> None:
    probe = Probe.from_dict(data)
    text = json.dumps(probe.to_dict(), allow_nan=False)
    assert Probe.from_dict(json.loads(text)) == probe


def test_reading_keeps_every_value() -> None:
    probe = Probe.from_dict(FULL)
    assert probe.entry is Entry.DETAILED
    assert probe.parameters == {"M": 64, "SCALE": 0.5, "FUSED": True, "KIND": "fp16"}
    assert probe.mapper == {"max_loops": 9, "explore_loop_orders": False, "time_limit": math.inf}
    assert probe.includes == ("parts/l2.yaml",)


def test_an_unknown_key_is_named_with_file_line_allowed_keys_and_closest_match() -> None:
    data = {**MINIMAL, "metrcs": ["LATENCY"]}
    with pytest.raises(ProbeError) as caught:
        Probe.from_dict(data, source="mine/probe.yaml", lines={"metrcs": 7})
    assert caught.value.what == "unknown key 'metrcs'"
    assert caught.value.where == "mine/probe.yaml:7, key metrcs"
    assert caught.value.do == (
        "the keys allowed here are: name, title, search, entry, workers, architecture, workload, "
        "includes, parameters, metrics, mapper, sources; did you mean 'metrics'?"
    )


def test_an_unknown_mapper_setting_is_named_with_the_closest_match() -> None:
    (fault,) = faults_of({**MINIMAL, "mapper": {"max_lops": 3}})
    assert fault.where == "probe.yaml, key mapper.max_lops"
    assert fault.do is not None
    assert fault.do.endswith("did you mean 'max_loops'?")


@pytest.mark.parametrize("name", CLOCK_SETTINGS)
@pytest.mark.parametrize("value", [0, 60, 1.5, None, "10"])
def test_a_limit_on_time_or_memory_is_refused(name, value) -> None:
    (fault,) = faults_of({**MINIMAL, "mapper": {name: value}}, lines={f"mapper.{name}": 4})
    assert isinstance(fault, ProbeClockError)
    assert fault.where == f"probe.yaml:4, key mapper.{name}"
    assert ("free memory" if "memory" in name else "the clock") in fault.what


def test_the_limits_that_the_design_names_are_the_ones_refused() -> None:
    assert set(CLOCK_SETTINGS) == {
        "time_limit",
        "time_limit_per_pmapping_template",
        "memory_limit",
        "memory_limit_per_process",
    }


@pytest.mark.parametrize("value", [math.inf, "inf"], ids=["number", "text"])
@pytest.mark.parametrize("name", CLOCK_SETTINGS)
def test_an_infinite_limit_is_no_limit(name, value) -> None:
    assert Probe.from_dict({**MINIMAL, "mapper": {name: value}}).mapper == {name: math.inf}


def test_settings_that_a_spec_file_made_are_checked_the_same_way() -> None:
    refuse_clock_settings({"time_limit": math.inf, "max_loops": 3}, source="arch.yaml")
    with pytest.raises(ProbeClockError, match="memory_limit is 1024") as caught:
        refuse_clock_settings({"memory_limit": 1024}, source="arch.yaml")
    assert caught.value.where == "arch.yaml, key mapper.memory_limit"


WRONG = [
    ("name", {"name": "two words"}),
    ("name", {"name": 3}),
    ("title", {"title": "two\nlines"}),
    ("search", {"search": "timeloop"}),
    ("entry", {"entry": "joined"}),
    ("workers", {"workers": 0}),
    ("workers", {"workers": True}),
    ("workers", {"workers": "two"}),
    ("architecture", {"architecture": "/abs/arch.yaml"}),
    ("workload", {"workload": ""}),
    ("includes", {"includes": "one.yaml"}),
    ("parameters", {"parameters": ["M"]}),
    ("parameters.M", {"parameters": {"M": None}}),
    ("parameters.M", {"parameters": {"M": [1]}}),
    ("parameters.a-b", {"parameters": {"a-b": 1}}),
    ("metrics", {"metrics": []}),
    ("metrics", {"metrics": "LATENCY"}),
    ("metrics", {"metrics": ["LATENCY", "LATENCY"]}),
    ("metrics", {"metrics": ["latency"]}),
    ("metrics", {"metrics": [["LATENCY"]]}),
    ("mapper", {"mapper": 3}),
    ("mapper.max_loops", {"mapper": {"max_loops": -1}}),
    ("mapper.max_loops", {"mapper": {"max_loops": 2.5}}),
    ("mapper.max_loops", {"mapper": {"max_loops": True}}),
    ("mapper.explore_loop_orders", {"mapper": {"explore_loop_orders": 1}}),
    ("mapper.explore_loop_orders", {"mapper": {"explore_loop_orders": "inf"}}),
    ("mapper.tiling_coarseness", {"mapper": {"tiling_coarseness": "2"}}),
    (
        "mapper.max_fused_loops_per_rank_variable",
        {"mapper": {"max_fused_loops_per_rank_variable": 0}},
    ),
    ("sources", {"sources": {"a": "b"}}),
]


@pytest.mark.parametrize(("key", "change"), WRONG)
def test_each_wrong_value_is_one_fault_at_its_key(key, change, schema) -> None:
    data = {**MINIMAL, **change}
    (fault,) = faults_of(data)
    assert fault.where == f"probe.yaml, key {key}"
    assert not schema.is_valid(data), "the published schema has to refuse it too"


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_a_parameter_that_json_lacks_is_refused_with_a_way_out(value) -> None:
    (fault,) = faults_of({**MINIMAL, "parameters": {"SIZE": value}})
    assert fault.do == f"write it as text, {str(value)!r}: a template sees no difference"


@pytest.mark.parametrize("missing", ["name", "metrics"])
def test_a_missing_key_is_named(missing, schema) -> None:
    data = {key: value for key, value in MINIMAL.items() if key != missing}
    (fault,) = faults_of(data)
    assert fault.what == f"the key {missing!r} is missing"
    assert not schema.is_valid(data)


@pytest.mark.parametrize("data", [None, [], "probe", 3])
def test_content_that_is_no_mapping_is_one_fault(data) -> None:
    (fault,) = faults_of(data)
    assert fault.what.startswith("expected keys and values, found ")


def test_all_faults_are_reported_at_once() -> None:
    data = {"name": "x y", "metrcs": [], "workers": 0, "mapper": {"time_limit": 3, "typo": 1}}
    assert [fault.where for fault in faults_of(data)] == [
        "probe.yaml, key metrcs",
        "probe.yaml",
        "probe.yaml, key name",
        "probe.yaml, key workers",
        "probe.yaml, key mapper.typo",
        "probe.yaml, key mapper.time_limit",
    ]


def test_the_schema_accepts_what_the_reader_accepts(schema) -> None:
    for data in (MINIMAL, FULL):
        schema.validate(Probe.from_dict(data).to_dict())


def test_the_schema_knows_the_same_keys_words_and_settings(schema) -> None:
    properties = schema.schema["properties"]
    assert set(properties) == {field.name for field in fields(Probe)}
    assert set(properties["mapper"]["properties"]) == set(MAPPER_SETTINGS)
    assert properties["metrics"]["items"]["enum"] == list(METRICS)
    assert properties["entry"]["enum"] == list(Entry)


@pytest.mark.parametrize(
    ("key", "given_value", "expected"),
    [
        ("M", "128", 128),
        ("M", 96, 96),
        ("SCALE", "2", 2.0),
        ("SCALE", 3, 3.0),
        ("SCALE", "1e-3", 0.001),
        ("FUSED", "false", False),
        ("FUSED", True, True),
        ("KIND", "64", "64"),
    ],
)
def test_an_override_is_read_as_the_type_of_its_default(key, given_value, expected) -> None:
    value = Probe.from_dict(FULL).with_parameters({key: given_value}).parameters[key]
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("M", "1.5"),
        ("M", "many"),
        ("M", True),
        ("M", 2.5),
        ("SCALE", "inf"),
        ("SCALE", math.nan),
        ("SCALE", False),
        ("FUSED", "yes"),
        ("FUSED", 1),
        ("KIND", 64),
    ],
)
def test_an_override_of_another_type_is_refused(key, value) -> None:
    with pytest.raises(ProbeError, match="is not") as caught:
        Probe.from_dict(FULL).with_parameters({key: value})
    assert caught.value.where == f"full, parameter {key}"


def test_an_override_of_an_unknown_parameter_is_refused() -> None:
    with pytest.raises(ProbeError, match="unknown parameter 'KND'") as caught:
        Probe.from_dict(FULL).with_parameters({"KND": "fp8"})
    assert caught.value.do == (
        "the probe's parameters are: M, SCALE, FUSED, KIND; did you mean 'KIND'?"
    )


def test_overriding_leaves_the_probe_itself_alone() -> None:
    probe = Probe.from_dict(FULL)
    changed = probe.with_parameters({"M": 1})
    assert probe.parameters["M"] == 64
    assert changed == replace(probe, parameters={**probe.parameters, "M": 1})


def test_the_digest_is_the_one_written_here() -> None:
    # Tokens and certificates carry digests: one that changes silently orphans them.
    assert Probe.from_dict(FULL).digest({**FILES, "include:parts/l2.yaml": b"x"}) == (
        "ede8a7faa45dfad02c704c4166a2916546af3bf2d92233c6580d2da18444c382"
    )


DECISIVE = {
    "entry": Entry.JOIN,
    "workers": 2,
    "parameters": {"M": 65},
    "metrics": ("LATENCY",),
    "mapper": {"max_loops": 10},
    "search": "another",
}


@pytest.mark.parametrize(("key", "value"), DECISIVE.items())
def test_the_digest_tells_apart_what_decides_the_outcome(key, value) -> None:
    probe = Probe.from_dict(FULL)
    assert replace(probe, **{key: value}).digest(FILES) != probe.digest(FILES)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("name", "renamed"),
        ("title", "retold"),
        ("sources", ()),
        ("architecture", "elsewhere.yaml"),
        ("workload", "elsewhere.yaml"),
        ("metrics", ("RESOURCE_USAGE", "LATENCY")),
    ],
)
def test_the_digest_leaves_out_what_does_not(key, value) -> None:
    probe = Probe.from_dict(FULL)
    assert replace(probe, **{key: value}).digest(FILES) == probe.digest(FILES)


@given(st.permutations(list(FULL["parameters"].items())))
def test_the_order_of_parameters_is_no_part_of_the_digest(items) -> None:
    probe = Probe.from_dict(FULL)
    assert replace(probe, parameters=dict(items)).digest(FILES) == probe.digest(FILES)


def test_equal_looking_parameters_of_different_types_have_different_digests() -> None:
    probe = Probe.from_dict(MINIMAL)
    values = (1, 1.0, True, "1")
    digests = {replace(probe, parameters={"M": value}).digest(FILES) for value in values}
    assert len(digests) == len(values)


@given(a=st.binary(), b=st.binary(), c=st.binary(), d=st.binary())
def test_no_two_pairs_of_files_share_a_digest(a, b, c, d) -> None:
    # Concatenating contents would let a line move from one file to the other unseen.
    probe = Probe.from_dict(MINIMAL)
    pairs = [{"architecture": a, "workload": b}, {"architecture": c, "workload": d}]
    same = probe.digest(pairs[0]) == probe.digest(pairs[1])
    assert same == (pairs[0] == pairs[1])


def test_moving_bytes_between_files_changes_the_digest() -> None:
    probe = Probe.from_dict(MINIMAL)
    splits = [{"architecture": b"ab"[:cut], "workload": b"ab"[cut:]} for cut in range(3)]
    for one, other in itertools.combinations(splits, 2):
        assert probe.digest(one) != probe.digest(other)


def test_an_infinite_setting_is_in_the_digest_as_text() -> None:
    probe = Probe.from_dict({**MINIMAL, "mapper": {"max_loops": "inf"}})
    assert probe.to_dict()["mapper"] == {"max_loops": "inf"}
    assert probe.digest(FILES) == Probe.from_dict(probe.to_dict()).digest(FILES)


def test_every_kind_of_setting_is_in_use() -> None:
    assert set(MAPPER_SETTINGS.values()) == set(Kind)
