"""How much of the tie class a single run shows.

Owns counting what was seen over many outcomes. How many weren't seen is estimated in
`repro.audit.richness`, and what the fastest rows are worth is judged in
`repro.audit.ranking`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from repro.audit.places import Seen
from repro.audit.ranking import judge
from repro.audit.richness import FEWEST_SAMPLES, chao2, richness
from repro.model.findings import Diversity, TopLatency

if TYPE_CHECKING:
    from collections.abc import Sequence

    from repro.model.outcome import Outcome

__all__ = ["TOP", "chao2", "diversity", "top_latency"]

TOP = 10


def diversity(
    reference: Outcome, outcomes: Sequence[Outcome], sampled: Sequence[Outcome]
) -> Diversity:
    """Count LoopTrees over outcomes.

    Args:
        reference: The outcome that a single serial run shows.
        outcomes: Every outcome seen, the reference among them.
        sampled: Those of independently drawn orders; only they carry an estimate.
    """
    shown = [_survivors(outcome) for outcome in outcomes]
    seen = frozenset().union(*shown)
    core = shown[0].intersection(*shown[1:])
    found = None
    if len(sampled) >= FEWEST_SAMPLES:
        found = richness(list(map(_survivors, sampled))).at_least(len(seen))
    return Diversity(
        per_run=len(_survivors(reference)),
        seen=len(seen),
        core=len(core),
        estimated=found.estimate if found else None,
        low=found.low if found else None,
        high=found.high if found else None,
        top_latency=top_latency(reference, outcomes),
    )


def top_latency(reference: Outcome, outcomes: Sequence[Outcome]) -> TopLatency | None:
    """Say of the fastest rows of the reference how many ranks are settled, how many drawn."""
    if reference.latency is None or not reference.rows:
        return None
    ranks = judge(Seen([reference, *outcomes], reference.latency), TOP)
    settled = sum(rank.settled for rank in ranks)
    return TopLatency(len(ranks), settled, len(ranks) - settled)


def _survivors(outcome: Outcome) -> frozenset[str]:
    return frozenset(row.survivor for row in outcome.rows)
