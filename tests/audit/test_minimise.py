from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repro.audit.minimise import minimise
from repro.model.delivery import Reversed, Seeded, Swaps


class Oracle:
    """Counts the orders that it was asked for."""

    def __init__(self, changes, jobs, budget=10_000):
        self.changes = changes
        self.jobs = jobs
        self.left = budget
        self.tests = 0

    def __call__(self, orders):
        verdicts = []
        for order in orders:
            self.left -= 1
            self.tests += 1
            known = self.left >= 0
            verdicts.append(self.changes(order.permutation(self.jobs)) if known else None)
        return verdicts


def before(first, second):
    """An outcome that changes when one job comes before another."""
    return lambda order: order.index(first) < order.index(second)


@pytest.mark.parametrize(("early", "late"), [(0, 53), (10, 11), (3, 40), (26, 27)])
def test_one_inverted_pair_needs_one_swap(early, late):
    oracle = Oracle(before(late, early), 54)
    order = minimise(Reversed().permutation(54), oracle)
    assert len(order.pairs) == 1
    assert before(late, early)(order.permutation(54))
    assert oracle.tests <= 60


def test_a_fault_that_needs_two_exchanges_keeps_both():
    def changes(order):
        return before(9, 2)(order) and before(17, 12)(order)

    order = minimise(Reversed().permutation(20), Oracle(changes, 20))
    assert changes(order.permutation(20))
    for left_out in order.pairs:
        fewer = Swaps(tuple(pair for pair in order.pairs if pair != left_out))
        assert not changes(fewer.permutation(20))


def test_an_order_that_is_one_swap_already_needs_no_test():
    oracle = Oracle(before(3, 1), 5)
    assert minimise((0, 3, 2, 1, 4), oracle) == Swaps(((1, 3),))
    assert oracle.tests == 0


def test_a_spent_budget_gives_what_was_reached():
    changes = before(29, 0)
    order = minimise(Reversed().permutation(30), Oracle(changes, 30, budget=2))
    assert changes(order.permutation(30))
    assert len(order.pairs) > 1


def test_151_jobs_take_at_most_250_reductions():
    for early, late in ((0, 150), (70, 80), (12, 140)):
        oracle = Oracle(before(late, early), 151)
        assert len(minimise(Reversed().permutation(151), oracle).pairs) == 1
        assert oracle.tests <= 250


@given(seed=st.integers(0, 10_000), jobs=st.integers(3, 25), data=st.data())
def test_what_is_left_changes_the_outcome_and_nothing_can_be_left_out(seed, jobs, data):
    early = data.draw(st.integers(0, jobs - 2))
    late = data.draw(st.integers(early + 1, jobs - 1))
    changes = before(late, early)
    permutation = Seeded(seed, 0).permutation(jobs)
    if not changes(permutation):
        return
    order = minimise(permutation, Oracle(changes, jobs))
    assert changes(order.permutation(jobs))
    for place in range(len(order.pairs)):
        fewer = Swaps(order.pairs[:place] + order.pairs[place + 1 :])
        assert len(order.pairs) == 1 or not changes(fewer.permutation(jobs))
