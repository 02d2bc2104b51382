"""The vocabulary of reports: numbers, lists, rungs, deliveries and kinds of causes in words.

Owns how a single thing is called. Leaves whole answers to `repro.report.headline`, `tried`
and `found`, and the words for reason codes to `repro.report.reasons`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.model.delivery import Delivery
from repro.model.findings import CauseKind
from repro.model.rung import Rung

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from repro.model.trace import Site

_MINUTE = 60
_EXACT_BELOW = 10
_TENTH = 0.1
_WHOLE_SECONDS_BELOW = 120

RUNGS: Mapping[Rung, str] = {
    Rung.OBJECTIVES: "objectives",
    Rung.STRATEGIES: "strategies",
    Rung.SURVIVORS: "survivors",
    Rung.ROW_ORDER: "row order",
    Rung.BYTES: "bytes",
}

GLOSSES: Mapping[Delivery, str] = {
    Delivery.SERIAL: "one job at a time",
    Delivery.ORDERED: "parallel, results in job order",
    Delivery.NATIVE: "parallel, as shipped",
    Delivery.INJECTED: "finishing orders chosen by this check",
}

DEPENDS_ON: Mapping[CauseKind, str] = {
    CauseKind.ORDER: "completion order",
    CauseKind.JOBS: "when its parallel jobs run",
    CauseKind.ENVIRONMENT: "the environment of the run",
    CauseKind.WORKERS: "the number of workers",
    CauseKind.UNKNOWN: "something that was not found",
}

CAUSES: Mapping[CauseKind, str] = {
    CauseKind.ORDER: "completion order",
    CauseKind.JOBS: "jobs that are not independent",
    CauseKind.ENVIRONMENT: "environment",
    CauseKind.WORKERS: "worker count",
    CauseKind.UNKNOWN: "not found",
}


@dataclass(frozen=True, slots=True)
class Subject:
    """What differs, as the subject of a sentence."""

    text: str
    plural: bool

    def does(self, verb: str) -> str:
        """Return the subject with a regular verb: `the row order depends`."""
        return f"{self.text} {verb if self.plural else verb + 's'}"


def subject(rung: Rung, things: str) -> Subject:
    """Say what differs between outcomes that are unequal on a rung, the weakest one.

    Args:
        rung: The weakest rung that is broken.
        things: What rows are called: `LoopTrees` or `rows`.
    """
    match rung:
        case Rung.OBJECTIVES:
            return Subject("the objective values", plural=True)
        case Rung.STRATEGIES | Rung.SURVIVORS:
            return Subject(f"which {things} survive", plural=False)
        case Rung.ROW_ORDER:
            return Subject(f"the order of the {things}", plural=False)
        case Rung.BYTES:
            return Subject("how the rows are written", plural=False)


def listed(items: Iterable[object], last: str = "and", *, cap: int | None = None) -> str:
    """Join items as a sentence does; beyond `cap`, say how many more there are."""
    texts = [str(item) for item in items]
    if cap is not None and len(texts) > cap:
        texts = [*texts[:cap], f"{len(texts) - cap} more"]
        last = "and"
    if len(texts) < 2:  # noqa: PLR2004 - nothing to join
        return "".join(texts)
    return f"{', '.join(texts[:-1])} {last} {texts[-1]}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """Return `1 order`, `8 orders`; thousands are set apart by commas."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def percent(rate: float) -> str:
    """Return a rate in percent, to two significant digits below ten."""
    value = 100 * rate
    return f"{value:.0f}%" if value >= _EXACT_BELOW else f"{value:.2g}%"


def duration(seconds: float) -> str:
    """Return a time as a reader would say it: `30 ms`, `4.8 s`, `84 s`, `3 min 20 s`."""
    if seconds < _TENTH:
        return f"{1000 * seconds:.0f} ms"
    if round(seconds, 1) < _EXACT_BELOW:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < _WHOLE_SECONDS_BELOW:
        return f"{whole} s"
    minutes, rest = divmod(whole, _MINUTE)
    hours, minutes = divmod(minutes, _MINUTE)
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {rest} s" if rest else f"{minutes} min"


def place(site: Site) -> str:
    """Name a site as editors do, with its function."""
    return f"{site}, {site.function}"


def rungs(several: Iterable[Rung]) -> str:
    """List rungs by their names in words."""
    return listed(RUNGS[rung] for rung in several)


def spaced(name: str) -> str:
    """Return a JSON key in words: `hashSeed` is `hash seed`."""
    return "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in name)
