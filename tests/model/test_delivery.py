from __future__ import annotations

import base64
import itertools
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.errors import TokenError
from repro.model.delivery import (
    Injection,
    Reversed,
    Seeded,
    Swaps,
    order_from_dict,
    workers_needed,
)
from repro.model.token import Token
from repro.model.trace import Site

ORDERS = st.one_of(
    st.just(Reversed()),
    st.builds(Seeded, st.integers(0, 1 << 40), st.integers(0, 1 << 30)),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6).map(
        lambda pairs: Swaps(tuple(pairs))
    ),
)


def test_seeded_orders_are_these_on_every_machine():
    assert Seeded(0, 0).permutation(8) == (0, 5, 3, 1, 4, 6, 2, 7)
    assert Seeded(7, 3).permutation(5, salt="there") == (3, 4, 0, 2, 1)


def test_seeded_orders_are_uniform():
    seen = [Seeded(1, index).permutation(3) for index in range(6000)]
    counts = [seen.count(order) for order in itertools.permutations(range(3))]
    # 6000 draws of 6 equally likely orders: 1000 each, with a standard deviation of 29.
    assert all(abs(count - 1000) < 5 * 29 for count in counts)


@given(order=ORDERS, jobs=st.integers(10, 60))
def test_an_order_is_a_permutation_and_survives_json(order, jobs):
    permutation = order.permutation(jobs)
    assert sorted(permutation) == list(range(jobs))
    assert order_from_dict(order.to_dict()).permutation(jobs) == permutation


@given(st.permutations(list(range(12))))
def test_any_permutation_can_be_written_as_swaps(permutation):
    order = Swaps.from_permutation(tuple(permutation))
    assert order.permutation(12) == tuple(permutation)
    assert len(order.pairs) < 12


def test_injections_survive_json():
    injection = Injection(3, Seeded(1, 2), rest=True)
    assert Injection.from_dict(injection.to_dict()) == injection


@pytest.mark.parametrize(
    ("permutation", "workers"),
    [((0, 1, 2, 3), 1), ((1, 0, 2, 3), 2), ((3, 2, 1, 0), 4), ((0, 3, 1, 2), 3), ((1, 2, 0), 2)],
)
def test_the_workers_that_an_order_needs(permutation, workers):
    assert workers_needed(permutation) == workers


def token(order=Reversed(), **changes):  # noqa: B008 - frozen
    fields = {
        "probe": "a" * 12,
        "code": "b" * 12,
        "site": Site("package/module.py", 12, "search"),
        "occurrence": 1,
        "jobs": 10,
        "order": order,
        "rest": False,
    }
    return Token(**{**fields, **changes})


@given(order=ORDERS, rest=st.booleans())
def test_tokens_round_trip(order, rest):
    made = token(order, rest=rest)
    assert Token.decode(made.encode()) == made


def test_a_token_is_one_word_that_a_shell_leaves_alone():
    assert all(letter.isalnum() or letter in ":_-" for letter in token().encode())


@pytest.mark.parametrize("text", ["", "r1:", "r2:abc", "r1:!!!", "hello", "r1:AAAA"])
def test_what_is_no_token_is_refused(text):
    with pytest.raises(TokenError):
        Token.decode(text)


@given(st.data())
def test_a_changed_token_is_refused(data):
    text = token(Seeded(5, 6)).encode()
    place = data.draw(st.integers(3, len(text) - 2))
    letter = data.draw(st.sampled_from("AZaz09-_"))
    changed = text[:place] + letter + text[place + 1 :]
    if changed != text:
        with pytest.raises(TokenError):
            Token.decode(changed)


def test_a_token_cut_short_is_refused():
    text = token().encode()
    for length in range(len(text)):
        with pytest.raises(TokenError):
            Token.decode(text[:length])


def test_a_token_of_another_probe_or_code_is_refused_with_the_reason():
    made = token()
    made.require(probe="a" * 64, code="b" * 64)
    with pytest.raises(TokenError, match="another probe"):
        made.require(probe="c" * 64, code="b" * 64)
    with pytest.raises(TokenError, match="other code"):
        made.require(probe="a" * 64, code="c" * 64)


def test_a_swap_outside_the_call_is_refused():
    with pytest.raises(TokenError, match="has 4 jobs"):
        Swaps(((0, 9),)).permutation(4)


@pytest.mark.parametrize(
    "fields", ["[" * 3000 + "]" * 3000, "[1e999]", '["a","b",["f",1e999,"g"]]']
)
def test_a_crafted_token_is_refused_like_a_damaged_one(fields):
    body = zlib.compress(fields.encode())
    packed = body + zlib.crc32(body).to_bytes(4, "big")
    text = "r1:" + base64.urlsafe_b64encode(packed).decode().rstrip("=")
    with pytest.raises(TokenError, match="damaged"):
        Token.decode(text)
