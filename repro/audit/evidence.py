"""Everything that a check gathered, before it is judged.

Owns the one value that the rules of `repro.audit` are functions of.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro._version import __version__
from repro.model.delivery import Delivery
from repro.model.run import Ending, RunResult, Trial
from repro.model.rung import LADDER, Rung
from repro.model.setting import Environment

if TYPE_CHECKING:
    from collections.abc import Iterable

    from repro.audit.environment import Blame
    from repro.audit.options import CheckOptions
    from repro.audit.orders import Exploration
    from repro.audit.runs import Identity, Runs
    from repro.model.findings import Witness
    from repro.model.outcome import Outcome


_RAISED = frozenset({Ending.FAILED, Ending.INFEASIBLE, Ending.INPUT})
UNDECIDED = frozenset(Ending) - _RAISED - {Ending.OUTCOME}
"""Endings after which nothing is known of what the search would have returned."""


@dataclass(slots=True)
class Evidence:
    """Everything that a check gathered."""

    options: CheckOptions
    workers: int
    runs: Runs
    exploration: Exploration | None = None
    witnesses: tuple[Witness, ...] = ()
    identity: Identity | None = None
    blame: Blame | None = None

    @property
    def reference(self) -> Outcome | None:
        """The outcome that all others are held to: the first serial one."""
        good = self.runs.good(Delivery.SERIAL)
        return good[0].outcome if good else None

    @property
    def base(self) -> Outcome | None:
        """The outcome of the jobs' one run, delivered in submission order."""
        return self.exploration.base.outcome if self.exploration else None

    @property
    def steady(self) -> bool:
        """Whether the search repeats itself where nothing around it changes.

        Only if serial runs differ is it known that they don't.
        """
        return self.blame is None or not self.blame.unstable

    def differing(self, trials: Iterable[Trial]) -> int:
        """Count the trials that changed the required rung."""
        return sum(differs(trial.result, self.base, self.options.require) for trial in trials)


def raised(result: RunResult) -> bool:
    """Whether the search itself ended with an exception."""
    return result.ending in _RAISED


def differs(result: RunResult, base: Outcome | None, rung: Rung) -> bool:
    """Whether an order changed the required rung; one that makes the search fail does."""
    if raised(result):
        return True
    if result.outcome is None or base is None:
        return False
    return result.outcome.digests[rung] != base.digests[rung]


def first_rung(base: Outcome, result: RunResult) -> Rung | None:
    """Return the weakest rung on which a result differs; no outcome differs on all."""
    return next(iter(broken_rungs(result, base)), None)


def broken_rungs(result: RunResult, base: Outcome) -> tuple[Rung, ...]:
    """Return the rungs on which a result differs, weakest first; no outcome differs on all."""
    outcome = result.outcome
    if outcome is None:
        return LADDER if raised(result) else ()
    return tuple(rung for rung in LADDER if outcome.digests[rung] != base.digests[rung])


def environment_of(evidence: Evidence) -> Environment:
    """Say where the runs were made, and with which versions."""
    seen = evidence.runs.good(Delivery.SERIAL)[0].environment
    return Environment(
        python=seen["python"],
        tool=__version__,
        joblib=seen["joblib"],
        platform=seen["platform"],
        machine=seen["machine"],
        cores=int(seen["cores"]),
        accelforge=seen.get("accelforge"),
        numpy=seen.get("numpy"),
        pandas=seen.get("pandas"),
        numba=seen.get("numba"),
    )
