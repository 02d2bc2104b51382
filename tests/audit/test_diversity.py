from __future__ import annotations

import importlib.util
import sys

import pytest

from repro.audit.diversity import diversity, top_latency
from repro.canon.frame import outcome_from_rows
from repro.model.findings import TopLatency

LEAST = 90
"""Of 100 classes, by the issue that asked for it."""
SEEDS = 5


@pytest.fixture(scope="module")
def simulation(root):
    """The benchmark that simulates classes of known size, as a module."""
    path = root / "benchmarks" / "diversity.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_diversity", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def outcome(*names, latency="t"):
    rows = [{"name": name, "t": float(place)} for place, name in enumerate(names, start=1)]
    return outcome_from_rows(rows, identity=["name"], objectives=["t"], latency=latency)


@pytest.mark.parametrize("seed", range(SEEDS))
def test_the_interval_covers_the_truth_in_at_least_90_of_100_classes(simulation, seed) -> None:
    tries = [simulation.estimate(each) for each in simulation.classes(seed, simulation.FAMILIES)]
    assert len(tries) == 100
    assert sum(found.covers for found in tries) >= LEAST


def test_every_family_is_covered_and_not_only_all_of_them_together(simulation) -> None:
    tries = [
        simulation.estimate(each)
        for seed in range(4 * SEEDS)
        for each in simulation.classes(seed, simulation.FAMILIES)
    ]
    for name in simulation.FAMILIES:
        family = [found for found in tries if found.subject.family == name]
        assert len(family) == 400
        assert sum(found.covers for found in family) >= 4 * LEAST, name


def test_the_interval_says_something(simulation) -> None:
    """One that is always wide would cover, too."""
    tries = [simulation.estimate(each) for each in simulation.classes(0, simulation.FAMILIES)]
    widths = sorted((found.high - found.low) / found.subject.size for found in tries)
    assert widths[len(widths) // 2] < 0.25
    assert widths[len(widths) * 9 // 10] < 1.0


def test_the_classes_are_those_that_were_asked_for(simulation) -> None:
    found = list(simulation.classes(0, simulation.FAMILIES))
    assert min(each.orders for each in found) >= 8
    assert max(each.orders for each in found) <= 60
    assert {each.size for each in found if each.family == "measured"} == {139, 62}
    uneven = [each.shown for each in found if each.family == "uneven"]
    shares = [shown.sum(axis=1).mean() / shown.shape[1] for shown in uneven]
    assert min(shares) > 0.25
    assert max(shares) < 0.55
    assert all(shown.all(axis=0).sum() >= 4 for shown in uneven)


def test_the_committed_page_is_what_the_command_makes(simulation, root) -> None:
    # A later numpy may draw differently: then make the page anew.
    page = (root / "docs" / "results" / "diversity.md").read_text(encoding="utf-8")
    assert page == simulation.report(20)


def test_counts_are_those_of_all_outcomes_and_the_estimate_of_random_ones() -> None:
    reference = outcome("a", "b")
    others = [outcome("a", "c")] * 4 + [outcome("a", "d")] * 4
    found = diversity(reference, [reference, *others, outcome("a", "e")], others)
    assert (found.per_run, found.seen, found.core) == (2, 5, 1)
    assert (found.estimated, found.low, found.high) == (5, 5, 5)


def test_there_is_no_estimate_from_fewer_than_eight_random_orders() -> None:
    reference = outcome("a")
    found = diversity(reference, [reference] * 8, [reference] * 7)
    assert (found.estimated, found.low, found.high) == (None, None, None)


def test_the_fastest_rows_are_judged_as_a_ranking_of_them_is() -> None:
    reference = outcome(*"abcdefghijkl")
    swapped = outcome("a", "x", *"cdefghijkl")
    assert top_latency(reference, [reference, swapped]) == TopLatency(10, 9, 1)
    assert top_latency(outcome("a", "b"), [outcome("a", "b")]) == TopLatency(2, 2, 0)


def test_a_search_without_latencies_has_no_fastest_rows() -> None:
    assert top_latency(outcome("a", latency=None), [outcome("a", latency=None)]) is None
