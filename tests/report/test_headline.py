from __future__ import annotations

import dataclasses

import pytest

from repro.model.delivery import Delivery
from repro.model.evidence import Holds
from repro.model.findings import Cause, CauseKind
from repro.model.rung import Rung
from repro.report.headline import headline, publish, spec, trusted


def said(answers) -> list[str]:
    return [item.text for answer in answers for item in answer.items]


HEADLINES = {
    "nondeterministic": "NOT REPRODUCIBLE as shipped: which LoopTrees survive depends on "
    "completion order",
    "several-causes": "NOT REPRODUCIBLE as shipped: the objective values depend on completion "
    "order (4 causes in all, see below)",
    "python-search": "NOT REPRODUCIBLE as shipped: which rows survive depends on the environment "
    "of the run (3 causes in all, see below)",
    "reproducible": "REPRODUCIBLE as shipped: everything tried gave the same outcome, down to "
    "bytes",
    "restricted": "REPRODUCIBLE with serial and ordered delivery: everything tried gave the same "
    "outcome, down to bytes",
    "objectives-required": "REPRODUCIBLE as shipped: objectives hold, as was required; which "
    "LoopTrees survive depends on completion order",
    "inconclusive": "INCONCLUSIVE as shipped: the check is incomplete, so it proves nothing",
    "no-outcome": "INCONCLUSIVE: the check is incomplete, so it proves nothing",
}


@pytest.mark.parametrize("name", HEADLINES)
def test_the_headline_says_what_depends_on_what(name, sample) -> None:
    assert headline(sample(name)).text == HEADLINES[name]


@pytest.mark.parametrize(
    ("kind", "ending"),
    [
        (CauseKind.JOBS, "depends on when its parallel jobs run"),
        (CauseKind.WORKERS, "depends on the number of workers"),
        (CauseKind.UNKNOWN, "changes from run to run; the cause was not found"),
    ],
)
def test_every_kind_of_cause_has_its_sentence(kind, ending, nondeterministic) -> None:
    causes = (Cause(kind=kind, first_rung=Rung.SURVIVORS),)
    result = dataclasses.replace(nondeterministic, causes=causes)
    assert headline(result).meaning == f"which LoopTrees survive {ending}"


def test_a_difference_without_a_cause_is_still_said(nondeterministic) -> None:
    result = dataclasses.replace(nondeterministic, causes=())
    assert headline(result).meaning == "which LoopTrees survive differs"


def test_a_cosmetic_difference_is_not_called_the_same_down_to_bytes(sample) -> None:
    result = sample("reproducible")
    cosmetic = Holds(True, True, True, True, False)  # noqa: FBT003 - the five rungs
    native = dataclasses.replace(result.deliveries[Delivery.NATIVE], holds=cosmetic)
    result = dataclasses.replace(result, deliveries={**result.deliveries, Delivery.NATIVE: native})
    assert headline(result).meaning == "everything tried gave the same outcome, down to row order"


def test_publishing_is_answered_apart_for_objectives_trees_and_cured_runs(nondeterministic) -> None:
    assert said(publish(nondeterministic)) == [
        "objective values: yes, they held in everything tried",
        "which LoopTrees survive: no, not as shipped",
        "everything, if run with serial or ordered delivery: yes, both held down to bytes",
    ]


def test_objectives_that_change_are_not_to_be_published(sample) -> None:
    assert said(publish(sample("several-causes"))) == [
        "as shipped: no, even the objective values are not the same every time",
        "everything, if run with serial delivery: yes, it held down to bytes",
    ]


def test_nothing_is_safe_where_serial_runs_differ_and_the_cause_is_unknown(sample) -> None:
    assert said(publish(sample("python-search")))[-1] == (
        "no delivery that was judged is safe to publish from"
    )


def test_deliveries_that_were_not_judged_are_said_not_to_be(sample) -> None:
    assert said(publish(sample("restricted"))) == [
        "yes, from serial and ordered delivery; as shipped (native) it was not judged"
    ]


def test_an_inconclusive_check_says_no_and_gives_every_reason(sample) -> None:
    answers = publish(sample("inconclusive"))
    assert [answer.label for answer in answers] == ["publish", "because"]
    assert said(answers)[0].startswith("no, not on this evidence")
    assert len(answers[1].items) == 7
    assert "fromTheFuture, knob 3, siteCount 2" in said(answers)


def test_a_weaker_requirement_is_answered_for_that_only(sample) -> None:
    assert said(publish(sample("objectives-required"))) == [
        "objectives: yes, as was asked",
        "which LoopTrees survive: no, that is not the same every time",
    ]


def test_ordered_delivery_is_not_trusted_where_jobs_themselves_vary(nondeterministic) -> None:
    assert trusted(nondeterministic) == [Delivery.SERIAL, Delivery.ORDERED]
    jobs = dataclasses.replace(nondeterministic, causes=(Cause(kind=CauseKind.JOBS),))
    assert trusted(jobs) == [Delivery.SERIAL]


@pytest.mark.parametrize(
    ("arguments", "pasted"),
    [
        (None, "'my probe'"),
        ("p --set a=1", "p --set a=1"),
        ("p; rm -rf x", "'p;' rm -rf x"),
        ("p 'open", "'p '\"'\"'open'"),
    ],
)
def test_how_the_probe_is_named_is_safe_to_paste(arguments, pasted, nondeterministic) -> None:
    probe = dataclasses.replace(nondeterministic.probe, name="my probe", arguments=arguments)
    assert spec(dataclasses.replace(nondeterministic, probe=probe)) == pasted
