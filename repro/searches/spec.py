"""An AccelForge `Spec` that lives in somebody's script or notebook, as a search.

Owns sending the object to a fresh process. Everything else is `repro.searches.accelforge`.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from repro.errors import UsageError
from repro.model.probe import CLOCK_SETTINGS, Entry
from repro.model.probe_reading import refuse_clock_settings
from repro.searches.accelforge import AccelForgeSearch, AccelForgeSource, run_entry

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class SpecSource:
    """A `Spec` object before it runs.

    Attributes:
        pickled: The object as cloudpickle writes it, in base 64.
        entry: `join` or `detailed`.
        workers: The logical worker count.
    """

    pickled: str
    entry: str = "join"
    workers: int = 2

    @property
    def shipped(self) -> None:
        """AccelForge takes as many workers as the machine has cores."""
        return

    @property
    def name(self) -> str:
        """A `Spec` has no name of its own."""
        return "spec"

    @property
    def title(self) -> str:
        """What it is."""
        return "an AccelForge Spec from Python"

    @property
    def has_command(self) -> bool:
        """An object in memory has no name on the command line."""
        return False

    @property
    def digest(self) -> str:
        """SHA-256 of the pickled object: equal within one session, not across versions."""
        text = f"{self.pickled}\0{self.entry}\0{self.workers}"
        return hashlib.sha256(text.encode()).hexdigest()

    def code_digest(self) -> str:
        """Hash the sources of the installed AccelForge."""
        return AccelForgeSource.code_digest(self)  # type: ignore[arg-type]

    def describe(self) -> dict[str, Any]:
        """Return the JSON form from which a fresh process builds the search."""
        return {"kind": "spec", "pickled": self.pickled, "entry": self.entry}


class SpecSearch(AccelForgeSearch):
    """One search of a `Spec` object."""

    def __init__(self, pickled: str, entry: Entry) -> None:
        """Keep the pickled object until `prepare`."""
        self._pickled = pickled
        self._entry = entry
        self._spec: Any = None

    @classmethod
    def from_description(cls, data: Mapping[str, Any]) -> SpecSearch:
        """Build the search from `SpecSource.describe`."""
        return cls(data["pickled"], Entry(data["entry"]))

    def prepare(self) -> None:
        """Unpickle the object."""
        import cloudpickle

        self._spec = cloudpickle.loads(base64.b64decode(self._pickled))

    def execute(self, workers: int | None) -> object:
        """Search once."""
        return run_entry(self._spec, self._entry, workers)


def is_spec(value: object) -> bool:
    """Tell an AccelForge `Spec`, without importing AccelForge for it."""
    return any(
        cls.__module__.startswith("accelforge.") and cls.__name__ == "Spec"
        for cls in type(value).__mro__
    )


def spec_source(spec: Any, *, entry: str = "join", workers: int = 2) -> SpecSource:  # noqa: ANN401
    """Describe a `Spec` object.

    Raises:
        ProbeClockError: Its mapper has a finite time or memory limit.
        UsageError: It can't be sent to a fresh process.
    """
    import cloudpickle

    limits = {name: getattr(spec.mapper, name) for name in CLOCK_SETTINGS}
    refuse_clock_settings(limits, source="spec.mapper")
    try:
        pickled = base64.b64encode(cloudpickle.dumps(spec)).decode()
    except Exception as error:
        raise UsageError(
            f"the Spec can't be sent to a fresh process: {error}",
            do="write it as a probe folder, see docs/probes.md",
        ) from error
    return SpecSource(pickled, entry, workers)
