"""What a check found: sites, causes, their witnesses, and how far it reaches.

Owns the records only. How a witness is made small is in `repro.audit.minimise`, how ties are
counted in `repro.audit.diversity`, and the words for all of it in `repro.report.words`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from repro.model.record import optional
from repro.model.rung import Rung  # noqa: TC001 - record.py reads annotations
from repro.model.trace import Site


class CauseKind(StrEnum):
    """What makes outcomes differ."""

    ORDER = "order"
    """The order in which results of parallel jobs reach the search."""
    JOBS = "jobs"
    """A job's own result depends on when or where it runs."""
    ENVIRONMENT = "environment"
    """Hash seed, time zone or another setting that serial runs were varied in."""
    WORKERS = "workers"
    """How many workers the search is told that it has."""
    UNKNOWN = "unknown"
    """A difference that none of the others explains."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteResult:
    """One place that calls `joblib.Parallel`, and what orders tried there alone did.

    Attributes:
        file: Path relative to the import root.
        line: Line of the call, from 1.
        function: Name of the function that made the call.
        calls: How often it was reached in one run.
        jobs: Jobs of its largest call.
        unordered: Whether it takes results in completion order.
        order_sensitive: Whether an order tried there changed the outcome; `None` untested.
        orders_tried: Orders tried at this site alone.
        differing: How many of these changed the outcome.
        upper_rate: Upper 95% bound of the rate at which orders there change it.
        nested: Whether it was reached inside a job of another call.
    """

    file: str
    line: int
    function: str
    calls: int
    jobs: int
    unordered: bool
    order_sensitive: bool | None
    orders_tried: int
    differing: int
    upper_rate: float | None
    nested: bool = False

    @property
    def site(self) -> Site:
        """Where it is in the source."""
        return Site(self.file, self.line, self.function)

    @property
    def sensitive(self) -> bool:
        """Whether an order tried there changed the outcome."""
        return self.order_sensitive is True

    @property
    def cleared(self) -> bool:
        """Whether it takes results unordered and was found not to mind, by test."""
        return self.unordered and self.order_sensitive is False

    @property
    def untested(self) -> bool:
        """Whether completion order can reach the caller there and nothing is known of it."""
        return self.unordered and self.order_sensitive is None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cause:
    """One reason why outcomes differ.

    Attributes:
        kind: What makes them differ.
        site: Where, if it could be located.
        first_rung: The weakest rung that it breaks.
        witness: Index into the result's witnesses.
        settings: With an environment, the settings that change the outcome by themselves;
            `None` where they weren't tried one by one.
    """

    kind: CauseKind
    site: Site | None = None
    first_rung: Rung | None = None
    witness: int | None = None
    settings: tuple[str, ...] | None = optional()


@dataclass(frozen=True, slots=True, kw_only=True)
class Witness:
    """The smallest reordering found that changes the outcome.

    Attributes:
        site: Where it is injected.
        token: Replays it.
        moved: Labels of the jobs that it moves; the list may be capped.
        moved_count: How many it moves.
        jobs: Jobs of the call.
        workers_needed: Fewest workers that can finish jobs in this order.
        lost: LoopTrees of submission order that are gone.
        gained: LoopTrees that came instead.
        lost_trees: Canonical text of some of the lost.
        gained_trees: Canonical text of some of the gained.
    """

    site: Site
    token: str
    moved: tuple[str, ...]
    moved_count: int
    jobs: int
    workers_needed: int
    lost: int
    gained: int
    lost_trees: tuple[str, ...] = ()
    gained_trees: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TopLatency:
    """The `n` fastest rows: how many are in every outcome, how many are drawn."""

    n: int
    settled: int
    drawn: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """How much of what may survive a single run shows, in LoopTrees.

    Attributes:
        per_run: In the reference outcome.
        seen: Different ones over all outcomes.
        core: In every outcome.
        estimated: Species-richness estimate of how many there are.
        low: Lower end of its 95% interval.
        high: Upper end of its 95% interval.
        top_latency: The fastest of them.
    """

    per_run: int
    seen: int
    core: int
    estimated: int | None = None
    low: int | None = None
    high: int | None = None
    top_latency: TopLatency | None = None


@dataclass(frozen=True, slots=True)
class Bound:
    """What a finite number of sampled orders says: the upper 95% bound of the rate."""

    orders: int
    differing: int
    upper_rate: float
