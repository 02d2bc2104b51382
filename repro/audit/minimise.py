"""From an order that changes the outcome to the smallest reordering that still does.

Owns delta debugging over the swaps of a permutation: ddmin of Zeller and Hildebrandt (2002),
"Simplifying and isolating failure-inducing input", IEEE TSE 28(2), with all tests of one
granularity asked for together, so that they fill the cores. Leaves running them to its oracle.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from repro.model.delivery import Swaps

Pairs = tuple[tuple[int, int], ...]
Oracle = Callable[[Sequence[Swaps]], Sequence[bool | None]]
"""Says of each order whether it changes the outcome; `None` once the budget is spent."""


def minimise(permutation: tuple[int, ...], oracle: Oracle) -> Swaps:
    """Return a smallest sequence of swaps that changes the outcome.

    The result is 1-minimal: leaving any one swap out gives the outcome of submission order.
    It is what was reached so far if the oracle's budget ends first.

    Args:
        permutation: An order known to change the outcome.
        oracle: Tries orders.
    """
    pairs = Swaps.from_permutation(permutation).pairs
    parts = 2
    while len(pairs) > 1:
        candidates = _candidates(pairs, min(parts, len(pairs)))
        verdicts = oracle([Swaps(candidate.pairs) for candidate in candidates])
        found = next((c for c, changes in zip(candidates, verdicts, strict=True) if changes), None)
        if found is not None:
            pairs, parts = found.pairs, found.parts
        elif parts >= len(pairs) or None in verdicts:
            break
        else:
            parts *= 2
    return _fewest_jobs(Swaps(pairs).permutation(len(permutation)), oracle)


def _fewest_jobs(permutation: tuple[int, ...], oracle: Oracle) -> Swaps:
    """Put jobs back one by one, while the others keep the order that they have among them.

    Two exchanges can move four jobs where three in a circle would do.
    """
    moved = [job for place, job in enumerate(permutation) if place != job]
    left = list(moved)
    while len(left) > 2:  # noqa: PLR2004 - one job alone can't be out of order
        fewer = [[job for job in left if job != gone] for gone in left]
        orders = [Swaps.from_permutation(_among(permutation, jobs)) for jobs in fewer]
        verdicts = oracle(orders)
        found = next((jobs for jobs, changes in zip(fewer, verdicts, strict=True) if changes), None)
        if found is None:
            break
        left = found
    kept = permutation if len(left) == len(moved) else _among(permutation, left)
    return Swaps.from_permutation(kept)


def _among(permutation: tuple[int, ...], jobs: Sequence[int]) -> tuple[int, ...]:
    """Return submission order, but some jobs among them in the order of a permutation."""
    chosen = set(jobs)
    rest = iter([job for job in permutation if job in chosen])
    return tuple(next(rest) if job in chosen else job for job in range(len(permutation)))


@dataclass(frozen=True, slots=True)
class _Candidate:
    """Fewer swaps, and into how many parts to cut them next if they are enough."""

    pairs: Pairs
    parts: int


def _candidates(pairs: Pairs, parts: int) -> list[_Candidate]:
    """Return the subsets of one granularity, and their complements where these differ."""
    edges = [len(pairs) * part // parts for part in range(parts + 1)]
    cuts = list(itertools.pairwise(edges))
    chunks = [_Candidate(pairs[low:high], 2) for low, high in cuts]
    if parts == 2:  # noqa: PLR2004 - the complement of a half is the other half
        return chunks
    rests = [_Candidate(pairs[:low] + pairs[high:], max(parts - 1, 2)) for low, high in cuts]
    return chunks + rests
