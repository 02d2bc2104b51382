"""Sites in words: which were cleared by test, which were not tested, which can't matter.

Owns the lists of sites. The one that causes a difference is told by `repro.report.found`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.model.delivery import Delivery
from repro.report.reasons import unseen
from repro.report.story import Answer, Item, Listed, Prose, Tone
from repro.report.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repro.model.findings import SiteResult
    from repro.model.result import CheckResult

_SHOWN = 12
_SWAP = 2


def sites(result: CheckResult) -> tuple[Answer, ...]:
    """Say which sites were cleared, by how many orders, and which were not tested."""
    cleared = [site for site in result.sites if site.cleared]
    untested = [site for site in result.sites if site.untested]
    ordered = [site for site in result.sites if not site.unordered]
    answers: list[Answer] = []
    if cleared:
        other = (
            "other unordered site"
            if any(site.sensitive for site in result.sites)
            else ("unordered site")
        )
        what = f"no order tried at {counted(len(cleared), other)} changes the outcome"
        answers.append(Answer("cleared", _places(what, Tone.GOOD, cleared)))
    if untested and Delivery.INJECTED not in result.deliveries:
        what = f"at {counted(len(untested), 'site')} order may matter; injecting was not asked for"
        answers.append(Answer("untested", (Prose(what, Tone.QUIET),)))
    elif untested:
        what = f"{counted(len(untested), 'site')} where order may matter: none was tried"
        answers.append(Answer("untested", _places(what, Tone.DOUBT, untested)))
    if ordered:
        take = "takes" if len(ordered) == 1 else "take"
        what = f"{counted(len(ordered), 'site')} that {take} results in job order: nothing to try"
        answers.append(Answer("others", (Prose(what, Tone.QUIET),)))
    return tuple(answers)


def _places(what: str, tone: Tone, several: Sequence[SiteResult]) -> tuple[Item, ...]:
    """List sites with the orders tried there; the folder that all share is named once."""
    shown = several[:_SHOWN]
    shared = _shared_folder(shown)
    leads = [_tried(site) for site in shown]
    column = max(map(len, leads))
    items: list[Item] = [Prose(f"{what} (in {shared})" if shared else what, tone)]
    items += [
        Listed(lead.ljust(column + 2), str(site.site).removeprefix(shared), _function(site))
        for lead, site in zip(leads, shown, strict=True)
    ]
    if len(several) > _SHOWN:
        items.append(Prose(unseen(len(several) - _SHOWN), Tone.QUIET))
    return tuple(items)


def _shared_folder(several: Sequence[SiteResult]) -> str:
    """Return the folder that all files lie in, with its slash, if there is one worth naming."""
    folders = [site.file.split("/")[:-1] for site in several]
    parts: list[str] = []
    for names in zip(*folders, strict=False):
        if len(set(names)) > 1:
            break
        parts.append(names[0])
    return "/".join([*parts, ""])


def _tried(site: SiteResult) -> str:
    if site.orders_tried:
        return counted(site.orders_tried, "order")
    return "one job" if site.jobs < _SWAP else "untried"


def _function(site: SiteResult) -> str:
    return f"{site.function} (inside a job)" if site.nested else site.function
