from __future__ import annotations

import functools
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from repro.canon.parts import fingerprint, first_difference
from repro.canon.value import value_digest


@dataclass
class Group:
    name: str
    rows: Any


def result(value: float = 1.0, name: str = "a") -> tuple:
    """Return something like what a mapper's job returns."""
    frame = pd.DataFrame({"latency": [1.0, value], "energy": [2.0, 3.0]})
    return "Matmul1", [Group("first", frame), Group(name, frame)], {"kept": {1, 2}}


def add(one: int, other: int) -> int:
    return one + other


@pytest.mark.parametrize(
    ("one", "other", "path"),
    [
        (result(), result(), None),
        (result(), result(2.0), "[1][0].rows['latency']"),
        (result(), result(name="b"), "[1][1].name"),
        ([1, 2], [1, 3], "[1]"),
        ([1], [1, 2], "[1]"),
        ([1, 2], [1], "[1]"),
        (1, 2, ""),
        ({1}, {2}, ""),
        ([{"a": {1, 2}}], [{"a": {1, 3}}], "[0]['a']"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, ""),
        ({"a": 1}, {"a": 1, "b": 2}, "['b']"),
        (SimpleNamespace(x=1), SimpleNamespace(x=2), ".x"),
        (functools.partial(add, 1), functools.partial(add, 2), ".args[0]"),
        ([1.0, [2]], (1.0, [2]), ""),
        (np.array([1, 2], dtype=object), np.array([1, 3], dtype=object), "[1]"),
        (np.array([1, 2]), np.array([1, 3]), ""),
    ],
)
def test_the_path_leads_to_the_lowest_part_that_differs(one, other, path) -> None:
    assert first_difference(one, other) == path


def test_a_difference_inside_a_cycle_is_found() -> None:
    def made(mark: int) -> list:
        inner: dict[str, Any] = {"mark": mark}
        outer = [inner]
        inner["outer"] = outer
        return outer

    assert first_difference(made(1), made(2)) == "[0]['mark']"
    assert first_difference(made(1), made(1)) is None


def test_a_fingerprint_has_the_digest_of_the_whole() -> None:
    assert fingerprint(result()).digest == value_digest(result())


def test_fingerprints_made_apart_tell_where_values_differ() -> None:
    base = fingerprint(result())
    assert base.first_difference(fingerprint(result())) is None
    assert base.first_difference(fingerprint(result(2.0))) == "[1][0].rows['latency']"
    assert base.first_difference(fingerprint(result(name="b"))) == "[1][1].name"


def test_a_small_fingerprint_tells_as_much_as_it_knows() -> None:
    base, other = (fingerprint(result(value), limit=4) for value in (1.0, 2.0))
    assert len(base.parts) <= 4
    assert base.first_difference(other) == "[1]"
    nothing = [fingerprint(result(value), limit=0) for value in (1.0, 2.0)]
    assert nothing[0].first_difference(nothing[1]) == ""


def test_a_path_is_not_taken_for_another_that_begins_alike() -> None:
    one, other = SimpleNamespace(a=1, ab=2), SimpleNamespace(a=2, ab=3)
    assert fingerprint(one).first_difference(fingerprint(other)) == ".a"


def test_a_value_with_a_cycle_has_a_fingerprint() -> None:
    endless: list = [1]
    endless.append(endless)
    assert len(fingerprint(endless, limit=10).parts) == 10
