"""What a probe says: one search to audit, with everything that decides its outcome.

Owns the record, the words that its keys may take, overriding of parameters, and the digest.
Leaves checking the content of a `probe.yaml` to `repro.model.probe_reading`, finding and reading
files to `repro.searches.catalog`, and running the search to `repro.searches.accelforge`; nothing
here looks inside an architecture or a workload.
"""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from repro.errors import ProbeError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

SCHEMA = "repro.probe/1"
"""Names the digest's layout; a change of layout changes every digest, so it must be named."""

type Scalar = str | int | float | bool


class Entry(StrEnum):
    """Which function of the search is called."""

    JOIN = "join"
    """`make_pmappings`, then `join_pmappings`."""
    DETAILED = "detailed"
    """`map_workload_to_arch`, which evaluates every row again in detail."""


class Kind(StrEnum):
    """What a mapper setting may be set to."""

    SWITCH = "true or false"
    WHOLE = "a whole number of at least 1"
    LIMIT = "a whole number of at least 0, or .inf"
    NUMBER = "a number of at least 0"
    CLOCK = ".inf"


SEARCHES = ("accelforge",)

METRICS = (
    "LATENCY",
    "ENERGY",
    "DYNAMIC_ENERGY",
    "LEAK_ENERGY",
    "RESOURCE_USAGE",
    "ENERGY_DELAY_PRODUCT",
)
"""The members of AccelForge's `Metrics` that a search can optimise (the others only report)."""

MAPPER_SETTINGS: Mapping[str, Kind] = {
    "force_memory_hierarchy_order": Kind.SWITCH,
    "out_of_order_hierarchy_explore_removing_spatials_for_more_temporals": Kind.SWITCH,
    "max_fused_loops_per_rank_variable": Kind.WHOLE,
    "tiling_coarseness": Kind.NUMBER,
    "max_fused_loops": Kind.LIMIT,
    "max_loops": Kind.LIMIT,
    "max_loops_minus_ranks": Kind.LIMIT,
    "explore_loop_orders": Kind.SWITCH,
    "memory_limit": Kind.CLOCK,
    "memory_limit_per_process": Kind.CLOCK,
    "time_limit": Kind.CLOCK,
    "time_limit_per_pmapping_template": Kind.CLOCK,
    "max_pmapping_templates_per_einsum": Kind.LIMIT,
    "explore_imperfect_spatial_loops": Kind.SWITCH,
    "explore_imperfect_temporal_loops": Kind.SWITCH,
    "prioritize_reuse_of_unfused_tensors": Kind.SWITCH,
    "objective_tolerance": Kind.NUMBER,
    "resource_usage_tolerance": Kind.NUMBER,
}
"""The public settings of AccelForge's `FFM` mapper, bar its metrics."""

CLOCK_SETTINGS = tuple(name for name, kind in MAPPER_SETTINGS.items() if kind is Kind.CLOCK)
"""Settings that, once finite, let the clock or free memory decide what the search returns."""

PARAMETER_TYPES: Mapping[type, str] = {
    bool: "true or false",
    int: "a whole number",
    float: "a finite number",
    str: "text",
}
"""The types that a parameter may have, in words."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One search to audit.

    Paths are relative to the folder of the `probe.yaml`. `parameters` is the data that the
    architecture and workload templates are filled with.
    """

    name: str
    metrics: tuple[str, ...]
    title: str = ""
    search: str = "accelforge"
    entry: Entry = Entry.JOIN
    workers: int = 2
    architecture: str = "arch.yaml"
    workload: str = "workload.yaml"
    includes: tuple[str, ...] = ()
    parameters: Mapping[str, Scalar] = field(default_factory=dict)
    mapper: Mapping[str, bool | int | float] = field(default_factory=dict)
    sources: tuple[str, ...] = ()

    @classmethod
    def from_dict(
        cls,
        data: object,
        *,
        source: str = "probe.yaml",
        lines: Mapping[str, int] | None = None,
    ) -> Probe:
        """Read a probe from the content of a `probe.yaml`.

        Args:
            data: The parsed content.
            source: What to call the file in messages.
            lines: Line of each key, nested keys joined by a dot, where they are known.

        Raises:
            ProbeClockError: A finite time or memory limit is set.
            ProbeError: Any other fault; the first one, if there are several.
        """
        from repro.model.probe_reading import read

        probe, faults = read(data, source=source, lines=lines)
        if probe is None:
            raise faults[0]
        return probe

    def to_dict(self) -> dict[str, Any]:
        """Return the probe as JSON values; `from_dict` reads it back to an equal probe."""
        return {
            "name": self.name,
            "title": self.title,
            "search": self.search,
            "entry": self.entry.value,
            "workers": self.workers,
            "architecture": self.architecture,
            "workload": self.workload,
            "includes": list(self.includes),
            "parameters": dict(self.parameters),
            "metrics": list(self.metrics),
            "mapper": {key: _json(value) for key, value in self.mapper.items()},
            "sources": list(self.sources),
        }

    def with_parameters(self, overrides: Mapping[str, Scalar]) -> Probe:
        """Return the probe with some parameters set to other values.

        A value given as text, as from the command line, is read as the type of the default.

        Raises:
            ProbeError: The probe has no such parameter, or the value is of another type.
        """
        changed = {key: self._override(key, value) for key, value in overrides.items()}
        return replace(self, parameters={**self.parameters, **changed})

    def digest(self, files: Mapping[str, bytes]) -> str:
        """Return the SHA-256, in hex, of all that decides this probe's outcome.

        Covered are search, entry, workers, parameters, metrics, mapper settings and the bytes of
        the files. Name, title, sources and where the files lie are left out: they change what a
        reader sees, not what the search returns.

        Args:
            files: Content of each input: "architecture", "workload" and the `includes`.
        """
        content = {
            "schema": SCHEMA,
            "search": self.search,
            "entry": self.entry.value,
            "workers": self.workers,
            "parameters": dict(self.parameters),
            "metrics": sorted(self.metrics),
            "mapper": {key: _json(value) for key, value in self.mapper.items()},
            "files": {role: hashlib.sha256(text).hexdigest() for role, text in files.items()},
        }
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()

    def _override(self, key: str, value: Scalar) -> Scalar:
        where = f"{self.name}, parameter {key}"
        if key not in self.parameters:
            known = ", ".join(self.parameters) or "none"
            do = f"the probe's parameters are: {known}{suggest(key, self.parameters)}"
            raise ProbeError(f"unknown parameter {key!r}", where=where, do=do)
        default = self.parameters[key]
        typed = _typed(value, type(default))
        if typed is None:
            what = f"{value!r} is not {PARAMETER_TYPES[type(default)]}"
            do = f"give a value of the type of the default, {default!r}"
            raise ProbeError(what, where=where, do=do)
        return typed


def suggest(word: object, known: Iterable[str]) -> str:
    """Return the ending of a hint that names the closest known word, if one is close."""
    close = get_close_matches(str(word), list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def _json(value: float) -> float | str:
    """Return a setting as JSON has it: infinity, which JSON lacks, is the text `inf`."""
    return "inf" if value == math.inf else value


def _typed(value: Scalar, kind: type) -> Scalar | None:
    """Return a value as another of that type would be written, `None` if it can't be."""
    if kind is str:
        return value if isinstance(value, str) else None
    if isinstance(value, str):
        return _parsed(value.strip(), kind)
    if kind is float and type(value) is int:
        value = float(value)
    if type(value) is not kind or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def _parsed(text: str, kind: type) -> Scalar | None:
    if kind is bool:
        return {"true": True, "false": False}.get(text.lower())
    try:
        return _typed(kind(text), kind)
    except ValueError:
        return None
