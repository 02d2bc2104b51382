"""What a ranking is worth, for a terminal or a log.

Owns the words and the order of the answers: may this be published, which ranks are settled,
what of the groups, what was not seen, what now. Colours only repeat what the words say. Leaves
the LoopTrees themselves to `repro.report.contenders`, the facts to `repro.audit.ranking`, and
printing to `repro.cli`.
"""

from __future__ import annotations

import io
import shlex
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.text import Text

from repro.model.presented import Showing
from repro.model.ranking import Doubt, RankingVerdict
from repro.report.beside import Hanging, whole
from repro.report.changed import short_name
from repro.report.contenders import contenders, often, things, value_text
from repro.report.reasons import is_note, words
from repro.report.words import counted, duration, listed, percent

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import RenderableType

    from repro.model.presented import Presented, PresentedList
    from repro.model.ranking import Rank, RankingResult

WIDTH = 100
"""Columns of a report that is written as plain text."""
SHOWN = 3
"""How many LoopTrees of a drawn rank are shown by default."""

_LABEL = 10
_STYLES = {
    RankingVerdict.SETTLED: "bold green",
    RankingVerdict.DRAWN: "bold red",
    RankingVerdict.INCONCLUSIVE: "bold yellow",
}


def report(result: RankingResult, *, show: int = SHOWN) -> RenderableType:
    """Return the report as a rich renderable.

    Args:
        result: What to tell.
        show: How many LoopTrees of each drawn rank to show; the counts are never cut.
    """
    return Group(
        *_heads(result),
        Text(),
        Hanging("", _headline(result), _STYLES[result.verdict], indent=2),
        Text(),
        *(_ranks(result) if result.presented is None else _presented(result, result.presented)),
        *contenders(result, show),
        Text(),
        *_claims(result),
        *_now(result),
        Text(),
        Hanging("", _last(result), _STYLES[result.verdict], indent=2),
    )


def render(result: RankingResult, *, show: int = SHOWN, width: int = WIDTH) -> str:
    """Return the report as plain text, without colour."""
    console = Console(
        file=io.StringIO(),
        width=width,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(report(result, show=show), crop=False)
    return capture.get()


def _heads(result: RankingResult) -> Iterator[RenderableType]:
    seen = result.outcomes
    yield whole(f"{result.probe.name}   {result.probe.title}".rstrip(), "bold")
    orders = counted(seen.injected, "of an injected order", "of injected orders")
    yield _line("ranked by", f"{short_name(result.by)}, smaller is better")
    yield _line(
        "seen",
        f"{counted(seen.total, 'outcome')}: {counted(seen.serial, 'serial run')}, {orders} "
        f"({seen.sampled:,} of them whole runs, drawn at random)",
    )


def _headline(result: RankingResult) -> str:
    if result.presented is not None:
        return _headline_of_list(result, result.presented)
    count = len(result.ranks)
    first = "the only rank" if count == 1 else f"the first {count} ranks"
    match result.verdict:
        case RankingVerdict.SETTLED:
            return f"SETTLED: {first}, in every outcome seen"
        case RankingVerdict.DRAWN:
            return f"DRAWN: of {first} {result.settled} settled, {result.drawn} drawn"
        case RankingVerdict.INCONCLUSIVE:
            return f"INCONCLUSIVE: nothing changed {first}, but not all was seen that should be"


def _headline_of_list(result: RankingResult, draft: PresentedList) -> str:
    bad = sum(not row.showing.holds for row in draft.rows)
    of_all = counted(len(draft.rows), "row")
    match result.verdict:
        case RankingVerdict.SETTLED:
            return f"MAY BE PUBLISHED: {draft.name} presents no draw as a result"
        case RankingVerdict.DRAWN:
            return f"NOT TO BE PUBLISHED: {bad} of {of_all} in {draft.name} can't be held to"
        case RankingVerdict.INCONCLUSIVE:
            return f"INCONCLUSIVE: nothing speaks against {draft.name}, but not all was seen"


def _ranks(result: RankingResult) -> Iterator[RenderableType]:
    """Yield the table of ranks."""
    name = short_name(result.by)
    values = [value_text(rank.value) for rank in result.ranks]
    width = max([len(name), *map(len, values)])
    yield whole(f"  {'rank':>5}  {name:<{width}}  standing  ", "bold")
    for rank, value in zip(result.ranks, values, strict=True):
        head = f"  {rank.rank:>5}  {value:<{width}}  {rank.standing.value:<8}  "
        style = "green" if rank.settled else "red"
        yield Hanging(head, _why(rank, result), style, indent=len(head))
    if result.asked > result.rows:
        yield whole(f"  there are {counted(result.rows, 'rank')}, {result.asked} were asked for")


def _why(rank: Rank, result: RankingResult) -> str:
    """Say what was seen at a rank."""
    if rank.settled:
        return f"one {things(result, one=True)}, alone, in all {result.outcomes.total} outcomes"
    parts = []
    if Doubt.COMPETED in rank.doubts:
        parts.append(f"{rank.competing} model-equal {things(result)} compete for it")
    if Doubt.SHARED in rank.doubts:
        tie = f"ranks {rank.first} to {rank.last} tie" if rank.first < rank.last else "others tie"
        parts.append(f"{tie} on {short_name(result.by)} alone")
    if Doubt.MOVED in rank.doubts:
        parts.append("other values stand here in some outcomes")
    held = often(rank.held, rank.held_sampled, result)
    return f"{'; '.join(parts)}; serial's own is here in {held}"


def _presented(result: RankingResult, draft: PresentedList) -> Iterator[RenderableType]:
    """Yield the table of a list's rows."""
    yield whole(f"  {'rank':>5}  {things(result, one=True):<12}  ", "bold")
    for row in draft.rows:
        head = f"  {row.rank:>5}  {row.survivor[:12]}  "
        style = "green" if row.showing.holds else "red"
        yield Hanging(head, _showing(row, result), style, indent=len(head))


def _showing(row: Presented, result: RankingResult) -> str:
    one, several = things(result, one=True), things(result)
    match row.showing:
        case Showing.SETTLED:
            return f"settled: the same {one} in every outcome"
        case Showing.WITH_TIES:
            return f"drawn, and shown with all {row.seen} {several} that were seen here"
        case Showing.DRAWN:
            return (
                f"DRAWN: {row.seen} {several} were seen here, the list shows {row.shown}: "
                "which of them is a draw"
            )
        case Showing.MISPLACED:
            places = listed(row.places, "or", cap=4)
            return f"MISPLACED: this {one} was seen, but at rank {places}, never at {row.rank}"
        case Showing.UNSEEN:
            return (
                f"NOT SEEN AGAIN: no outcome has this {one}; "
                f"{counted(row.seen, 'other was', 'others were')} seen at this rank"
            )


def _claims(result: RankingResult) -> Iterator[RenderableType]:
    """Yield what else may be said: of the groups, and of what was not seen."""
    yield _line("groups", _groups(result))
    for text in _unseen(result):
        yield _line("unseen", text)
    for reason in result.reasons:
        said = words(reason)
        if is_note(reason) and reason.code != "orderFailed":
            yield _line("note", said.what, "dim")
        else:
            yield _line("doubt", f"{said.what}; {said.do}" if said.do else said.what, "yellow")


def _groups(result: RankingResult) -> str:
    """Judge the groups as a claim of their own: whoever is in them."""
    name, found, total = short_name(result.by), result.groups, result.outcomes.total
    what = f"{counted(found.groups, f'{name} group')} of {counted(found.rows, 'row')}"
    if found.holds:
        return f"{what}: the same in every outcome, whoever is in them; this may be published"
    text = f"{what} in the serial outcome; {found.differing} of {total} outcomes have other ones"
    head = f"among the first {len(result.ranks)} ranks"
    if found.top_holds:
        return f"{text}, but {head} all have the same, whoever is in them"
    return f"{text}, {found.top_differing} of {total} even {head}"


def _unseen(result: RankingResult) -> Iterator[str]:
    """Say what a finite number of orders leaves open."""
    found, several = result.ties, things(result)
    limit = result.bound
    if limit is not None:
        which = "any of these ranks" if not result.drawn else "a given one of the settled ranks"
        yield (
            f"0 of {counted(limit.orders, 'random order')} changed {which}: at 95% confidence "
            f"fewer than {percent(limit.upper_rate)} of orders do"
        )
    if found.estimated is None:
        return
    interval = f"{found.low:,} to {found.high:,}"
    text = f"{found.seen:,} {several} were seen at these ranks"
    if found.low == found.high == found.seen:
        yield f"{text}, each more than once; nothing points to others"
    else:
        yield f"{text}, an estimated {found.estimated:,} there are (95% interval {interval})"


def _now(result: RankingResult) -> Iterator[RenderableType]:
    """Say what to do."""
    if result.verdict is RankingVerdict.SETTLED:
        return
    arguments = result.probe.arguments or result.probe.name
    name = short_name(result.by)
    by = "" if name == "latency" else f"--by {shlex.quote(name)} "
    command = f"repro ranking {arguments} --top {len(result.ranks)} {by}--all-ties ranking.csv"
    if result.verdict is RankingVerdict.DRAWN:
        several = things(result)
        yield _line(
            "now",
            f"publish each rank with all {several} that were seen there, or publish the values "
            f"alone; one of several equals is no finding, however repeatable the run that shows it",
        )
        yield whole(f"    {command}", "bold cyan")
        return
    yield _line("now", "clear the doubts above, and rank again", "yellow")


def _last(result: RankingResult) -> str:
    return f"{_headline(result)} (exit code {result.exit_code}; {duration(result.total_seconds)})"


def _line(label: str, text: str, style: str = "") -> Hanging:
    head = f"  {label:<{_LABEL}}"
    return Hanging(head, text, style, indent=len(head))
