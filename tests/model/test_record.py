from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - the record's hints are read
from dataclasses import dataclass
from enum import StrEnum

import pytest

from repro.errors import ResultError
from repro.model.record import Json, camel, from_json, optional, to_json


class Colour(StrEnum):
    DARK_RED = "darkRed"


@dataclass(frozen=True)
class Inner:
    how_many: int
    share: float | None


@dataclass(frozen=True)
class Outer:
    inner: tuple[Inner, ...]
    by_count: Mapping[int, Inner]
    colours: Mapping[Colour, bool]
    open_facts: Mapping[str, Json]
    either: str | int
    note: str | None = optional()


OUTER = Outer(
    inner=(Inner(1, None), Inner(2, 0.5)),
    by_count={64: Inner(3, 1.0)},
    colours={Colour.DARK_RED: True},
    open_facts={"site": {"line": 3}, "names": ["a", None]},
    either=7,
)
JSON = {
    "inner": [{"howMany": 1, "share": None}, {"howMany": 2, "share": 0.5}],
    "byCount": {"64": {"howMany": 3, "share": 1.0}},
    "colours": {"darkRed": True},
    "openFacts": {"site": {"line": 3}, "names": ["a", None]},
    "either": 7,
}


def test_keys_are_camel_case_and_an_empty_optional_field_is_left_out() -> None:
    assert to_json(OUTER) == JSON


def test_reading_gives_the_record_back_with_its_types() -> None:
    read = from_json(Outer, JSON)
    assert read == OUTER
    assert list(read.colours) == [Colour.DARK_RED]


def test_an_optional_field_that_is_there_is_kept() -> None:
    assert from_json(Outer, {**JSON, "note": "x"}).note == "x"


def test_a_whole_number_is_read_where_a_float_belongs_and_stays_a_float() -> None:
    share = from_json(Inner, {"howMany": 1, "share": 2}).share
    assert (share, type(share)) == (2.0, float)


@pytest.mark.parametrize(
    ("change", "where", "what"),
    [
        ({"extra": 1}, "result.extra", "unknown key 'extra'"),
        ({"either": None}, "result.either", "expected a whole number, found None"),
        ({"either": [1]}, "result.either", "expected a whole number, found [1]"),
        ({"inner": {}}, "result.inner", "expected a list, found {}"),
        ({"inner": [{"howMany": 1}]}, "result.inner[0].share", "missing key 'share'"),
        (
            {"inner": [{"howMany": True, "share": 0}]},
            "result.inner[0].howMany",
            "expected a whole number, found True",
        ),
        (
            {"inner": [{"howMany": 1, "share": "x"}]},
            "result.inner[0].share",
            "expected a number, found 'x'",
        ),
        ({"colours": {"red": True}}, "result.colours.red", "expected one of darkRed, found 'red'"),
        ({"colours": []}, "result.colours", "expected an object, found []"),
        ({"byCount": {"x": {}}}, "result.byCount.x", "expected a whole number as key, found 'x'"),
    ],
)
def test_what_does_not_fit_is_refused_by_name(change, where, what) -> None:
    with pytest.raises(ResultError) as refused:
        from_json(Outer, {**JSON, **change})
    assert (refused.value.what, refused.value.where) == (what, where)


def test_a_record_is_not_read_from_a_list() -> None:
    with pytest.raises(ResultError, match="expected an object"):
        from_json(Inner, [])


def test_camel_case_joins_the_words_of_a_field() -> None:
    assert [camel("rows"), camel("row_order"), camel("seconds_per_order")] == [
        "rows",
        "rowOrder",
        "secondsPerOrder",
    ]
