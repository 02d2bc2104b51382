"""What is known of each planted search, and how a result of `repro check` is held to it.

Every search in this folder declares an `EXPECTED`: the one fault that was planted in it, or
that there is none. `disagreements` compares that with the JSON of a check; the test and
`benchmarks/planted.py` both go through it.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.model.rung import LADDER

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
MARK = "# <- "
RUNGS = [rung.value for rung in LADDER]
ORDERS = 20
"""Whole orders of a check, unless a search needs more."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One cause that a check must name.

    Attributes:
        kind: As in `causes[].kind`.
        rung: The weakest rung that it breaks.
        site: The mark on the line that makes the call, or `None` where no call is to blame.
        setting: The setting of the environment that is to blame, or `None`.
    """

    kind: str
    rung: str
    site: str | None = None
    setting: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a check of one search must say.

    Attributes:
        about: What was planted, in a few words.
        causes: Every cause that must be named, and no other may be.
        broken: The rungs that some delivery must break, while all others hold in all; `None`
            where that depends on which process happens to run which job.
        sound: Whether the verdict must be *reproducible* on the required rung.
        require: The rung that is asked for.
        moved: How many jobs the smallest reordering of each `order` cause moves.
        witness: Whether each `order` cause comes with a smallest reordering.
        steady: Whether the search repeats itself if it is run twice in one environment. If it
            doesn't, nothing can be said of orders.
        latency_groups: What `deliveries.injected.latencyGroups` must be.
        orders: Whole orders to try; `None` is the default of `repro check`.
        native: Whether real parallel runs tell more of it than injected orders do.
        options: Further options of `repro.check`.
    """

    about: str
    causes: tuple[Cause, ...] = ()
    broken: tuple[str, ...] | None = ()
    sound: bool
    require: str = "rowOrder"
    moved: int = 2
    witness: bool = True
    steady: bool = True
    latency_groups: bool | None = None
    orders: int | None = ORDERS
    native: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def arguments(self, *, whole: bool = True) -> dict[str, Any]:
        """Return the keyword arguments of `repro.check`.

        Args:
            whole: Whether to make all runs. Without, native runs are made only of searches that
                say they need them, and a fault of completion order alone is looked for by
                serial runs and injected orders.
        """
        chosen: dict[str, Any] = {"orders": self.orders, "require": self.require}
        if not whole and not self.native:
            by_order = {cause.kind for cause in self.causes} == {"order"}
            ordered = () if by_order else ("ordered",)
            chosen["deliveries"] = ("serial", *ordered, "injected")
        return {**chosen, **self.options}


def order(rung: str, site: str = "site") -> Cause:
    """Completion order, at a marked call."""
    return Cause("order", rung, site)


def jobs(rung: str, site: str = "site") -> Cause:
    """Jobs that don't give the same result each time, at a marked call."""
    return Cause("jobs", rung, site)


def environment(rung: str, setting: str | None = None) -> Cause:
    """Something around the process: `hashSeed`, `timeZone`, `locale`, `threads` or `folder`."""
    return Cause("environment", rung, setting=setting)


def workers(rung: str) -> Cause:
    """The number of workers that the search is told."""
    return Cause("workers", rung)


def unknown(rung: str) -> Cause:
    """Nothing that a check varies: the search differs where nothing else does."""
    return Cause("unknown", rung)


CHANGED = ("strategies", "survivors", "rowOrder", "bytes")
"""Other rows survive, at equal objectives."""
REORDERED = ("rowOrder", "bytes")
"""The same rows in another order."""
REVALUED = ("objectives", "rowOrder", "bytes")
"""The same rows with other objectives."""
ALL = tuple(RUNGS)


def planted(about: str, *causes: Cause, broken: tuple[str, ...] | None, **more: Any) -> Expected:
    """Declare a search with a fault."""
    return Expected(about=about, causes=causes, broken=broken, sound=False, **more)


def sound(about: str, *causes: Cause, broken: tuple[str, ...] = (), **more: Any) -> Expected:
    """Declare a search that only looks faulty.

    `broken` rungs are stronger than the required one. What breaks `rowOrder` is named as a
    cause even where less is required.
    """
    return Expected(about=about, causes=causes, broken=broken, sound=True, **more)


def names() -> list[str]:
    """Return the searches of this folder, by module name."""
    return sorted(path.stem for path in HERE.glob("*.py") if path != Path(__file__))


def load(name: str) -> Expected:
    """Return what is known of a search; the folder must be on the import path."""
    found: Expected = importlib.import_module(name).EXPECTED
    return found


def marked(name: str) -> dict[str, int]:
    """Return the line of each mark in a search's source."""
    text = (HERE / f"{name}.py").read_text(encoding="utf-8")
    lines = [line.partition(MARK)[2].strip() for line in text.splitlines()]
    return {mark: number for number, mark in enumerate(lines, 1) if mark}


def disagreements(name: str, expected: Expected, result: Mapping[str, Any]) -> list[str]:
    """Say in which points the JSON of a check differs from what is known of its search."""
    lines = marked(name)
    return [
        *_verdict(expected, result),
        *_causes(name, expected, result, lines),
        *_rungs(expected, result),
        *_sites(name, expected, result, lines),
        *_witnesses(name, expected, result, lines),
    ]


def _verdict(expected: Expected, result: Mapping[str, Any]) -> list[str]:
    due, code = ("reproducible", 0) if expected.sound else ("nondeterministic", 1)
    said = (result["verdict"], result["exitCode"], result["require"])
    return _unless(said == (due, code, expected.require), f"verdict {said}, due {due}, {code}")


def _causes(
    name: str, expected: Expected, result: Mapping[str, Any], lines: Mapping[str, int]
) -> list[str]:
    due = {(c.kind, c.setting, c.rung, _place(name, lines, c.site)) for c in expected.causes}
    said = {
        (cause["kind"], _setting(cause), cause["firstRung"], _told(cause["site"]))
        for cause in result["causes"]
    }
    return _unless(said == due, f"causes {_shown(said)}, due {_shown(due)}")


def _rungs(expected: Expected, result: Mapping[str, Any]) -> list[str]:
    deliveries = result["deliveries"].values()
    said = tuple(
        rung for rung in RUNGS if any(found["holds"][rung] is False for found in deliveries)
    )
    right = expected.broken is None or said == expected.broken
    wrong = _unless(right, f"broken rungs {said}, due {expected.broken}")
    injected = result["deliveries"].get("injected")
    if injected is not None:
        groups = injected["latencyGroups"]
        due = expected.latency_groups
        wrong += _unless(groups == due, f"latency groups {groups}, due {due}")
    return wrong


def _sites(
    name: str, expected: Expected, result: Mapping[str, Any], lines: Mapping[str, int]
) -> list[str]:
    """Every call to blame is order-sensitive; every other unordered one is cleared by test."""
    blamed = {_place(name, lines, c.site) for c in expected.causes if c.kind == "order"}
    said = {_told(site): site["orderSensitive"] for site in result["sites"] if site["unordered"]}
    if not expected.steady:
        said = {place: bool(sensitive) for place, sensitive in said.items()}
    due = {place: place in blamed for place in said}
    missing = _unless(blamed <= set(said), f"sites {sorted(said)}, due {sorted(blamed)}")
    return missing + _unless(said == due, f"order-sensitive {said}, due {due}")


def _witnesses(
    name: str, expected: Expected, result: Mapping[str, Any], lines: Mapping[str, int]
) -> list[str]:
    wanted = [c for c in expected.causes if c.kind == "order"] if expected.witness else []
    due = {_place(name, lines, cause.site): expected.moved for cause in wanted}
    said = {_told(each["site"]): each["movedCount"] for each in result["witnesses"]}
    return _unless(said == due, f"jobs that witnesses move {said}, due {due}")


def _place(name: str, lines: Mapping[str, int], mark: str | None) -> str | None:
    return None if mark is None else f"{name}.py:{lines[mark]}"


def _told(site: Mapping[str, Any] | None) -> str | None:
    return None if site is None else f"{site['file']}:{site['line']}"


def _setting(cause: Mapping[str, Any]) -> str | None:
    return ", ".join(cause.get("settings") or ()) or None


def _shown(causes: set[tuple[str | None, ...]]) -> list[str]:
    return sorted(" ".join(filter(None, cause)) for cause in causes) or ["none"]


def _unless(holds: bool, what: str) -> list[str]:  # noqa: FBT001
    return [] if holds else [what]
