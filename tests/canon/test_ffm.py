from __future__ import annotations

import json

import pandas as pd
import pytest

from repro.canon.ffm import outcome_from_mappings
from repro.errors import InfeasibleError, OutcomeError
from repro.model.outcome import Outcome
from repro.model.rung import LADDER, Rung

MAPPING = "Total<SEP>mapping"


@pytest.fixture(scope="module")
def outcome(matmul_rows) -> Outcome:
    return outcome_from_mappings(matmul_rows)


def test_the_real_search_has_the_rows_that_were_measured(outcome) -> None:
    assert len(outcome.rows) == 20
    assert len({row.survivor for row in outcome.rows}) == 20
    assert outcome.latency == "Total<SEP>latency"
    assert set(outcome.latencies()) == {524288.0}


def test_objectives_are_totals_and_reservations_that_are_not_zero_throughout(outcome) -> None:
    assert outcome.objectives == (
        "Total<SEP>energy",
        "Total<SEP>latency",
        "reservation<SEP>GlobalBuffer<SEP>-1<SEP>right",
    )


def test_a_reservation_that_is_absent_equals_one_of_zeros(outcome, matmul_rows) -> None:
    zeros = [name for name in matmul_rows.columns if name.startswith("reservation<SEP>MainMemory")]
    assert (matmul_rows[zeros] == 0).all(axis=None)
    without = outcome_from_mappings(matmul_rows.drop(columns=zeros))
    differs = {rung for rung in LADDER if without.digests[rung] != outcome.digests[rung]}
    assert differs == {Rung.BYTES}


def test_stride_columns_in_another_order_break_bytes_alone(outcome, matmul_rows) -> None:
    turned = outcome_from_mappings(matmul_rows[list(matmul_rows.columns[::-1])])
    differs = {rung for rung in LADDER if turned.digests[rung] != outcome.digests[rung]}
    assert differs == {Rung.BYTES}


def test_another_pmapping_breaks_bytes_even_if_the_whole_tree_is_the_same(
    outcome, matmul_rows
) -> None:
    changed = matmul_rows.copy()
    pmappings = list(changed["Matmul1<SEP>mapping"])
    pmappings[0] = next(other for other in pmappings if other is not pmappings[0])
    changed["Matmul1<SEP>mapping"] = pd.Series(pmappings, dtype=object)
    differs = {
        rung
        for rung, digest in outcome_from_mappings(changed).digests.items()
        if digest != outcome.digests[rung]
    }
    assert differs == {Rung.BYTES}


def test_a_real_outcome_survives_its_file(outcome) -> None:
    assert Outcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome


def test_a_search_that_found_nothing_says_so(matmul_rows) -> None:
    with pytest.raises(InfeasibleError, match="the search returned no mapping"):
        outcome_from_mappings(matmul_rows.iloc[:0])


def test_a_table_without_mappings_is_refused(matmul_rows) -> None:
    with pytest.raises(OutcomeError, match="must have a column 'Total<SEP>mapping'"):
        outcome_from_mappings(matmul_rows.drop(columns=[MAPPING]))
