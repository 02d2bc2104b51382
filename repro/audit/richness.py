"""How many LoopTrees there are, judged by how often each was met in independent orders.

Owns the estimate and its 95% interval. It treats orders as samples and LoopTrees as species,
as ecologists do who count what they never see whole.

**Estimate.** Chao2, from how many were met once and twice: Chao (1987), "Estimating the
population size for capture-recapture data with unequal catchability", Biometrics 43:783-791,
in the form of Colwell et al. (2012), Journal of Plant Ecology 5:3-21, equations 6 to 8. It is
a lower bound where some are much rarer than others.

**Interval.** The widest of three, for each alone is too narrow for tie classes:

1. Chao's log-normal interval (same paper), LoopTrees being the units.
2. The same with groups being the units: LoopTrees that were met in exactly the same orders.
   One job's result that comes first can decide dozens of rows at once; the LoopTrees of these
   rows are one draw, not dozens, and counting them one by one claims far too much.
3. Upwards only, the log-normal interval of the second-order jackknife: Burnham and Overton
   (1979), "Robust estimation of population size when capture probabilities vary among
   animals", Ecology 60:927-936. It reaches further where inclusion is uneven.

How often that covers the truth is in docs/results/diversity.md, made by
`benchmarks/diversity.py`.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

FEWEST_SAMPLES = 8
"""Samples below which no estimate is made: every interval would be a guess."""

_Z95 = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Richness:
    """How many there are.

    Attributes:
        seen: How many were met.
        estimate: The estimate, rounded up.
        low: Lower end of its 95% interval; never below `seen`.
        high: Upper end.
    """

    seen: int
    estimate: int
    low: int
    high: int

    def at_least(self, known: int) -> Richness:
        """Return it with what is known from elsewhere: there are at least so many."""
        estimate = max(self.estimate, known)
        return Richness(
            max(self.seen, known), estimate, max(self.low, known), max(self.high, estimate)
        )


def richness(samples: Sequence[Collection[str]]) -> Richness:
    """Estimate how many different things there are, by those met in each of several samples.

    Raises:
        ValueError: There are fewer than two samples.
    """
    if len(samples) < 2:  # noqa: PLR2004 - the jackknife leaves out one and two
        raise ValueError(f"an estimate needs 2 samples, not {len(samples)}")
    met: dict[str, list[int]] = defaultdict(list)
    for index, sample in enumerate(samples):
        for name in set(sample):
            met[name].append(index)
    counts = [len(where) for where in met.values()]
    groups = Counter(map(tuple, met.values()))
    unseen, *ends = _chao2(counts, len(samples))
    ends += _of_groups(groups, len(samples))
    low, high = min(ends[0], ends[2]), max(ends[1], ends[3], _jackknife(counts, len(samples)))
    seen = len(counts)
    return Richness(
        seen,
        seen + math.ceil(unseen),
        seen + math.floor(low),
        seen + math.ceil(max(high, unseen)),
    )


def chao2(counts: Iterable[int], samples: int) -> tuple[int, int, int]:
    """Estimate by Chao2 alone: the estimate and its log-normal 95% interval, rounded outwards.

    Args:
        counts: In how many samples each that was met was met.
        samples: How many samples were taken.
    """
    known = list(counts)
    unseen, low, high = _chao2(known, samples)
    seen = len(known)
    return seen + math.ceil(unseen), seen + math.floor(low), seen + math.ceil(high)


def _chao2(counts: Sequence[int], samples: int) -> tuple[float, float, float]:
    """Return how many were not met: the estimate and its interval."""
    met = Counter(counts)
    once, twice, share = met[1], met[2], (samples - 1) / samples
    if twice:
        unseen = share * once**2 / (2 * twice)
        ratio = once / twice
        variance = twice * (share / 2 * ratio**2 + share**2 * ratio**3 + share**2 / 4 * ratio**4)
    else:
        unseen = share * once * (once - 1) / 2
        total = len(counts) + unseen
        variance = (
            share * once * (once - 1) / 2
            + share**2 * once * (2 * once - 1) ** 2 / 4
            - (share**2 * once**4 / (4 * total) if total else 0.0)
        )
    return (unseen, *_log_normal(unseen, variance))


def _log_normal(unseen: float, variance: float) -> tuple[float, float]:
    if unseen <= 0 or variance <= 0:
        return max(unseen, 0.0), max(unseen, 0.0)
    spread = math.exp(_Z95 * math.sqrt(math.log1p(variance / unseen**2)))
    return unseen / spread, unseen * spread


def _of_groups(groups: Counter[tuple[int, ...]], samples: int) -> tuple[float, float]:
    """Return the interval of how many were not met, groups met together being the units.

    Groups that weren't met are as large as the others are on average; what is in every sample
    is no draw and doesn't count among them.
    """
    drawn = [size for where, size in groups.items() if len(where) < samples]
    if not drawn:
        return 0.0, 0.0
    size = sum(drawn) / len(drawn)
    _, low, high = _chao2([len(where) for where in groups], samples)
    return math.floor(low) * size, math.ceil(high) * size


def _jackknife(counts: Sequence[int], samples: int) -> float:
    """Return the upper end of how many were not met by the second-order jackknife."""
    met = Counter(counts)
    weights = {
        1: 1 + (2 * samples - 3) / samples,
        2: 1 - (samples - 2) ** 2 / (samples * (samples - 1)),
    }
    total = sum(weights.get(count, 1.0) * number for count, number in met.items())
    variance = sum(weights.get(count, 1.0) ** 2 * number for count, number in met.items()) - total
    return _log_normal(total - len(counts), variance)[1]
