"""Which orders to try, where, and in which sequence.

Owns the strategies and nothing that runs: each is a function from what is known of the calls
to injections. The same seed gives the same orders on any machine.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from repro.model.delivery import Injection, Order, Reversed, Seeded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from repro.model.trace import Call, Site

ORDERS_PER_CALL = 3
_SCREENING = 1 << 20
"""Index from which screening draws its seeded orders, apart from those of the sample."""


def screening(calls: Sequence[Call], seed: int) -> Iterator[tuple[Call, Injection]]:
    """Yield orders for each call alone: all calls once, then all a second time, and so on.

    The first is the reverse, which moves every job; then seeded ones. A call of two jobs has
    one order besides its own, so it gets one.
    """
    for turn in range(ORDERS_PER_CALL):
        for call in calls:
            if turn < min(ORDERS_PER_CALL, math.factorial(min(call.jobs, 10)) - 1):
                yield call, Injection(call.index, _screened(call, turn, seed))


def _screened(call: Call, turn: int, seed: int) -> Order:
    """Return the turn-th order of a call: the reverse, then seeded ones that are new."""
    if turn == 0:
        return Reversed()
    return next(itertools.islice(_fresh(call, seed), turn - 1, None))


def _fresh(call: Call, seed: int) -> Iterator[Order]:
    """Yield seeded orders: never submission order, the reverse, or one that came before."""
    tried = {tuple(range(call.jobs)), Reversed().permutation(call.jobs)}
    for index in itertools.count(_SCREENING):
        order = Seeded(seed, index)
        permutation = order.permutation(call.jobs)
        if permutation not in tried:
            tried.add(permutation)
            yield order


def sample(call: Call, seed: int, *, start: int = 0) -> Iterator[tuple[Call, Injection]]:
    """Yield seeded whole-run orders without end: from `call` on, every unordered call.

    They are drawn uniformly and independently, so a rate among them bounds the rate at large.
    """
    for index in itertools.count(start):
        yield call, Injection(call.index, Seeded(seed, index), rest=True)


def decision_call(calls: Sequence[Call], sensitive: frozenset[Site]) -> Call | None:
    """Return the call from which whole-run orders are sampled.

    Where sites are known to be sensitive it is the largest of their calls: the jobs before it
    needn't run again, and what they did in another order was tried alone. Where none is, it is
    the first call of all, for then only whole orders can still show something.
    """
    if not calls:
        return None
    found = [call for call in calls if call.site in sensitive]
    if found:
        return max(found, key=lambda call: (call.jobs, -call.index))
    return min(calls, key=lambda call: call.index)
