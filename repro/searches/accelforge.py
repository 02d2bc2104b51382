"""AccelForge's FFM mapper as a search that can be audited.

Owns everything that is particular to AccelForge: how it is told its worker count, which of
its files only pass calls on to joblib, how its jobs are named, and which of its columns are
objectives. Knows nothing of deliveries. AccelForge itself is imported inside functions: this
module is also loaded where only a probe is looked at.
"""

from __future__ import annotations

import glob
import importlib
import importlib.metadata
import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.canon.ffm import outcome_from_mappings
from repro.errors import ControlError, InfeasibleError, ProbeError, SearchError
from repro.model.probe import CLOCK_SETTINGS, Entry, Probe
from repro.model.probe_reading import refuse_clock_settings
from repro.searches.code import code_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from repro.model.outcome import Outcome

_PACKAGES = ("accelforge", "hwcomponents", "numpy", "pandas", "numba", "sympy")
_WRAPPER = "accelforge.util.parallel"  # shadowed in its package by a function of that name
_EMPTY = ("No pmappings for", "has no pmappings", "No mappings found for", "No match found")
"""How AccelForge 1.0 begins or ends the message of the `ValueError` for an empty mapspace."""

_ENTRIES = {Entry.JOIN: "make_pmappings + join_pmappings", Entry.DETAILED: "map_workload_to_arch"}


@dataclass(frozen=True, slots=True)
class AccelForgeSource:
    """A probe of AccelForge before it runs; AccelForge isn't loaded yet.

    Attributes:
        probe: The probe, its parameters set.
        folder: Where its files lie.
        digest: SHA-256 of the probe with the content of its files.
    """

    probe: Probe
    folder: Path
    digest: str

    @property
    def name(self) -> str:
        """The probe's name."""
        return self.probe.name

    @property
    def title(self) -> str:
        """The probe's title."""
        return self.probe.title

    @property
    def entry(self) -> str:
        """`join` or `detailed`."""
        return str(self.probe.entry)

    @property
    def has_command(self) -> bool:
        """A probe has a name."""
        return True

    @property
    def workers(self) -> int:
        """The logical worker count."""
        return self.probe.workers

    @property
    def shipped(self) -> None:
        """AccelForge takes as many workers as the machine has cores."""
        return

    def code_digest(self) -> str:
        """Hash the source files of the installed AccelForge.

        Raises:
            ControlError: AccelForge isn't installed.
        """
        spec = importlib.util.find_spec("accelforge")
        if spec is None or spec.origin is None:
            raise _missing()
        return code_digest(Path(spec.origin).parent)

    def describe(self) -> dict[str, Any]:
        """Return the JSON form from which a fresh process builds the search."""
        return {
            "kind": "accelforge",
            "probe": self.probe.to_dict(),
            "folder": str(self.folder.resolve()),
            "digest": self.digest,
        }


class AccelForgeSearch:
    """One AccelForge search in a process of its own."""

    def __init__(self, probe: Probe, folder: Path) -> None:
        """Keep the inputs; nothing is loaded before `prepare`."""
        self._probe = probe
        self._folder = folder
        self._spec: Any = None

    @classmethod
    def from_description(cls, data: Mapping[str, Any]) -> AccelForgeSearch:
        """Build the search from `AccelForgeSource.describe`."""
        return cls(Probe.from_dict(data["probe"]), Path(data["folder"]))

    @property
    def through(self) -> tuple[str, ...]:
        """AccelForge's own wrapper around joblib."""
        return (str(importlib.import_module(_WRAPPER).__file__),)

    def canary(self) -> None:
        """Check that AccelForge still calls joblib the way control relies on.

        Raises:
            ControlError: It doesn't, or isn't installed.
        """
        try:
            import joblib
            from accelforge.mapper.FFM import main

            parallel = importlib.import_module(_WRAPPER)
        except ImportError as error:
            raise _missing() from error
        for module, names in (
            (parallel, ("set_n_parallel_jobs", "get_n_parallel_jobs", "parallel")),
            (main, ("make_pmappings", "join_pmappings", "map_workload_to_arch")),
        ):
            for name in names:
                if not callable(getattr(module, name, None)):
                    raise _changed(f"{module.__name__}.{name} is gone")
        if getattr(parallel, "Parallel", None) is not joblib.Parallel:
            raise _changed("accelforge.util.parallel no longer runs its jobs by joblib.Parallel")

    def prepare(self) -> None:
        """Load architecture and workload. This evaluates their templates: it runs their code.

        Raises:
            ProbeError: They can't be loaded, or graphviz is missing for the detailed entry.
        """
        if self._probe.entry is Entry.DETAILED and shutil.which("dot") is None:
            raise ProbeError(
                "the `detailed` entry draws every mapping with graphviz, and `dot` isn't there",
                where=f"probe {self._probe.name}, entry: detailed",
                do="install graphviz, or use `entry: join`",
            )
        import accelforge

        probe = self._probe
        # AccelForge takes file names for patterns.
        files = [
            glob.escape(str(self._folder / name)) for name in (probe.architecture, probe.workload)
        ]
        here = Path.cwd()
        os.chdir(self._folder)
        try:
            spec = accelforge.Spec.from_yaml(*files, jinja_parse_data=dict(probe.parameters))
            metrics = accelforge.Metrics[probe.metrics[0]]
            for name in probe.metrics[1:]:
                metrics |= accelforge.Metrics[name]
            spec.mapper.metrics = metrics
            for key, value in probe.mapper.items():
                setattr(spec.mapper, key, value)
        except Exception as error:
            raise ProbeError(
                f"AccelForge can't load the probe's files: {type(error).__name__}: {error}",
                where=" + ".join(files),
                do="mend the file, or the parameter that fills it in",
            ) from error
        finally:
            os.chdir(here)
        # A file may set a limit itself, and only evaluating its templates shows it.
        limits = {name: getattr(spec.mapper, name) for name in CLOCK_SETTINGS}
        refuse_clock_settings(limits, source=f"probe {probe.name}")
        self._spec = spec

    def execute(self, workers: int | None) -> object:
        """Search once; see `repro.model.search.Search.execute`."""
        return run_entry(self._spec, self._probe.entry, workers)

    def label(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        index: int,
    ) -> str:
        """Name a job by Einsum and template where it has them, else by function and index."""
        return job_label(function, args, kwargs, index)

    def outcome(self, result: object) -> Outcome:
        """Bring an AccelForge `Mappings` into canonical form."""
        data: Any = getattr(result, "data", None)
        return outcome_from_mappings(data)

    def versions(self) -> dict[str, str]:
        """Return the versions of the packages that decide an outcome."""
        return {name: importlib.metadata.version(name) for name in _PACKAGES}


def run_entry(spec: Any, entry: Entry, workers: int | None) -> object:  # noqa: ANN401
    """Run AccelForge's search on a loaded spec.

    Raises:
        InfeasibleError: The mapspace is empty.
        SearchError: Anything else that the mapper raised; the cause is its own exception.
    """
    from accelforge.mapper.FFM import main
    from accelforge.util.parallel import set_n_parallel_jobs

    if workers is not None:
        set_n_parallel_jobs(workers)
    try:
        if entry is Entry.DETAILED:
            return main.map_workload_to_arch(spec, print_progress=False)
        pmappings = main.make_pmappings(spec, print_progress=False)
        return main.join_pmappings(pmappings, metrics=spec.mapper.metrics, print_progress=False)
    except Exception as error:
        if _is_empty(error):
            first = str(error).strip().splitlines()[0]
            raise InfeasibleError(
                f"the mapper found no mapping: {first}",
                do="loosen the constraints, or give the memories more room",
            ) from error
        raise SearchError(f"the mapper failed: {type(error).__name__}: {error}") from error


def _is_empty(error: Exception) -> bool:
    """Whether the mapper says that there is no mapping at all."""
    if type(error).__name__ == "InvalidMappingError":  # none fits the memories
        return True
    return isinstance(error, ValueError) and any(words in str(error) for words in _EMPTY)


def job_label(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any], index: int
) -> str:
    """Name one of the mapper's jobs.

    `accelforge.util.parallel` wraps the jobs of a list call in a local `f(i, job)`; the job
    inside is the one to name.
    """
    match args:
        case (int(), (inner, inner_args, inner_kwargs)) if callable(inner):
            return job_label(inner, inner_args, inner_kwargs, index)
    jobs = kwargs.get("jobs_with_similar_compatibilities")
    if jobs:
        first = jobs[0]
        template = getattr(first.mapping, "_template_index", None)
        return f"{first.einsum_name} template {index if template is None else template}"
    name = getattr(function, "__qualname__", type(function).__qualname__).split(".")[-1]
    if name == "job":
        name = function.__qualname__.split(".<locals>")[0].split(".")[-1]
    about = next((str(arg) for arg in args if isinstance(arg, str)), None)
    return f"{name.strip('_')} #{index}" if about is None else f"{about} {name.strip('_')} #{index}"


def _missing() -> ControlError:
    return ControlError("AccelForge isn't installed here", do="pip install accelforge")


def _changed(what: str) -> ControlError:
    version = importlib.metadata.version("accelforge")
    return ControlError(
        f"the installed AccelForge {version} can't be controlled: {what}",
        do="install a version that this release was tested with (see `repro doctor`)",
    )
