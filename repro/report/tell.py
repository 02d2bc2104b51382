"""From the result of a check to a story that every format lays out.

Owns the order of the answers. Their sentences are in `repro.report.headline`, `tried` and
`found`; pure, as all of `repro.report`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.report import advice, found, headline, reasons, sites, tried
from repro.report.story import Answer, Prose, Story, Tone
from repro.report.words import RUNGS, counted, duration

if TYPE_CHECKING:
    from repro.model.result import CheckResult, Reason


def tell(result: CheckResult) -> Story:
    """Return the report of a check: its answers in words, in the order of the questions."""
    head = headline.headline(result)
    return Story(
        name=result.probe.name,
        title=result.probe.title,
        headline=head,
        publish=headline.publish(result),
        deliveries=tried.deliveries(result),
        legend=tried.legend(result),
        tried=tried.varied(result),
        found=(*found.causes(result), *sites.sites(result)),
        extent=found.extent(result),
        now=advice.now(result),
        notes=_notes(result),
        made=_made(result),
        last=f"{head.claim} ({RUNGS[result.require]} required; exit code {result.exit_code})",
    )


def _notes(result: CheckResult) -> tuple[Answer, ...]:
    """Tell how the check was made, and what stood in its way without deciding it."""
    told = {"environmentVaried"} if result.axes.environment is not None else set()
    noted = [
        reason
        for reason in result.reasons
        if (result.conclusive or reasons.is_note(reason)) and reason.code not in told
    ]
    items = tuple(_note(reason) for reason in noted)
    return (Answer("note", items),) if items else ()


def _note(reason: Reason) -> Prose:
    said = reasons.words(reason)
    if reasons.is_note(reason):
        return Prose(said.what, Tone.QUIET)
    return Prose(f"{said.what}; {said.do}" if said.do else said.what, Tone.DOUBT)


def _made(result: CheckResult) -> str:
    """Say in one line what it took and which versions were checked."""
    times, here = result.timings, result.environment
    parts = []
    if times.search_seconds is not None:
        parts.append(f"a serial search {duration(times.search_seconds)}")
    if times.seconds_per_order is not None:
        parts.append(f"an injected order {duration(times.seconds_per_order)}")
    detail = f" ({', '.join(parts)})" if parts else ""
    versions = [
        f"{name} {version}"
        for name, version in (
            ("AccelForge", here.accelforge),
            ("joblib", here.joblib),
            ("Python", here.python),
            ("repro", here.tool),
        )
        if version is not None
    ]
    took = f"checked in {duration(times.total_seconds)} on {counted(here.cores, 'core')}{detail}"
    return f"{took}; {', '.join(versions)}"
