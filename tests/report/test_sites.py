from __future__ import annotations

import dataclasses

from repro.report.sites import sites
from repro.report.story import Listed


def listed(answer) -> list[str]:
    return [
        f"{item.lead}{item.path}, {item.about}" for item in answer.items if isinstance(item, Listed)
    ]


def test_sites_cleared_by_test_are_listed_with_their_orders(nondeterministic) -> None:
    cleared, others = sites(nondeterministic)
    assert cleared.items[0].text == (
        "no order tried at 8 other unordered sites changes the outcome (in accelforge/mapper/FFM/)"
    )
    assert listed(cleared)[:3] == [
        "5 orders  _join_pmappings/compress_pmappings.py:61, compress_einsum2pmappings",
        "5 orders  _join_pmappings/compress_pmappings.py:148, decompress_pmappings",
        "8 orders  main.py:312, _compile_dependencies",
    ]
    assert "one job   _join_pmappings/join_pmappings.py:455, _group_reservations" in listed(cleared)
    assert others.items[0].text == "1 site that takes results in job order: nothing to try"


def test_the_site_that_causes_the_difference_is_not_among_the_cleared(nondeterministic) -> None:
    assert not any("make_pmappings.py" in line for line in listed(sites(nondeterministic)[0]))


def test_sites_where_order_may_matter_but_none_was_tried_are_not_called_cleared(sample) -> None:
    answers = {answer.label: answer for answer in sites(sample("inconclusive"))}
    assert answers["untested"].items[0].text == "2 sites where order may matter: none was tried"
    assert listed(answers["untested"]) == [
        "untried  search/outer.py:71, sweep",
        "untried  accelforge/mapper/FFM/mappings.py:88, evaluate (inside a job)",
    ]
    assert answers["cleared"].items[0].text.startswith("no order tried at 1 unordered site changes")


def test_sites_are_not_listed_where_no_order_was_asked_for(sample) -> None:
    (untested,) = sites(sample("restricted"))
    assert untested.items[0].text == "at 1 site order may matter; injecting was not asked for"
    assert listed(untested) == []


def test_files_at_an_absolute_path_keep_their_folder(nondeterministic) -> None:
    moved = tuple(
        dataclasses.replace(site, file=f"/home/me/{site.file}") for site in nondeterministic.sites
    )
    cleared = sites(dataclasses.replace(nondeterministic, sites=moved))[0]
    assert cleared.items[0].text.endswith("(in /home/me/accelforge/mapper/FFM/)")
    assert listed(cleared)[2] == "8 orders  main.py:312, _compile_dependencies"


def test_a_long_list_is_cut_and_says_so(nondeterministic) -> None:
    one = next(site for site in nondeterministic.sites if site.cleared)
    many = tuple(dataclasses.replace(one, line=line) for line in range(1, 31))
    cleared = sites(dataclasses.replace(nondeterministic, sites=many))[0]
    assert len(listed(cleared)) == 12
    assert cleared.items[-1].text == "and 18 more, all in the JSON"


def test_a_search_without_sites_says_nothing_about_them(nondeterministic) -> None:
    assert sites(dataclasses.replace(nondeterministic, sites=())) == ()
