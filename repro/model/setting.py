"""What was checked, where, and how long it took.

Owns the records that describe a check from outside. What it tried and found is in
`repro.model.evidence` and `repro.model.findings`.
"""

from __future__ import annotations

from dataclasses import dataclass

from repro.model.record import optional


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeRef:
    """Which probe was checked.

    Attributes:
        name: Its name.
        digest: Digest of everything in it.
        entry: Search entry, such as `join`, `detailed` or `python`.
        workers: Logical worker count.
        title: One line that says what it is.
        arguments: How it was named on the command line, parameters with it; where left out,
            its name is enough; empty for an object that has no name there.
    """

    name: str
    digest: str
    entry: str
    workers: int
    title: str = ""
    arguments: str | None = optional()

    @property
    def has_command(self) -> bool:
        """Whether it can be named on the command line."""
        return self.arguments != ""

    @property
    def finds_looptrees(self) -> bool:
        """Whether its rows are LoopTrees; a Python search's rows are just rows."""
        return self.entry in {"join", "detailed"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """Where the check ran. A package that isn't installed is `None`."""

    python: str
    tool: str
    joblib: str
    platform: str
    machine: str
    cores: int
    accelforge: str | None = None
    numpy: str | None = None
    pandas: str | None = None
    numba: str | None = optional()
    processor: str | None = optional()
    hash_seed: str | None = optional()


@dataclass(frozen=True, slots=True, kw_only=True)
class Timings:
    """Where the time went, in seconds; `None` where it wasn't spent.

    Attributes:
        total_seconds: The whole check.
        search_seconds: One serial search.
        jobs_seconds: The one run of the jobs that all injected orders share.
        injected_seconds: All injected orders with that run, without trials site by site.
        seconds_per_order: The same for each order.
        trials_seconds: Trials site by site and making witnesses small.
    """

    total_seconds: float
    search_seconds: float | None = None
    jobs_seconds: float | None = None
    injected_seconds: float | None = None
    seconds_per_order: float | None = None
    trials_seconds: float | None = None
