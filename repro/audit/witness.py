"""Witnesses: the smallest reordering at a site that still changes the outcome.

Owns turning trials that differ into a named, replayable pair of jobs, and what it costs or
brings in LoopTrees. The delta debugging itself is `repro.audit.minimise`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.audit.evidence import differs
from repro.audit.minimise import minimise
from repro.canon.looptree import normalised
from repro.model.delivery import Injection, Order, Swaps, workers_needed
from repro.model.findings import Witness
from repro.model.identities import FlatIdentity
from repro.model.rung import LADDER, Rung
from repro.model.token import Token

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from repro.audit.orders import Exploration
    from repro.audit.runs import Identity, StagePort
    from repro.model.outcome import Outcome, Row
    from repro.model.progress import Progress
    from repro.model.run import RunResult, Trial
    from repro.model.trace import Call, Site

WITNESS_PHASE = "smallest reordering"
SHOWN = 12
"""How many jobs, and how many trees, a witness names; the counts are never cut."""


@dataclass(frozen=True, slots=True)
class Found:
    """One site's smallest reordering, with the outcome that it gave."""

    call: Call
    order: Swaps
    result: RunResult
    tests: int


class Shrinker:
    """Makes witnesses small within a time budget shared by all sites."""

    def __init__(  # noqa: PLR0913 - the parts of one phase
        self,
        stage: StagePort,
        exploration: Exploration,
        rung: Rung,
        *,
        limit: float,
        seconds: float,
        progress: Progress,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Keep the parts; the budget starts now."""
        self._stage = stage
        self._base = exploration.base.outcome
        self._exploration = exploration
        self._required = rung
        self._rung = rung
        self._limit = limit
        self._progress = progress
        self._clock = clock
        self._deadline = clock() + seconds
        self._tests = 0
        self._results: dict[tuple[int, tuple[int, ...]], RunResult] = {}

    def all(self) -> list[Found]:
        """Return one witness for each sensitive site, in the order of their calls."""
        worst: dict[Site, Trial] = {}
        for trial in self._exploration.alone():
            if self._exploration.shown(trial, self._required):
                worst[trial.call.site] = min(
                    worst.get(trial.call.site, trial), trial, key=self._weakest
                )
        ordered = sorted(worst.values(), key=lambda trial: trial.call.index)
        return [self._shrink(trial) for trial in ordered]

    def _weakest(self, trial: Trial) -> int:
        """Return how far down the ladder a trial reaches: objectives are 0."""
        rung = self._exploration.shown(trial, self._required)
        return len(LADDER) if rung is None else LADDER.index(rung)

    def _shrink(self, trial: Trial) -> Found:
        """Shrink for the weakest rung that the trial breaks: it is what matters most."""
        call = trial.call
        self._tests = 0
        self._rung = LADDER[self._weakest(trial)]
        permutation = trial.injection.order.permutation(call.jobs)
        self._results[call.index, permutation] = trial.result
        self._progress.begin(WITNESS_PHASE, None)
        order = minimise(permutation, lambda orders: self._oracle(call, orders))
        self._progress.end(WITNESS_PHASE)
        result = self._results[call.index, order.permutation(call.jobs)]
        return Found(call, order, result, self._tests)

    def _oracle(self, call: Call, orders: Sequence[Swaps]) -> list[bool | None]:
        """Try orders, unless they were tried before or the budget is spent."""
        permutations = [order.permutation(call.jobs) for order in orders]
        fresh = {
            permutation: Injection(call.index, order)
            for permutation, order in zip(permutations, orders, strict=True)
            if (call.index, permutation) not in self._results
        }
        if self._clock() < self._deadline:
            wanted = [(call, injection) for injection in fresh.values()]
            for trial in self._stage.run(wanted, limit=self._limit):
                self._tests += 1
                permutation = trial.injection.order.permutation(call.jobs)
                self._results[call.index, permutation] = trial.result
                self._progress.advance(WITNESS_PHASE, f"test {self._tests}")
        return [self._verdict(call, permutation) for permutation in permutations]

    def _verdict(self, call: Call, permutation: tuple[int, ...]) -> bool | None:
        result = self._results.get((call.index, permutation))
        return None if result is None else differs(result, self._base, self._rung)


def describe(found: Found, base: Outcome, identity: Identity) -> Witness:
    """Write a witness down with the jobs that it moves and the trees that it changes.

    Args:
        found: The smallest reordering and its outcome.
        base: The outcome of submission order.
        identity: The probe and code that the token is made for.
    """
    call = found.call
    permutation = found.order.permutation(call.jobs)
    moved = [call.labels[job] for place, job in enumerate(permutation) if place != job]
    lost, gained = changed_survivors(base, found.result.outcome)
    return Witness(
        site=call.site,
        token=token_text(call, found.order, identity),
        moved=tuple(moved[:SHOWN]),
        moved_count=len(moved),
        jobs=call.jobs,
        workers_needed=workers_needed(permutation),
        lost=len(lost),
        gained=len(gained),
        lost_trees=_texts(base, lost),
        gained_trees=_texts(found.result.outcome, gained),
    )


def token_text(call: Call, order: Order, identity: Identity, *, rest: bool = False) -> str:
    """Return the token that replays an order at a call."""
    return Token(
        probe=identity.probe,
        code=identity.code,
        site=call.site,
        occurrence=call.occurrence,
        jobs=call.jobs,
        order=order,
        rest=rest,
    ).encode()


def changed_survivors(base: Outcome, outcome: Outcome | None) -> tuple[list[Row], list[Row]]:
    """Return a row for each survivor that only one of two outcomes has: lost, and gained."""
    ours, theirs = _survivors(base), {} if outcome is None else _survivors(outcome)
    lost = [row for key, row in ours.items() if key not in theirs]
    gained = [row for key, row in theirs.items() if key not in ours]
    return lost, gained


def _survivors(outcome: Outcome) -> dict[str, Row]:
    found: dict[str, Row] = {}
    for row in outcome.rows:
        found.setdefault(row.survivor, row)
    return found


def _texts(outcome: Outcome | None, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the readable text of the first few rows."""
    if outcome is None:
        return ()
    return tuple(survivor_text(outcome, row) for row in rows[:SHOWN])


def survivor_text(outcome: Outcome, row: Row) -> str:
    """Return what a row stands for: its normalised LoopTree, or its cells."""
    identity = outcome.identities[row.exact]
    if isinstance(identity, FlatIdentity):
        return "\n".join(f"{name} = {text}" for name, text in identity.cells)
    return normalised(identity)
