"""How much of the tie class a single run shows.

Owns counting what was seen over many outcomes and estimating what wasn't. The estimate is
Chao2, a lower bound of the number of species from how often each was met in m samples, with
the log-normal interval of Chao (1987), "Estimating the population size for capture-recapture
data with unequal catchability", Biometrics 43:783-791; bias-corrected form and variance as in
Colwell et al. (2012), Journal of Plant Ecology 5:3-21, equations 6 to 8.
"""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from repro.model.findings import Diversity, TopLatency

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from repro.model.outcome import Outcome

TOP = 10
SAME_LATENCY = 1e-6  # relative; rows are float32
_Z95 = 1.959963984540054
_FEWEST_SAMPLES = 8


def diversity(
    reference: Outcome, outcomes: Sequence[Outcome], sampled: Sequence[Outcome]
) -> Diversity:
    """Count LoopTrees over outcomes.

    Args:
        reference: The outcome that a single serial run shows.
        outcomes: Every outcome seen, the reference among them.
        sampled: Those of independently drawn orders; only they carry an estimate.
    """
    shown = [frozenset(row.survivor for row in outcome.rows) for outcome in outcomes]
    seen = frozenset().union(*shown)
    core = shown[0].intersection(*shown[1:])
    estimated = low = high = None
    if len(sampled) >= _FEWEST_SAMPLES:
        counts = Counter(
            survivor for outcome in sampled for survivor in {row.survivor for row in outcome.rows}
        )
        estimate, low, high = chao2(counts.values(), len(sampled))
        estimated, low = max(estimate, len(seen)), max(low, len(seen))
        high = max(high, estimated)
    return Diversity(
        per_run=len({row.survivor for row in reference.rows}),
        seen=len(seen),
        core=len(core),
        estimated=estimated,
        low=low,
        high=high,
        top_latency=top_latency(reference, outcomes),
    )


def chao2(counts: Iterable[int], samples: int) -> tuple[int, int, int]:
    """Estimate how many species there are: the estimate and its 95% interval, rounded up.

    Args:
        counts: In how many samples each species that was seen was met.
        samples: How many samples were taken.
    """
    met = Counter(counts)
    seen, once, twice = sum(met.values()), met[1], met[2]
    share = (samples - 1) / samples
    unseen = share * once * (once - 1) / (2 * (twice + 1))
    if twice:
        unseen = share * once**2 / (2 * twice)
    variance = _variance(once, twice, share, seen, unseen)
    if unseen == 0 or variance == 0:
        return seen, seen, seen
    spread = math.exp(_Z95 * math.sqrt(math.log1p(variance / unseen**2)))
    return (
        math.ceil(seen + unseen),
        math.floor(seen + unseen / spread),
        math.ceil(seen + unseen * spread),
    )


def _variance(once: int, twice: int, share: float, seen: int, unseen: float) -> float:
    if twice:
        ratio = once / twice
        return twice * (share / 2 * ratio**2 + share**2 * ratio**3 + share**2 / 4 * ratio**4)
    total = seen + unseen
    return (
        share * once * (once - 1) / 2
        + share**2 * once * (2 * once - 1) ** 2 / 4
        - share**2 * once**4 / (4 * total)
    )


def top_latency(reference: Outcome, outcomes: Sequence[Outcome]) -> TopLatency | None:
    """Say of the fastest rows of the reference how many are in every outcome.

    A row is settled if every outcome has its LoopTree at its latency, else it is drawn.
    """
    latencies = reference.latencies()
    if not latencies:
        return None
    fastest = sorted(range(len(latencies)), key=lambda place: latencies[place])[:TOP]
    found = [_latency_of(outcome) for outcome in outcomes]
    settled = 0
    for place in fastest:
        tree, latency = reference.rows[place].survivor, latencies[place]
        settled += all(
            any(math.isclose(latency, other, rel_tol=SAME_LATENCY) for other in there.get(tree, ()))
            for there in found
        )
    return TopLatency(len(fastest), settled, len(fastest) - settled)


def _latency_of(outcome: Outcome) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for row, latency in zip(outcome.rows, outcome.latencies(), strict=True):
        found.setdefault(row.survivor, []).append(latency)
    return found
