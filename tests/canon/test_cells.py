from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from repro.canon.cells import cell_text, float_text, unsigned
from repro.errors import OpaqueValueError

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text() | st.binary() | st.floats(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(st.floats(allow_nan=False))
def test_a_float_reads_back_as_itself(value) -> None:
    assert float(float_text(value)).hex() == value.hex()


@given(PLAIN)
def test_a_cell_is_one_line(value) -> None:
    assert "\n" not in cell_text(value)


@given(st.text(), st.text())
def test_texts_are_quoted_so_that_none_looks_like_another_value(one, other) -> None:
    assert (cell_text(one) == cell_text(other)) == (one == other)
    assert cell_text([one]) != cell_text(one)
    assert cell_text(one) not in {"None", "True", "<absent>", "nan"}


@pytest.mark.parametrize("four", [4, 4.0, np.int8(4), np.float32(4), sympy.Integer(4)])
def test_a_number_reads_the_same_whatever_held_it(four) -> None:
    assert cell_text(four) == "4"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "None"),
        (True, "True"),
        (-0.0, "-0"),
        (math.inf, "inf"),
        (math.nan, "nan"),
        (0.1, "0.1"),
        (1e300, str(int(1e300))),
        (sympy.Rational(1, 3), "1/3"),
        ("a\nb", r'"a\nb"'),
        (b"\x00", r"b'\x00'"),
        ([1, (2.5, "x")], '[1, (2.5, "x")]'),
        ({"b": 1, "a": None}, 'dict("b": 1, "a": None)'),
    ],
)
def test_plain_values_read_as_in_python(value, text) -> None:
    assert cell_text(value) == text


def test_a_set_reads_the_same_whatever_its_order() -> None:
    assert cell_text({"b", "a", "c"}) == cell_text(frozenset("cab")) == '{"a", "b", "c"}'


def test_a_dict_keeps_its_order_since_whoever_reads_it_may_go_by_it() -> None:
    assert cell_text({"a": 1, "b": 2}) != cell_text({"b": 2, "a": 1})


def test_truth_values_are_not_numbers() -> None:
    assert cell_text([True]) != cell_text([1])


def test_objects_go_by_type_and_content() -> None:
    assert cell_text(Decimal("1.0")) == cell_text(Decimal("1.0"))
    assert cell_text(Decimal("1.0")) != cell_text(Decimal("1.1"))
    assert cell_text(Decimal(1)) != cell_text(Fraction(1))
    assert cell_text(Decimal(1)).startswith("<decimal.Decimal ")


def test_what_cannot_be_seen_through_is_refused() -> None:
    with pytest.raises(OpaqueValueError):
        cell_text([print, (n for n in range(3))])


def test_only_negative_zero_loses_its_sign() -> None:
    assert [unsigned(text) for text in ("-0", "-1", '"-0"', "0")] == ["0", "-1", '"-0"', "0"]
