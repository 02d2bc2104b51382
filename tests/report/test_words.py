from __future__ import annotations

import pytest

from repro.model.delivery import Delivery
from repro.model.findings import CauseKind
from repro.model.rung import LADDER, Rung
from repro.report.words import (
    CAUSES,
    DEPENDS_ON,
    GLOSSES,
    RUNGS,
    counted,
    duration,
    listed,
    percent,
    spaced,
    subject,
)


def test_every_rung_delivery_and_cause_has_words() -> None:
    assert set(RUNGS) == set(Rung)
    assert set(GLOSSES) == set(Delivery)
    assert set(DEPENDS_ON) == set(CauseKind) == set(CAUSES)


@pytest.mark.parametrize(
    ("items", "text"),
    [([], ""), (["a"], "a"), (["a", "b"], "a and b"), (["a", "b", "c"], "a, b and c")],
)
def test_items_are_joined_as_in_a_sentence(items, text) -> None:
    assert listed(items) == text


def test_a_capped_list_says_how_many_it_leaves_out() -> None:
    assert listed("abcde", cap=2) == "a, b and 3 more"
    assert listed("ab", cap=2) == "a and b"


def test_a_choice_is_joined_by_or() -> None:
    assert listed(["serial", "ordered"], "or") == "serial or ordered"


@pytest.mark.parametrize(
    ("number", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12345, "12,345 rows")]
)
def test_counts_agree_with_their_noun(number, text) -> None:
    assert counted(number, "row") == text


@pytest.mark.parametrize(
    ("rate", "text"),
    [(0.0798, "8%"), (0.083, "8.3%"), (0.63, "63%"), (0.0012, "0.12%"), (1, "100%")],
)
def test_rates_are_rounded_to_what_can_be_read(rate, text) -> None:
    assert percent(rate) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.03, "30 ms"),
        (4.84, "4.8 s"),
        (9.97, "10 s"),
        (84.2, "84 s"),
        (119.7, "2 min"),
        (200, "3 min 20 s"),
        (4512, "1 h 15 min"),
    ],
)
def test_times_are_said_as_a_reader_would(seconds, text) -> None:
    assert duration(seconds) == text


def test_verbs_agree_with_what_differs() -> None:
    said = [subject(rung, "LoopTrees").does("depend") for rung in LADDER]
    assert said == [
        "the objective values depend",
        "which LoopTrees survive depends",
        "which LoopTrees survive depends",
        "the order of the LoopTrees depends",
        "how the rows are written depends",
    ]


def test_keys_are_spaced_into_words() -> None:
    assert spaced("hashSeed") == "hash seed"
