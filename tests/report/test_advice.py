from __future__ import annotations

import dataclasses

import pytest

from repro.model.delivery import Delivery
from repro.model.findings import Cause, CauseKind
from repro.report.advice import now
from repro.report.story import Command, Prose


def prose(answers) -> str:
    return " ".join(
        item.text for answer in answers for item in answer.items if isinstance(item, Prose)
    )


def commands(answers) -> list[str]:
    return [item.text for answer in answers for item in answer.items if isinstance(item, Command)]


def test_the_cure_for_completion_order_is_named_with_the_command_that_checks_it(
    nondeterministic,
) -> None:
    answers = now(nondeterministic)
    assert "repro.deterministic()" in prose(answers)
    assert "--delivery ordered" in prose(answers)
    assert commands(answers)[0] == (
        "repro check attention-small --delivery serial --delivery ordered"
    )


def test_each_witness_can_be_replayed_by_one_command(nondeterministic) -> None:
    token = nondeterministic.witnesses[0].token
    assert commands(now(nondeterministic))[1:] == [f"repro check attention-small --replay {token}"]


def test_parameters_of_the_probe_are_part_of_the_command(sample) -> None:
    (replay,) = commands(now(sample("several-causes")))
    assert replay.startswith("repro check sdpa-b --set l=512 --set s=512 --replay r1:")


def test_the_cure_is_not_promised_where_ordered_delivery_differs(sample) -> None:
    text = prose(now(sample("several-causes")))
    assert text.startswith("publish serial runs: ordered delivery")
    assert "is no cure here" in text


def test_the_cure_is_to_be_tested_where_ordered_delivery_was_not_judged(nondeterministic) -> None:
    kept = {
        name: found
        for name, found in nondeterministic.deliveries.items()
        if name is not Delivery.ORDERED
    }
    answers = now(dataclasses.replace(nondeterministic, deliveries=kept))
    assert "It was not shown to be a cure here" in prose(answers)


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (CauseKind.JOBS, "make the jobs pure"),
        (CauseKind.ENVIRONMENT, "publish them with it"),
        (CauseKind.WORKERS, "--workers 2 is what was checked"),
        (CauseKind.UNKNOWN, "more runs"),
    ],
)
def test_each_kind_of_cause_has_its_own_advice(kind, words, nondeterministic) -> None:
    result = dataclasses.replace(nondeterministic, causes=(Cause(kind=kind),), witnesses=())
    assert words in prose(now(result))
    assert "deterministic()" not in prose(now(result))


def test_a_reproducible_search_needs_nothing_but_may_have_a_tighter_bound(sample) -> None:
    answers = now(sample("reproducible"))
    assert prose(answers) == "nothing to fix; more orders give a tighter bound:"
    assert commands(answers) == ["repro check matmul-fixed --orders 200"]
    assert prose(now(sample("no-order"))) == "nothing to fix"


def test_a_restricted_check_says_how_to_judge_the_rest(sample) -> None:
    answers = now(sample("restricted"))
    assert prose(answers).startswith("keep to serial and ordered delivery.")
    assert commands(answers) == ["repro check attention-small"]


def test_what_is_beyond_a_weak_requirement_is_still_cured(sample) -> None:
    text = prose(now(sample("objectives-required")))
    assert text.startswith("nothing to fix if objectives are all that is published")
    assert "repro.deterministic()" in text


def test_an_inconclusive_check_says_what_to_do_about_each_reason(sample) -> None:
    text = prose(now(sample("inconclusive")))
    assert "--budget" in text
    assert "return plain data" in text
    assert prose(now(sample("no-outcome"))) == (
        "make the search run to its end first: repro run attention-small --json FILE"
    )


def test_no_command_is_named_that_does_not_exist(each) -> None:
    known = {"check", "run", "diff", "report", "probes", "doctor"}
    named = prose(now(each)).replace("`", " ").split("repro ")[1:]
    named += [command.removeprefix("repro ") for command in commands(now(each))]
    assert {text.split()[0].rstrip(":.,") for text in named} <= known


def test_an_object_without_a_name_is_checked_again_from_python(sample) -> None:
    found = sample("nondeterministic")
    probe = dataclasses.replace(found.probe, arguments="")
    text = " ".join(commands(now(dataclasses.replace(found, probe=probe))))
    assert 'repro.check(search, deliveries=["serial", "ordered"])' in text
    assert 'repro.check(search, replay="r1:' in text
    assert "repro check" not in text
