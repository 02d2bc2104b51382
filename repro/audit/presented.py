"""Lists that somebody is about to publish, held to what was seen.

Owns which row of such a list presents a draw as a result, and the list that may be published
instead. Leaves judging ranks to `repro.audit.ranking` and reading files to `repro.cli`.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from repro.audit.places import close, sortable
from repro.audit.ranking import describe
from repro.audit.witness import survivor_text
from repro.canon.digest import digest_text
from repro.errors import UsageError
from repro.model.presented import Presented, PresentedList, Showing
from repro.model.ranked import RankedRow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from repro.audit.places import Place, Seen
    from repro.model.ranked import Draft, DraftRow
    from repro.model.ranking import Rank

type _Named = tuple[int, str]
"""A rank that a list gives, and the survivor digest of what it has there."""


def ranked_draft(draft: Draft, by: str, top: int | None) -> Draft:
    """Return a list with a rank for each row, by its values where it gives none.

    Rows whose values agree within 1e-6 share the first of their ranks.

    Args:
        draft: The list.
        by: Full name of the objective.
        top: The last rank to keep; `None` keeps all.

    Raises:
        UsageError: Some rows have no rank, or neither ranks nor values; or the ranks don't
            follow the values.
    """
    if draft.whole and not any(by in row.objectives for row in draft.rows):
        rows = tuple(replace(row, objectives={**row.objectives, by: 0.0}) for row in draft.rows)
        draft = replace(draft, rows=rows)
    given = sum(row.rank is not None for row in draft.rows)
    if given not in {0, len(draft.rows)}:
        raise UsageError(
            f"{given} of {len(draft.rows)} rows have a rank, the others none",
            where=draft.name,
            do="give every row its rank, or leave the ranks to the values",
        )
    rows = draft.rows if given else tuple(_by_value(draft, by))
    _check_order(draft.name, rows, by)
    kept = tuple(row for row in rows if top is None or _rank(row) <= top)
    return replace(draft, rows=kept)


def _by_value(draft: Draft, by: str) -> Iterator[DraftRow]:
    if any(by not in row.objectives for row in draft.rows):
        raise UsageError(
            f"the list has neither ranks nor the values of {by!r} for all its rows",
            where=draft.name,
            do=f"give it a column `rank` or a column `{by}`, or name another objective with --by",
        )
    ordered = sorted(draft.rows, key=lambda row: sortable(row.objectives[by]))
    rank, value = 1, None
    for place, row in enumerate(ordered, start=1):
        if value is None or not close(value, row.objectives[by]):
            rank, value = place, row.objectives[by]
        yield replace(row, rank=rank)


def _check_order(name: str, rows: Sequence[DraftRow], by: str) -> None:
    """Refuse ranks that were given by something else.

    The least values of the ranks are compared: where ranks are drawn among other values, these
    follow the ranks even so, for they do in every outcome.
    """
    least: dict[int, float] = {}
    for row in rows:
        if by in row.objectives:
            value = row.objectives[by]
            least[_rank(row)] = min(value, least.get(_rank(row), value))
    for (rank, ours), (after, theirs) in pairwise(sorted(least.items())):
        if ours > theirs and not close(ours, theirs):
            raise UsageError(
                f"its ranks don't follow {by!r}: rank {rank} has {ours:g}, rank {after} has "
                f"{theirs:g}",
                where=name,
                do="name what it is ranked by with --by; smaller is better",
            )


def _rank(row: DraftRow) -> int:
    return 0 if row.rank is None else row.rank


def judge_draft(draft: Draft, seen: Seen, ranks: Sequence[Rank]) -> PresentedList:
    """Say of each row whether it presents a draw as a result.

    Args:
        draft: The list, every row with its rank.
        seen: Every outcome.
        ranks: The judged ranks, at least as many as the list reaches down.

    Raises:
        UsageError: A row's digest and text contradict each other, or nothing in the list was
            ever seen: it is a list of another search.
    """
    texts = _Texts(seen)
    named = [(_rank(row), texts.survivor(row, draft.name)) for row in draft.rows]
    if named and not any(seen.find(survivor) for _, survivor in named):
        raise UsageError(
            "nothing in this list was ever seen: it is of another search, or of other parameters",
            where=draft.name,
            do="name the probe that it was made with, and its parameters with --set",
        )
    rows = tuple(_judge(entry, named, seen, ranks) for entry in named)
    return PresentedList(name=draft.name, kind=draft.kind, rows=rows)


def _judge(entry: _Named, named: Sequence[_Named], seen: Seen, ranks: Sequence[Rank]) -> Presented:
    rank, survivor = entry
    if not 1 <= rank <= seen.rows:
        return _elsewhere(entry, seen, 0)
    place = seen.serial(rank).place
    there = seen.contestants(place)
    if survivor not in there:
        return _elsewhere(entry, seen, len(there))
    shown = there.keys() & {other for at, other in named if place.first <= at <= place.last}
    showing = Showing.DRAWN
    if all(ranks[at - 1].settled for at in range(place.first, min(place.last, len(ranks)) + 1)):
        showing = Showing.SETTLED
    elif len(shown) == len(there):
        showing = Showing.WITH_TIES
    return Presented(
        rank=rank, survivor=survivor, showing=showing, seen=len(there), shown=len(shown)
    )


def _elsewhere(entry: _Named, seen: Seen, there: int) -> Presented:
    rank, survivor = entry
    places = seen.first_ranks(survivor)
    showing = Showing.MISPLACED if places else Showing.UNSEEN
    return Presented(
        rank=rank, survivor=survivor, showing=showing, seen=there, shown=0, places=places
    )


class _Texts:
    """Finds what a row of a list stands for, by its digest or its text."""

    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._by_text: Mapping[str, str] | None = None

    def survivor(self, row: DraftRow, name: str) -> str:
        if row.survivor is None:
            return self._of_text(row, name)
        found = self._seen.find(row.survivor)
        if found is not None and row.text is not None:
            outcome, spot = found
            if _plain(row.text) != _plain(survivor_text(outcome, spot.row)):
                raise UsageError(
                    f"the row of rank {row.rank} gives the digest of one LoopTree and the text "
                    "of another",
                    where=name,
                    do="leave one of the two columns out, or write the file again",
                )
        return row.survivor

    def _of_text(self, row: DraftRow, name: str) -> str:
        if row.text is None:
            raise UsageError(
                f"the row of rank {row.rank} doesn't say which LoopTree it is",
                where=name,
                do="give it a column `survivor` or a column `text`",
            )
        if self._by_text is None:
            self._by_text = {
                _plain(survivor_text(outcome, spot.row)): spot.row.survivor
                for outcome, spot in self._seen.survivors
            }
        text = _plain(row.text)
        return self._by_text.get(text, digest_text(text))


def _plain(text: str) -> str:
    """Return a text without what an editor or a spreadsheet may change at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip("\r\n").splitlines())


def all_ties(seen: Seen, ranks: Sequence[Rank]) -> Iterator[RankedRow]:
    """Yield what may be published: every judged rank with all LoopTrees that were seen there.

    Ranks that are shared are written once, by their first number.
    """
    places: dict[Place, Rank] = {}
    for rank in ranks:
        places.setdefault(seen.serial(rank.rank).place, rank)
    for place, rank in places.items():
        serial = {
            spot.row.survivor for index, spots in seen.at(place) if index == 0 for spot in spots
        }
        ordered = sorted(
            seen.contestants(place).items(),
            key=lambda item: (item[0] not in serial, -item[1].outcomes, item[0]),
        )
        for survivor, entry in ordered:
            found = describe(seen, entry, model_equal=survivor == rank.survivor)
            yield RankedRow(
                rank=place.first,
                standing=rank.standing,
                outcomes=entry.outcomes,
                survivor=survivor,
                objectives=found.objectives,
                text=found.text,
            )
