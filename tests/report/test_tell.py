from __future__ import annotations

import dataclasses

from repro.model.result import Reason
from repro.report.story import Tone
from repro.report.tell import tell


def test_a_story_ends_with_the_verdict_what_was_required_and_the_exit_code(each) -> None:
    story = tell(each)
    assert story.last.startswith(story.headline.claim)
    assert story.last.endswith(f"required; exit code {each.exit_code})")


def test_how_it_was_made_names_times_and_versions(nondeterministic) -> None:
    assert tell(nondeterministic).made == (
        "checked in 2 min 21 s on 2 cores (a serial search 19 s, an injected order 6.0 s); "
        "AccelForge 1.0.467, joblib 1.6.0, Python 3.12.11, repro 0.1.0"
    )


def test_a_package_that_is_not_there_is_not_named(nondeterministic) -> None:
    environment = dataclasses.replace(nondeterministic.environment, accelforge=None)
    result = dataclasses.replace(nondeterministic, environment=environment)
    assert "AccelForge" not in tell(result).made


def test_what_stood_in_the_way_of_a_verdict_that_stands_is_noted_with_what_to_do(
    nondeterministic,
) -> None:
    crashed = Reason("runCrashed", {"delivery": "native", "run": 2})
    (answer,) = tell(dataclasses.replace(nondeterministic, reasons=(crashed,))).notes
    assert answer.label == "note"
    assert answer.items[0].text.startswith("native run 2 crashed; ")
    assert answer.items[0].tone is Tone.DOUBT


def test_reasons_of_an_inconclusive_check_are_given_once(sample) -> None:
    story = tell(sample("inconclusive"))
    because = next(answer for answer in story.publish if answer.label == "because")
    assert story.notes == ()
    assert len(because.items) == len(sample("inconclusive").reasons)
