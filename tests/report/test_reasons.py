from __future__ import annotations

import pytest

from repro.model.result import Reason
from repro.report.reasons import NOTES, is_note, words

SITE = {"file": "search/outer.py", "line": 71, "function": "sweep"}

SAID = [
    (
        Reason("runCrashed", {"delivery": "native", "run": 2, "signal": 11, "detail": "in numba"}),
        "native run 2 crashed (SIGSEGV): in numba",
    ),
    (
        Reason("runCrashed", {"delivery": "native", "signal": "SIGKILL"}),
        "native run crashed (SIGKILL)",
    ),
    (
        Reason("runTimedOut", {"delivery": "serial", "run": 1, "limitSeconds": 600}),
        "serial run 1 was stopped after 10 min: it hung, or needs longer than its limit",
    ),
    (
        Reason("runWithoutOutcome", {"delivery": "injected", "run": 1}),
        "injected orders' run 1 ended as if all were well, but left no outcome",
    ),
    (
        Reason(
            "searchFailed",
            {"delivery": "ordered", "run": 1, "error": "KeyError: 'L2'", "site": SITE},
        ),
        "ordered run 1 failed in the search itself: KeyError: 'L2' at search/outer.py:71, sweep",
    ),
    (
        Reason("uncontrolledCall", {"site": SITE, "reason": "dask"}),
        "the order of results can't be set at search/outer.py:71, sweep: dask",
    ),
    (
        Reason("uncontrolledCall", {"site": "search/outer.py:71", "reason": "dask"}),
        "the order of results can't be set at search/outer.py:71: dask",
    ),
    (Reason("noJoblibCall"), "the search made no joblib call, so there was no order to control"),
    (
        Reason("jobsOpaque", {"jobs": ["a", "b"], "path": "result[0]"}),
        "results of jobs a and b can't be compared; first result[0]",
    ),
    (
        Reason("jobsOpaque", {"jobs": 5, "path": "a: [0]"}),
        "results of 5 jobs can't be compared; first a: [0]",
    ),
    (
        Reason("jobsDiffer", {"jobs": 1, "first": "QK template 4", "site": "a.py:3"}),
        "1 job gave another result in another execution order: first QK template 4 at a.py:3",
    ),
    (
        Reason("budgetExhausted", {"asked": 200, "done": 3}),
        "the time ran out: 3 of 200 orders were tried",
    ),
    (
        Reason("canaryFailed", {"detail": "joblib 9 has no return_as"}),
        "joblib's order of delivery can't be controlled here: joblib 9 has no return_as",
    ),
    (
        Reason("orderedDiffers", {"rung": "rowOrder"}),
        (
            "ordered delivery differs from serial on row order, so repro.deterministic() can't be "
            "promised to cure it"
        ),
    ),
    (
        Reason("orderCrashed", {"token": "r1:abc", "signal": 9}),
        "the search crashed under an injected order (SIGKILL) (--replay r1:abc)",
    ),
    (
        Reason("orderFailed", {"site": "a.py:3", "error": "IndexError"}),
        "the search raised an error under an injected order at a.py:3: IndexError",
    ),
    (
        Reason("diskFull", {"delivery": "native"}),
        "native run ended because no space was left on the disk",
    ),
    (
        Reason("capped", {"what": "witnesses", "shown": 4, "total": 9}),
        "witnesses: 4 of 9 are listed",
    ),
    (
        Reason("environmentVaried", {"names": ["hash seed", "locale"]}),
        "serial runs varied hash seed and locale",
    ),
]


@pytest.mark.parametrize(
    ("reason", "text"),
    SAID,
    ids=[f"{reason.code}-{place}" for place, (reason, _) in enumerate(SAID)],
)
def test_a_reason_is_said_with_its_facts(reason, text) -> None:
    assert words(reason).what == text


@pytest.mark.parametrize("code", sorted({reason.code for reason, _ in SAID} | NOTES))
def test_a_reason_without_its_facts_is_still_said(code) -> None:
    assert len(words(Reason(code)).what) > len(code)


def test_what_happened_several_times_says_so() -> None:
    assert words(Reason("diskFull", {"delivery": "native", "times": 3})).what.endswith("(3 times)")


def test_an_unknown_code_is_printed_with_its_facts() -> None:
    reason = Reason("fromTheFuture", {"knob": 3, "sites": [SITE]})
    assert words(reason).what == "fromTheFuture, knob 3, sites search/outer.py:71, sweep"
    assert words(reason).do == ""


def test_notes_are_told_apart_from_what_stands_in_the_way() -> None:
    codes = ["noUnorderedJobs", "fallbackFresh", "capped", "runCrashed", "noJoblibCall", "other"]
    assert [is_note(Reason(code)) for code in codes] == [True, True, True, False, False, False]


@pytest.mark.parametrize("code", ["runCrashed", "runTimedOut", "budgetExhausted", "canaryFailed"])
def test_what_stands_in_the_way_comes_with_what_to_do(code) -> None:
    assert words(Reason(code)).do
