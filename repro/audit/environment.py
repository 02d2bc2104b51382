"""When serial runs differ: does the environment explain it, and which part of it?

Owns telling a variation that matters from one that doesn't, and both from a search that
differs in one and the same environment. Which settings are varied is `repro.audit.runs`.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.audit.evidence import differs
from repro.model.delivery import Delivery
from repro.model.run import Ending

if TYPE_CHECKING:
    from repro.audit.runs import EnginePort, Planner, Runs
    from repro.model.progress import Progress
    from repro.model.run import RunRequest, RunResult, Variation

BISECT_PHASE = "settings one by one"


@dataclass(frozen=True, slots=True)
class Blame:
    """What repeating serial runs with one setting changed at a time showed.

    Attributes:
        unstable: Whether a run in the very environment of the reference differs from it too:
            then no setting explains anything.
        settings: The settings that change the outcome by themselves, by their JSON names.
    """

    unstable: bool
    settings: tuple[str, ...] = ()


def blame_environment(
    engine: EnginePort, planner: Planner, runs: Runs, progress: Progress
) -> Blame | None:
    """Find the settings that make serial runs differ; `None` if no serial runs differ.

    Every varied setting is changed alone, to its value in the first run that differs. Runs go
    one at a time, for they share the folder of the reference.
    """
    rung = planner.options.explored
    serial = [
        run for run in runs.by_delivery[Delivery.SERIAL] if run.result.ending is Ending.OUTCOME
    ]
    reference = serial[0]
    other = next((r for r in serial if differs(r.result, reference.result.outcome, rung)), None)
    if other is None:
        return None
    home, away = reference.request.variation, other.request.variation
    trials = {"": home, **_one_by_one(home, away)}
    requests = [_repeat(reference.request, variation) for variation in trials.values()]
    progress.begin(BISECT_PHASE, len(requests))
    results: dict[str, RunResult] = {}
    for position, result in engine.run_all(requests, together=1):
        results[list(trials)[position]] = result
        progress.advance(BISECT_PHASE)
    progress.end(BISECT_PHASE)
    changed = [name for name in trials if differs(results[name], reference.result.outcome, rung)]
    if "" in changed:
        return Blame(unstable=True)
    return Blame(unstable=False, settings=tuple(changed))


def _one_by_one(home: Variation, away: Variation) -> dict[str, Variation]:
    """Return, for each setting that differs, `home` with only that one as in `away`."""
    singles: dict[str, Variation] = {}
    for setting in dataclasses.fields(home):
        value = getattr(away, setting.name)
        if value != getattr(home, setting.name):
            head, *rest = setting.name.split("_")
            name = head + "".join(word.capitalize() for word in rest)
            singles[name] = dataclasses.replace(home, **{setting.name: value})
    return singles


def _repeat(request: RunRequest, variation: Variation) -> RunRequest:
    return dataclasses.replace(request, variation=variation)
