"""What a finite number of orders says about all of them.

Owns the one-sided bound on the rate at which orders change an outcome.
"""

from __future__ import annotations

from repro.model.findings import Bound

CONFIDENCE = 0.95


def bound(orders: int, differing: int) -> Bound | None:
    """Return the exact upper 95% bound of the rate (Clopper and Pearson, 1934).

    For 0 of n it is 1 - 0.05**(1/n), just under the rule of three, 3/n. It holds for orders
    drawn independently and uniformly, so only seeded ones may be counted.

    Args:
        orders: Orders drawn.
        differing: How many of them changed the outcome.

    Returns:
        `None` if none was drawn: nothing is known then.
    """
    if orders == 0:
        return None
    if differing == 0:
        return Bound(orders, 0, 1 - (1 - CONFIDENCE) ** (1 / orders))
    from scipy.stats import binomtest

    interval = binomtest(differing, orders, alternative="less").proportion_ci(CONFIDENCE)
    return Bound(orders, differing, float(interval.high))
