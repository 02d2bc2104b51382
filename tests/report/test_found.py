from __future__ import annotations

import dataclasses

import pytest

from repro.model.evidence import Holds
from repro.model.findings import Bound, Cause, CauseKind, Diversity
from repro.model.rung import LADDER, Rung
from repro.report.found import causes, extent
from repro.report.story import Difference, Place, Prose


def labels(answers) -> list[str]:
    return [answer.label for answer in answers]


def prose(answers, label) -> list[str]:
    return [
        item.text
        for answer in answers
        if answer.label == label
        for item in answer.items
        if isinstance(item, Prose)
    ]


def with_witness(result, **changes):
    witness = dataclasses.replace(result.witnesses[0], **changes)
    return dataclasses.replace(result, witnesses=(witness,))


def test_an_order_cause_is_placed_explained_and_shown(nondeterministic) -> None:
    answers = causes(nondeterministic)
    assert labels(answers) == ["where", "why", "example"]
    place = answers[0].items[0]
    assert isinstance(place, Place)
    assert place.path == "accelforge/mapper/FFM/_make_pmappings/make_pmappings.py:398"
    assert place.about == "make_pmappings"
    assert prose(answers, "where") == [
        "6 of 8 orders tried at this site alone differ; it has 31 jobs"
    ]
    assert prose(answers, "why") == [
        'swapping two of its 31 jobs is enough: "QK template 4" and "QK template 11"',
        (
            "that alone replaces 9 LoopTrees by 9 others with the same objective values: they tie; "
            "this very order needs 8 workers if each takes one job at a time; others need fewer"
        ),
    ]


def test_the_example_pairs_a_lost_tree_with_the_most_similar_one(nondeterministic) -> None:
    example = causes(nondeterministic)[2].items[1]
    assert example == Difference(
        (
            "   nested",
            "-    for l in 4 tiles of 128",
            "+    for l in 2 tiles of 256",
            "     L2 keeps QK",
            "  ...",
            "   nested",
            "-    for s in 8 tiles of 64",
            "+    for s in 16 tiles of 32",
            "     MAC computes SM",
        )
    )


def test_a_long_example_is_cut_and_says_so(nondeterministic) -> None:
    lost = "\n".join(f"for a{n} in 2 tiles of 4" for n in range(20))
    gained = lost.replace("of 4", "of 8")
    result = with_witness(nondeterministic, lost_trees=(lost,), gained_trees=(gained,))
    (example,) = causes(result)[2].items[1:]
    assert len(example.lines) == 15
    assert example.lines[-1] == "  (26 more lines)"


def test_more_moved_jobs_than_are_named_are_counted(nondeterministic) -> None:
    moved = tuple(f"job {n}" for n in range(12))
    result = with_witness(nondeterministic, moved=moved, moved_count=19)
    assert prose(causes(result), "why")[0] == (
        'moving 19 of its 31 jobs is enough: "job 0", "job 1", "job 2", "job 3", "job 4", "job 5" '
        "and 13 more"
    )


def test_trees_are_not_said_to_tie_where_objectives_change(nondeterministic) -> None:
    native, *_ = nondeterministic.deliveries
    found = dataclasses.replace(
        nondeterministic.deliveries[native], holds=Holds.of(dict.fromkeys(LADDER, False))
    )
    result = dataclasses.replace(
        nondeterministic, deliveries={**nondeterministic.deliveries, native: found}
    )
    assert "tie" not in " ".join(prose(causes(result), "why"))


@pytest.mark.parametrize(
    ("first", "text"),
    [
        (Rung.ROW_ORDER, "the LoopTrees stay the same, their order doesn't"),
        (Rung.OBJECTIVES, "the LoopTrees stay the same, their objective values don't"),
    ],
)
def test_a_witness_that_loses_nothing_says_what_changes(first, text, nondeterministic) -> None:
    result = with_witness(nondeterministic, lost=0, gained=0, lost_trees=(), gained_trees=())
    cause = dataclasses.replace(result.causes[0], first_rung=first)
    answers = causes(dataclasses.replace(result, causes=(cause,)))
    assert prose(answers, "why")[1].startswith(text)
    assert "example" not in labels(answers)


def test_a_witness_that_brings_nothing_new_is_not_called_a_tie(nondeterministic) -> None:
    result = with_witness(nondeterministic, lost=52, gained=0, gained_trees=())
    said = prose(causes(result), "why")[1]
    assert said.startswith("that alone loses 52 LoopTrees and brings no other; ")


def test_several_causes_are_numbered_and_each_is_told(sample) -> None:
    answers = causes(sample("several-causes"))
    leads = [text for text in prose(answers, "where") if text.startswith("cause ")]
    assert leads == [
        "cause 1 of 4, completion order:",
        "cause 2 of 4, completion order:",
        "cause 3 of 4, jobs that are not independent:",
        "cause 4 of 4, worker count:",
    ]
    assert labels(answers).count("why") == 4


def test_a_cause_without_a_witness_says_that_none_was_singled_out(sample) -> None:
    assert (
        "no smaller reordering was singled out" in prose(causes(sample("several-causes")), "why")[2]
    )


@pytest.mark.parametrize("kind", CauseKind)
def test_every_kind_of_cause_is_told_without_site_or_witness(kind, nondeterministic) -> None:
    result = dataclasses.replace(nondeterministic, causes=(Cause(kind=kind),))
    answers = causes(result)
    assert prose(answers, "where") == ["in the search as a whole: no single site could be named"]
    assert len(prose(answers, "why")) == 1


def test_the_environment_cause_names_the_settings(nondeterministic) -> None:
    result = dataclasses.replace(nondeterministic, causes=(Cause(kind=CauseKind.ENVIRONMENT),))
    assert prose(causes(result), "why") == [
        "serial runs differ when these are varied: hash seed, time zone and locale"
    ]


def test_the_extent_says_how_much_a_run_shows(nondeterministic) -> None:
    assert prose(extent(nondeterministic), "extent") == [
        (
            "a run shows 52 LoopTrees of at least 113 that tie (all that were seen; estimated 140, "
            "95% interval 121 to 190); 16 are in every outcome"
        ),
        "top 10 by latency: 7 settled (in every outcome), 3 drawn",
    ]


def test_a_settled_search_shows_all_there_is(nondeterministic) -> None:
    result = dataclasses.replace(
        nondeterministic, diversity=Diversity(per_run=20, seen=20, core=20)
    )
    assert prose(extent(result), "extent") == ["every outcome has the same 20 LoopTrees"]


@pytest.mark.parametrize(
    ("bound", "text"),
    [
        (
            Bound(36, 0, 0.0833),
            "0 of 36 injected orders differ; so the rate is below 8.3%, at 95% confidence",
        ),
        (Bound(8, 8, 1.0), "8 of 8 injected orders differ from serial"),
        (Bound(24, 1, 0.2), "1 of 24 injected orders differs from serial"),
        (Bound(1, 0, 1.0), "0 of 1 injected order differs: too few to bound the rate"),
    ],
)
def test_the_bound_is_said_of_the_orders_that_were_tried(bound, text, nondeterministic) -> None:
    result = dataclasses.replace(nondeterministic, bound=bound)
    assert prose(extent(result), "bound") == [text]


def test_rows_of_a_python_search_are_not_called_looptrees(sample) -> None:
    result = sample("python-search")
    assert "LoopTree" not in str(causes(result) + extent(result))
