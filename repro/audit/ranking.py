"""Judging ranks: which of a serial ranking's are settled, and which are drawn.

Owns what these words mean (docs/rankings.md has it at length):

- Two rows are *model-equal* if all their objective values agree within 1e-6, one by one.
- A rank is *settled* if in every outcome one and the same LoopTree, and no other, stands at
  it, at the same value. Else it is *drawn*.

Pure. Leaves which rows share ranks to `repro.audit.places`, running searches to
`repro.audit.survey`, and lists that somebody is about to publish to `repro.audit.presented`.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from repro.audit.compare import latency_groups, latency_groups_agree
from repro.audit.places import close
from repro.audit.richness import FEWEST_SAMPLES, richness
from repro.audit.witness import survivor_text
from repro.model.comparison import LatencyGroups
from repro.model.ranking import (
    Contender,
    Doubt,
    GroupsClaim,
    Rank,
    Standing,
    TiesSeen,
    number,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from repro.audit.places import Contestant, Place, Seen
    from repro.model.outcome import Outcome

SHOWN = 12
"""How many contenders of a rank a result keeps with their texts; the counts are never cut."""


def judge(seen: Seen, top: int) -> tuple[Rank, ...]:
    """Judge the first ranks of the serial ranking, as many as it has."""
    return tuple(_judge(seen, rank) for rank in range(1, min(top, seen.rows) + 1))


def _judge(seen: Seen, rank: int) -> Rank:
    spot = seen.serial(rank)
    survivor = spot.row.survivor
    contestants = seen.contestants(spot.place)
    equal = seen.model_equal(spot)
    doubts = tuple(_doubts(seen, spot.place, equal, contestants))
    return Rank(
        rank=rank,
        first=spot.place.first,
        last=spot.place.last,
        standing=Standing.DRAWN if doubts else Standing.SETTLED,
        doubts=doubts,
        value=number(spot.value),
        survivor=survivor,
        held=contestants[survivor].outcomes,
        held_sampled=contestants[survivor].sampled,
        competing=len(equal),
        seen=len(contestants),
        contenders=tuple(_contenders(seen, survivor, equal, contestants)),
    )


def _doubts(
    seen: Seen, place: Place, equal: set[str], contestants: Mapping[str, Contestant]
) -> Iterator[Doubt]:
    """Yield why a rank isn't settled.

    Without any of these every outcome has exactly the serial outcome's ranks at its value, and
    all that stands there is one LoopTree.
    """
    if len(equal) > 1:
        yield Doubt.COMPETED
    if any(
        survivor not in equal and close(entry.spot.value, place.value)
        for survivor, entry in contestants.items()
    ):
        yield Doubt.SHARED
    if any(
        not spots or not all(place.agrees(spot.place) for spot in spots)
        for _, spots in seen.at(place)
    ):
        yield Doubt.MOVED


def _contenders(
    seen: Seen, survivor: str, equal: set[str], contestants: Mapping[str, Contestant]
) -> Iterator[Contender]:
    """Yield what was seen at a rank, the serial outcome's first, then what is model-equal."""
    ordered = sorted(
        contestants.items(),
        key=lambda item: (item[0] != survivor, item[0] not in equal, -item[1].outcomes, item[0]),
    )
    for digest, entry in ordered[:SHOWN]:
        yield describe(seen, entry, model_equal=digest in equal)


def describe(seen: Seen, entry: Contestant, *, model_equal: bool) -> Contender:
    """Write down what stands at a rank, with its canonical text."""
    return Contender(
        survivor=entry.spot.row.survivor,
        outcomes=entry.outcomes,
        sampled=entry.sampled,
        model_equal=model_equal,
        objectives=dict(zip(seen.names, map(number, entry.spot.vector), strict=True)),
        text=survivor_text(entry.outcome, entry.spot.row),
    )


def judge_groups(seen: Seen, top: int) -> GroupsClaim:
    """Say whether all outcomes have the same groups of the ranked value, whoever is in them."""
    found = [groups_by(outcome, seen.by) for outcome in seen.outcomes]
    heads = [_head(groups, top) for groups in found]
    differing = sum(not latency_groups_agree(found[0], groups) for groups in found)
    top_differing = sum(not latency_groups_agree(heads[0], groups) for groups in heads)
    return GroupsClaim(
        groups=len(found[0].sizes),
        rows=sum(found[0].sizes),
        holds=not differing,
        differing=differing,
        top_holds=not top_differing,
        top_differing=top_differing,
    )


def groups_by(outcome: Outcome, by: str) -> LatencyGroups:
    """Return the groups of an outcome's rows by any objective; one that it lacks is zero."""
    groups = latency_groups(replace(outcome, latency=by))
    return LatencyGroups((), ()) if groups is None else groups


def _head(groups: LatencyGroups, top: int) -> LatencyGroups:
    """Return the groups that reach into the first ranks."""
    before = kept = 0
    for size in groups.sizes:
        if before >= top:
            break
        before += size
        kept += 1
    return LatencyGroups(groups.latencies[:kept], groups.sizes[:kept])


def judge_ties(seen: Seen, top: int) -> TiesSeen:
    """Count the LoopTrees seen at the first ranks, and estimate how many there are.

    How many one more order is expected to add is the share of LoopTrees met in a single one
    (Good, 1953, Biometrika 40:237-264).
    """
    shown: list[set[str]] = [set() for _ in seen.outcomes]
    for place in seen.places(top):
        for index, spots in seen.at(place):
            shown[index].update(spot.row.survivor for spot in spots)
    total = len(set().union(*shown))
    drawn = [there for index, there in enumerate(shown) if seen.is_sampled(index)]
    if len(drawn) < FEWEST_SAMPLES:
        return TiesSeen(seen=total)
    counts = Counter(survivor for there in drawn for survivor in there)
    found = richness(drawn).at_least(total)
    once = sum(count == 1 for count in counts.values())
    return TiesSeen(
        seen=total,
        estimated=found.estimate,
        low=found.low,
        high=found.high,
        fresh=once / len(drawn),
    )
