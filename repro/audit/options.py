"""What a user can ask of a check, with the defaults and what goes together.

Owns the record and its validation. Reading a command line is `repro.cli.check`'s.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from repro.errors import UsageError
from repro.model.delivery import Delivery
from repro.model.rung import Rung

MOST_ORDERS = 200
"""Default number of injected orders, where time allows."""
FEWEST_ORDERS = 8
"""Orders that are always tried, however long one takes."""
INJECTION_SECONDS = 60.0
"""Default time for injected orders; the one run of the jobs comes on top."""
SCREENING_SECONDS = 60.0
"""Time for trials site by site beyond the first of each call, which is always made."""
MANY_WORKERS = 64
"""The large count on the `workers` axis; the join of FFM splits its work by it."""
FIRST_LIMIT = 3600.0
"""Seconds for a run while nothing is known of its length."""
LEAST_LIMIT = 120.0
"""Seconds that every run gets, however short the others were."""
LIMIT_FACTOR = 10.0
"""How many times the longest serial run a later run may take."""

_RUNS = {Delivery.SERIAL: 3, Delivery.ORDERED: 1, Delivery.NATIVE: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOptions:
    """What to try, and how much of it.

    Attributes:
        runs: Whole runs of each delivery; `None` is 3 serial, 1 ordered, 2 native.
        orders: Injected orders; `None` is as many as `budget` allows, from 8 to 200.
        workers: Logical worker count; `None` is the probe's own.
        jobs: Processes that may be busy together; `None` is the number of usable cores.
        deliveries: The deliveries that are judged.
        require: The rung that a verdict requires.
        seed: Decides orders and hash seeds.
        budget: Seconds for injected orders; `None` is 60.
        limit: Seconds for one run; `None` is ten times the longest serial run.
    """

    runs: int | None = None
    orders: int | None = None
    workers: int | None = None
    jobs: int | None = None
    deliveries: tuple[Delivery, ...] = tuple(Delivery)
    require: Rung = Rung.ROW_ORDER
    seed: int = 0
    budget: float | None = None
    limit: float | None = None

    def __post_init__(self) -> None:
        """Refuse what can't be done.

        Raises:
            UsageError: A number is out of range, or nothing is left to judge.
        """
        for name in ("runs", "orders", "workers", "jobs"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"--{name} must be at least 1, not {value}")
        for name in ("budget", "limit"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise UsageError(f"--{name} must be more than 0 seconds, not {value:g}")
        if not self.deliveries:
            raise UsageError("no delivery is left to judge", do="name at least one --delivery")

    @property
    def explored(self) -> Rung:
        """The rung by which sites and causes are told, whatever the verdict requires.

        A weaker requirement mustn't hide where rows change; only `bytes` asks for more.
        """
        return Rung.BYTES if self.require is Rung.BYTES else Rung.ROW_ORDER

    def judges(self, delivery: Delivery) -> bool:
        """Whether a delivery is among those judged."""
        return delivery in self.deliveries

    def runs_of(self, delivery: Delivery) -> int:
        """Return how many whole runs of a delivery to make; serial is the reference of all."""
        if delivery is Delivery.SERIAL and not self.judges(delivery):
            return 1
        return self.runs if self.runs is not None else _RUNS[delivery]

    @property
    def cores(self) -> int:
        """How many processes may be busy together."""
        return self.jobs if self.jobs is not None else usable_cores()


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
