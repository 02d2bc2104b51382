from __future__ import annotations

import dataclasses

import pytest

from repro.model.delivery import Delivery
from repro.model.evidence import (
    Axes,
    DeliveryResult,
    EnvironmentAxis,
    ExecutionOrderAxis,
    Holds,
    WorkersAxis,
)
from repro.model.rung import LADDER, Rung
from repro.report.story import Tone
from repro.report.tried import broken_words, deliveries, legend, varied


def broken(*rungs: Rung) -> Holds:
    return Holds.of({rung: rung not in rungs for rung in LADDER})


def findings(result) -> dict[str, str]:
    return {row.name: row.finding for row in deliveries(result)}


def labelled(result) -> dict[str, tuple[str, Tone]]:
    return {answer.label: (answer.items[0].text, answer.items[0].tone) for answer in varied(result)}


def with_axes(result, **axes):
    return dataclasses.replace(result, axes=Axes(**axes))


def test_each_delivery_says_what_became_of_it(nondeterministic) -> None:
    assert [(row.name, row.count, row.finding) for row in deliveries(nondeterministic)] == [
        ("serial", "3 runs", "identical, down to bytes"),
        ("ordered", "1 run", "identical to serial, down to bytes"),
        (
            "native",
            "2 runs",
            "on 2 cores: equal to serial this time; completion order can change it, see below",
        ),
        (
            "injected",
            "8 orders",
            "8 of 8 DIFFER, 5 outcomes: objectives hold, strategies and survivors don't",
        ),
    ]


def test_native_runs_that_were_merely_lucky_are_not_shown_as_good(nondeterministic) -> None:
    tones = [row.tone for row in deliveries(nondeterministic)]
    assert tones == [Tone.GOOD, Tone.GOOD, Tone.DOUBT, Tone.BAD]


def test_only_the_deliveries_that_were_judged_are_shown_and_explained(sample) -> None:
    result = sample("restricted")
    assert list(findings(result)) == ["serial", "ordered"]
    assert "native" not in legend(result)
    assert "injected" not in legend(result)


def test_failed_runs_are_counted_and_none_is_called_good(sample) -> None:
    rows = {row.name: row for row in deliveries(sample("inconclusive"))}
    assert rows["native"].count == "0 runs, 2 FAILED"
    assert rows["native"].finding == "no outcome, so nothing can be said"
    assert rows["injected"].count == "3 orders, 1 FAILED"
    assert Tone.GOOD not in {rows["native"].tone, rows["injected"].tone}


def test_no_order_to_try_is_not_a_fault(sample) -> None:
    row = deliveries(sample("no-order"))[-1]
    assert (row.name, row.count, row.tone) == ("injected", "0 orders", Tone.PLAIN)
    assert row.finding.startswith("no order to try")


def test_one_serial_run_is_the_reference_and_nothing_more(nondeterministic) -> None:
    alone = DeliveryResult(runs=1, holds=Holds.everywhere())
    result = dataclasses.replace(nondeterministic, deliveries={Delivery.SERIAL: alone})
    assert findings(result) == {"serial": "the outcome that others are held to"}


@pytest.mark.parametrize(
    ("holds", "text"),
    [
        (broken(*LADDER), "objectives, strategies and survivors differ"),
        (broken(*LADDER[1:]), "objectives hold, strategies and survivors don't"),
        (broken(*LADDER[2:]), "objectives and strategies hold, survivors don't"),
        (broken(Rung.OBJECTIVES, *LADDER[3:]), "strategies and survivors hold, objectives don't"),
        (broken(*LADDER[3:]), "the same rows, in another order"),
        (
            broken(Rung.BYTES),
            "the same rows in the same order; columns, types or float bits differ",
        ),
    ],
)
def test_what_differs_is_said_without_what_follows_from_it(holds, text) -> None:
    assert broken_words(holds) == text


def test_latency_groups_are_told_whether_they_hold_or_not(nondeterministic, sample) -> None:
    assert labelled(nondeterministic)["latency"] == (
        "the same 52 latency groups (52 rows) every time, whoever is in them",
        Tone.GOOD,
    )
    text, tone = labelled(sample("several-causes"))["latency"]
    assert text.startswith("latency groups DON'T HOLD in native and injected runs")
    assert tone is Tone.BAD
    assert "latency" not in labelled(sample("python-search"))


@pytest.mark.parametrize(
    ("tried", "text", "tone"),
    [
        (
            {1: Holds.everywhere(), 2: Holds.everywhere(), 64: broken(*LADDER[3:])},
            "64 workers: row order differs; 1 and 2: equal",
            Tone.DOUBT,
        ),
        (
            {1: Holds.everywhere(), 2: Holds.everywhere(), 64: Holds.everywhere()},
            "1, 2 and 64 workers: equal",
            Tone.GOOD,
        ),
        (
            {1: broken(*LADDER[2:]), 2: Holds.everywhere(), 16: Holds()},
            "1 worker: survivors differ; 16 workers: not judged; 2: equal",
            Tone.DOUBT,
        ),
    ],
)
def test_worker_counts_are_grouped_by_what_they_give(tried, text, tone, nondeterministic) -> None:
    result = with_axes(nondeterministic, workers=WorkersAxis(tuple(tried), tried))
    said = labelled(result)["workers"]
    assert said == (f"{text} (workers that the search is told of; 2 in this probe)", tone)


@pytest.mark.parametrize(
    ("holds", "opaque", "ending", "tone"),
    [
        (True, (), ": each gave the same result", Tone.GOOD),
        (False, (), ": results DIFFER, so jobs are not independent", Tone.BAD),
        (
            None,
            ("a", "b", "c", "d"),
            (
                ": whether results are the same can't be said; results of 4 jobs can't be "
                "compared: a, b, c and 1 more"
            ),
            Tone.DOUBT,
        ),
    ],
)
def test_jobs_tried_in_another_order_are_told(
    holds, opaque, ending, tone, nondeterministic
) -> None:
    axis = ExecutionOrderAxis(
        tried=("submitted", "reversed"), sites=1, jobs=31, holds=holds, opaque=opaque
    )
    said = labelled(with_axes(nondeterministic, execution_order=axis))["jobs"]
    what = "31 jobs at 1 site ran in 2 execution orders (submitted and reversed)"
    assert said == (what + ending, tone)


def test_settings_that_were_varied_are_named(nondeterministic) -> None:
    tried = ({"hashSeed": 1, "timeZone": "UTC"}, {"hashSeed": 2, "timeZone": "Asia/Tokyo"})
    same = EnvironmentAxis(tried, Holds.everywhere())
    assert labelled(with_axes(nondeterministic, environment=same))["settings"] == (
        "2 serial runs with hash seed and time zone varied: identical, down to bytes",
        Tone.GOOD,
    )
    other = EnvironmentAxis(tried, broken(*LADDER[2:]))
    assert labelled(with_axes(nondeterministic, environment=other))["settings"] == (
        (
            "2 serial runs with hash seed and time zone varied DIFFER: objectives and strategies "
            "hold, survivors don't"
        ),
        Tone.BAD,
    )


def test_what_was_not_varied_is_not_mentioned(nondeterministic) -> None:
    assert list(labelled(with_axes(nondeterministic))) == ["latency"]
