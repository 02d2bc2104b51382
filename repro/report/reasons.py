"""Reason codes in words: why a check can't conclude, and notes on how it was made.

Owns one sentence for each code, and what to do about it. A code that isn't known here, or a
fact that is missing, is printed as it is: a newer audit must not break an older report.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.report.words import counted, duration, listed, spaced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from repro.model.result import Reason

NOTES = frozenset(
    {
        "noUnorderedJobs",
        "jobsDiffer",
        "orderFailed",
        "ordersCutShort",
        "replayed",
        "fallbackFresh",
        "capped",
        "environmentVaried",
        "nativeMachineDiffers",
    }
)
"""Codes that say how a check was made; all others stand in the way of a conclusion."""


@dataclass(frozen=True, slots=True)
class Said:
    """A reason in words: what happened, and what to do about it, if there is something."""

    what: str
    do: str = ""


class _Facts:
    """A reason's facts as words; a missing one reads as a question mark."""

    def __init__(self, facts: Mapping[str, object]) -> None:
        self._facts = facts

    def __getitem__(self, name: str) -> str:
        return _text(self._facts.get(name))

    def has(self, *names: str) -> bool:
        return all(self._facts.get(name) not in (None, "", [], {}) for name in names)

    def number(self, name: str) -> float | None:
        value = self._facts.get(name)
        return value if isinstance(value, int | float) else None

    def after(self, lead: str, *names: str) -> str:
        """Return the facts that there are, led in by some words; nothing if there are none."""
        found = [self[name] for name in names if self.has(name)]
        return f"{lead}{', '.join(found)}" if found else ""

    def amount(self, name: str, noun: str) -> str:
        """Return a number of things: `3 jobs`."""
        number = self.number(name)
        return f"{self[name]} {noun}s" if number is None else counted(int(number), noun)

    def run(self) -> str:
        """Name the run that it is about: `native run 2`."""
        delivery = "injected orders'" if self["delivery"] == "injected" else self["delivery"]
        return f"{delivery} run{self.after(' ', 'run')}"

    def signal(self) -> str:
        """Return how a process ended: ` (SIGSEGV)`."""
        if not self.has("signal"):
            return ""
        number = self.number("signal")
        known = number is not None and number in {entry.value for entry in signal.Signals}
        name = signal.Signals(int(number or 0)).name if known else self["signal"]
        return f" ({name})"


def words(reason: Reason) -> Said:
    """Return a reason in words."""
    facts = _Facts(reason.facts)
    saying = _SAYINGS.get(reason.code)
    if saying is None:
        return Said(reason.code + "".join(f", {key} {facts[key]}" for key in reason.facts))
    said = saying(facts)
    return Said(f"{said.what} ({facts['times']} times)", said.do) if facts.has("times") else said


def is_note(reason: Reason) -> bool:
    """Say whether a reason only tells how the check was made."""
    return reason.code in NOTES


def _text(value: object) -> str:
    match value:
        case None | "":
            return "?"
        case {"file": file, "line": line, **rest}:
            return f"{file}:{line}" + (f", {rest['function']}" if rest.get("function") else "")
        case dict():
            return listed(f"{spaced(key)} {_text(item)}" for key, item in value.items())
        case list() | tuple():
            return listed((_text(item) for item in value), cap=4)
        case float():
            return f"{value:g}"
        case _:
            return str(value)


def _timed_out(facts: _Facts) -> Said:
    limit = facts.number("limitSeconds")
    after = f" after {duration(limit)}" if limit is not None else ""
    return Said(
        f"{facts.run()} was stopped{after}: it hung, or needs longer than its limit",
        "allow more with --limit SECONDS, or free the machine, and check again",
    )


def _search_failed(facts: _Facts) -> Said:
    return Said(
        f"{facts.run()} failed in the search itself: {facts['error']}{facts.after(' at ', 'site')}",
        "make the search run to its end first: repro run PROBE --json FILE",
    )


def _jobs_opaque(facts: _Facts) -> Said:
    counted_jobs = facts.number("jobs") is not None
    which = facts.amount("jobs", "job") if counted_jobs else f"jobs {facts['jobs']}"
    return Said(
        f"results of {which} can't be compared{facts.after('; first ', 'path')}",
        "return plain data, arrays, frames or dataclasses from jobs",
    )


def _budget(facts: _Facts) -> Said:
    return Said(
        f"the time ran out: {facts['done']} of {facts['asked']} orders were tried",
        "allow more time with --budget SECONDS, or ask for fewer with --orders",
    )


def _capped(facts: _Facts) -> Said:
    return Said(f"{facts['what']}: {facts['shown']} of {facts['total']} are listed")


def _no_jobs() -> Said:
    return Said(
        "no call with two or more jobs takes its results unordered, so completion order can't "
        "reach the search",
    )


_SAYINGS: Mapping[str, Callable[[_Facts], Said]] = {
    "runCrashed": lambda facts: Said(
        f"{facts.run()} crashed{facts.signal()}{facts.after(': ', 'detail')}",
        "look for a lack of memory or a fault in a native library, and check again",
    ),
    "runTimedOut": _timed_out,
    "runWithoutOutcome": lambda facts: Said(
        f"{facts.run()} ended as if all were well, but left no outcome",
        "see that nothing in the search ends the process early, and check again",
    ),
    "searchFailed": _search_failed,
    "uncontrolledCall": lambda facts: Said(
        f"the order of results can't be set at {facts['site']}{facts.after(': ', 'reason')}",
        "use joblib's process or thread back ends there, or judge it by --delivery serial",
    ),
    "diskFull": lambda facts: Said(
        f"{facts.run()} ended because no space was left on the disk",
        "free some space, or point TMPDIR at another disk, and check again",
    ),
    "jobsDiffer": lambda facts: Said(
        f"{facts.amount('jobs', 'job')} gave another result in another execution order"
        f"{facts.after(': first ', 'first')}{facts.after(' at ', 'site')}",
    ),
    "oneOutcome": lambda _: Said(
        "only one outcome was made, so there was nothing to compare it with",
        "make more runs with --runs, or judge another delivery as well",
    ),
    "nativeAlone": lambda facts: Said(
        f"native runs meet only the orders that this machine happens to give; "
        f"{facts.amount('sites', 'site')} take results as they come, and no order was tried there",
        "judge it by --delivery injected as well, or by ordered delivery alone",
    ),
    "noJoblibCall": lambda _: Said(
        "the search made no joblib call, so there was no order to control",
        "see that the probe calls the search that you mean, and that it runs in parallel",
    ),
    "noUnorderedJobs": lambda _: _no_jobs(),
    "jobsOpaque": _jobs_opaque,
    "budgetExhausted": _budget,
    "ordersCutShort": lambda facts: Said(
        f"the time ran out: {facts['done']} of {facts['asked']} orders were tried, and what is "
        "said of orders rests on these",
        "for all of them, allow more time with --budget SECONDS",
    ),
    "replayed": lambda facts: Said(
        f"one order was replayed{facts.after(' at ', 'site')}; for a verdict on the search, "
        "run the check without --replay",
    ),
    "canaryFailed": lambda facts: Said(
        f"joblib's order of delivery can't be controlled here{facts.after(': ', 'detail')}",
        "see what repro doctor says; use a version of joblib that it calls good",
    ),
    "orderedDiffers": lambda facts: Said(
        f"ordered delivery differs from serial{spaced(facts.after(' on ', 'rung'))}, so "
        "repro.deterministic() can't be promised to cure it",
        "publish from serial runs",
    ),
    "orderCrashed": lambda facts: Said(
        f"the search crashed under an injected order{facts.after(' at ', 'site')}{facts.signal()}"
        f"{_token(facts)}",
        "replay that order to see it again",
    ),
    "orderFailed": lambda facts: Said(
        f"the search raised an error under an injected order{facts.after(' at ', 'site')}: "
        f"{facts['error']}{_token(facts)}",
        "replay that order to see it again: this can happen to a user too",
    ),
    "fallbackFresh": lambda facts: Said(
        "orders were tried in fresh processes, slower but with the same answers, because "
        f"forking was not possible{facts.after(': ', 'reason')}",
    ),
    "capped": _capped,
    "environmentVaried": lambda facts: Said(f"serial runs varied {facts['names']}"),
    "nativeMachineDiffers": lambda facts: Said(
        "native runs used the machine's own worker count, not the probe's"
        + facts.after(": ", "machine", "cores", "workers"),
    ),
}


def _token(facts: _Facts) -> str:
    return f" (--replay {facts['token']})" if facts.has("token") else ""


def unseen(count: int) -> str:
    """Say that a list was cut short."""
    return f"and {counted(count, 'more', 'more')}, all in the JSON"
