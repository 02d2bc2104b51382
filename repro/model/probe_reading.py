"""The content of a `probe.yaml`, checked key by key.

Owns the checks and their messages: every fault is named with its file, line and key, what is
allowed there, and the closest match. Leaves the record to `repro.model.probe`, and reading YAML
and looking for files to `repro.searches.catalog`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, TypeGuard

from repro.errors import ProbeClockError, ProbeError
from repro.model.probe import (
    CLOCK_SETTINGS,
    MAPPER_SETTINGS,
    METRICS,
    PARAMETER_TYPES,
    SEARCHES,
    Entry,
    Kind,
    Probe,
    Scalar,
    suggest,
)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read(
    data: object, *, source: str = "probe.yaml", lines: Mapping[str, int] | None = None
) -> tuple[Probe | None, tuple[ProbeError, ...]]:
    """Read a probe and list all of its faults, in the order of the format's keys.

    Arguments are those of `Probe.from_dict`. The probe is `None` exactly if there are faults.
    """
    reading = _Reading(source, lines or {})
    if not isinstance(data, Mapping):
        reading.fault("", f"expected keys and values, found {_shown(data)}", "see docs/probes.md")
        return None, tuple(reading.faults)
    content = reading.content(data)
    if reading.faults:
        return None, tuple(reading.faults)
    return Probe(**content), ()


def refuse_clock_settings(settings: Mapping[str, object], *, source: str) -> None:
    """Refuse mapper settings that let the clock or free memory decide the outcome.

    A probe's own settings are checked when it is read. The spec files can set the mapper too, and
    that is only known after they were evaluated: whoever evaluates them calls this.

    Args:
        settings: The mapper's settings by name; names that are no limits are passed over.
        source: The file that they come from.

    Raises:
        ProbeClockError: One of the limits is finite.
    """
    for name in CLOCK_SETTINGS:
        if not _unlimited(settings.get(name, math.inf)):
            raise _clock(name, settings[name], f"{source}, key mapper.{name}")


class _Reading:
    """Collects the faults of one `probe.yaml` while its values are read."""

    def __init__(self, source: str, lines: Mapping[str, int]) -> None:
        self.source = source
        self.lines = lines
        self.faults: list[ProbeError] = []

    def where(self, key: str) -> str:
        """Name the place of a key: file, line where it is known, key."""
        line = self.lines.get(key)
        place = self.source if line is None else f"{self.source}:{line}"
        return f"{place}, key {key}" if key else place

    def fault(self, key: str, what: str, do: str | None = None) -> None:
        """Note one fault of the value under a key."""
        self.faults.append(ProbeError(what, where=self.where(key), do=do))

    def content(self, data: Mapping[Any, Any]) -> dict[str, Any]:
        """Return the values of all keys that are there; meaningless if there are faults."""
        self._known(data, _READERS, "")
        for key in _REQUIRED:
            if key not in data:
                self.fault("", f"the key {key!r} is missing", f"add a line `{key}: …`")
        return {
            key: reader(self, key, data[key]) for key, reader in _READERS.items() if key in data
        }

    def _known(self, data: Mapping[Any, Any], allowed: Mapping[str, object], prefix: str) -> None:
        for key in data:
            if key not in allowed:
                do = f"the keys allowed here are: {', '.join(allowed)}{suggest(key, allowed)}"
                self.fault(f"{prefix}{key}", f"unknown key {str(key)!r}", do)

    def text(self, key: str, value: object) -> str:
        """Read one line of text."""
        if not isinstance(value, str) or "\n" in value.strip():
            self.fault(key, f"expected one line of text, found {_shown(value)}")
            return ""
        return value.strip()

    def name(self, key: str, value: object) -> str:
        """Read a name that can stand in a file name or on a command line."""
        if not isinstance(value, str) or not _NAME.fullmatch(value):
            do = "use letters, digits and . _ -, starting with a letter or digit"
            self.fault(key, f"{_shown(value)} can't be a name", do)
            return ""
        return value

    def choice(self, key: str, value: object, allowed: tuple[str, ...]) -> str:
        """Read one of a few words."""
        if not isinstance(value, str) or value not in allowed:
            do = f"allowed are: {', '.join(allowed)}{suggest(value, allowed)}"
            self.fault(key, f"{_shown(value)} is not known here", do)
            return allowed[0]
        return value

    def workers(self, key: str, value: object) -> int:
        """Read a count of at least one."""
        if not _is_whole(value) or value < 1:
            self.fault(key, f"expected a whole number of at least 1, found {_shown(value)}")
            return 1
        return value

    def path(self, key: str, value: object) -> str:
        """Read a path relative to the probe's folder."""
        if not isinstance(value, str) or not value or PurePosixPath(value).is_absolute():
            do = "write it relative to the folder of the probe.yaml"
            self.fault(key, f"{_shown(value)} is no relative path", do)
            return ""
        return value

    def many(self, key: str, value: object) -> list[Any]:
        """Read a list."""
        if not isinstance(value, list):
            self.fault(key, f"expected a list, found {_shown(value)}", f"write `{key}: [ … ]`")
            return []
        return value

    def metrics(self, key: str, value: object) -> tuple[str, ...]:
        """Read the metrics to optimise: at least one, each once."""
        items = self.many(key, value)
        if isinstance(value, list) and not items:
            self.fault(key, "no metric is named", f"name some of: {', '.join(METRICS)}")
        names = tuple(self.choice(key, item, METRICS) for item in items)
        for name in METRICS:
            if items.count(name) > 1:
                self.fault(key, f"{name} is named more than once")
        return names

    def parameters(self, key: str, value: object) -> dict[str, Scalar]:
        """Read template data: names and scalars."""
        parameters = self.mapping(key, value)
        for name, content in parameters.items():
            self._parameter(name, f"{key}.{name}", content)
        return dict(parameters)

    def _parameter(self, name: object, key: str, content: object) -> None:
        if not isinstance(name, str) or not _IDENTIFIER.fullmatch(name):
            do = "use letters, digits and underscores, starting with a letter"
            self.fault(key, f"{_shown(name)} can't be a template variable's name", do)
        elif type(content) not in PARAMETER_TYPES:
            self.fault(key, f"expected text, a number, true or false, found {_shown(content)}")
        elif isinstance(content, float) and not math.isfinite(content):
            do = f"write it as text, {str(content)!r}: a template sees no difference"
            self.fault(key, f"{_shown(content)} is not a finite number", do)

    def mapper(self, key: str, value: object) -> dict[str, bool | int | float]:
        """Read mapper settings."""
        settings = self.mapping(key, value)
        self._known(settings, MAPPER_SETTINGS, f"{key}.")
        known = {name: content for name, content in settings.items() if name in MAPPER_SETTINGS}
        return {name: self._setting(name, f"{key}.{name}", known[name]) for name in known}

    def _setting(self, name: str, key: str, value: object) -> bool | int | float:
        kind = MAPPER_SETTINGS[name]
        if kind is Kind.CLOCK and not _unlimited(value):
            self.faults.append(_clock(name, value, self.where(key)))
            return math.inf
        content = math.inf if value == "inf" else value
        if isinstance(content, bool | int | float) and _fits(content, kind):
            return content
        self.fault(key, f"expected {kind.value}, found {_shown(value)}")
        return math.inf

    def mapping(self, key: str, value: object) -> Mapping[Any, Any]:
        """Read names and values."""
        if not isinstance(value, Mapping):
            self.fault(key, f"expected names and values, found {_shown(value)}")
            return {}
        return value


_READERS: Mapping[str, Any] = {
    "name": _Reading.name,
    "title": _Reading.text,
    "search": lambda reading, key, value: reading.choice(key, value, SEARCHES),
    "entry": lambda reading, key, value: Entry(reading.choice(key, value, tuple(Entry))),
    "workers": _Reading.workers,
    "architecture": _Reading.path,
    "workload": _Reading.path,
    "includes": lambda reading, key, value: tuple(
        reading.path(key, item) for item in reading.many(key, value)
    ),
    "parameters": _Reading.parameters,
    "metrics": _Reading.metrics,
    "mapper": _Reading.mapper,
    "sources": lambda reading, key, value: tuple(
        reading.text(key, item) for item in reading.many(key, value)
    ),
}
_REQUIRED = ("name", "metrics")


def _clock(name: str, value: object, where: str) -> ProbeClockError:
    means = "free memory" if "memory" in name else "the clock"
    return ProbeClockError(
        f"{name} is {_shown(value)}: what the search returns then depends on {means}",
        where=where,
        do=f"remove {name}; bound the mapspace instead, for instance with max_loops",
    )


def _unlimited(value: object) -> bool:
    return value in ("inf", math.inf)


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _fits(value: float, kind: Kind) -> bool:
    """Tell whether a mapper setting has a value of its kind."""
    match kind:
        case Kind.SWITCH:
            return isinstance(value, bool)
        case Kind.WHOLE:
            return _is_whole(value) and value >= 1
        case Kind.LIMIT:
            return value == math.inf or (_is_whole(value) and value >= 0)
        case Kind.NUMBER:
            return not isinstance(value, bool) and 0 <= value < math.inf
        case Kind.CLOCK:
            return _unlimited(value)


def _shown(value: object) -> str:
    """Show a value in a message the way it is written in YAML, shortened."""
    if value is None:
        return "nothing"
    if isinstance(value, Mapping):
        return "keys and values"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return f".{value}" if value > 0 or math.isnan(value) else "-.inf"
    return f"{value!r:.60}"
