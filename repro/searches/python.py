"""Any Python callable that searches with joblib, as a search that can be audited.

Owns finding the callable in a fresh process, telling it its worker count, and reading its
rows: a pandas DataFrame, a list of mappings, or an AccelForge `Mappings`. Which columns are
objectives and which are identity may be declared on the callable (`repro.declare`); by
default numeric columns are objectives and the whole row is the identity.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import importlib.metadata
import inspect
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.canon.ffm import TOTAL_MAPPING, outcome_from_mappings
from repro.canon.frame import outcome_from_frame, outcome_from_rows
from repro.engine.record import plain_label
from repro.errors import OutcomeError, ProbeError, SearchError, UsageError
from repro.searches.code import code_digest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from repro.model.outcome import Outcome

DECLARATION = "__repro__"
_WORKER_PARAMETERS = ("workers", "n_jobs")


@dataclass(frozen=True, slots=True)
class PythonSource:
    """A callable before it runs.

    Attributes:
        target: `module:function`, or `None` for a callable that only exists in this process.
        pickled: With no target, the callable as cloudpickle writes it, in base 64.
        name: What to call it in reports.
        file: The source file that it comes from, if there is one.
        source: Its source text, part of its digest.
        workers: The logical worker count.
        shipped: The worker count that it has by default, or `None` if it names none.
    """

    target: str | None
    pickled: str | None
    name: str
    file: Path | None
    source: str
    workers: int = 2
    shipped: int | None = None

    @property
    def title(self) -> str:
        """The callable's file, or that it has none."""
        return "a Python search" if self.file is None else f"a Python search in {self.file.name}"

    @property
    def entry(self) -> str:
        """How the callable is found."""
        return self.target or self.name

    @property
    def has_command(self) -> bool:
        """Only an importable callable can be named on the command line."""
        return self.target is not None

    @property
    def digest(self) -> str:
        """SHA-256 of the callable's name, source and worker count."""
        text = f"{self.target or self.name}\0{self.source}\0{self.workers}"
        return hashlib.sha256(text.encode()).hexdigest()

    def code_digest(self) -> str:
        """Hash the file that the callable comes from, or its source where it has none."""
        if self.file is None:
            return hashlib.sha256(self.source.encode()).hexdigest()
        return code_digest(self.file)

    def describe(self) -> dict[str, Any]:
        """Return the JSON form from which a fresh process builds the search."""
        return {
            "kind": "python",
            "target": self.target,
            "pickled": self.pickled,
            "name": self.name,
        }


class PythonSearch:
    """One run of a callable in a process of its own."""

    def __init__(self, target: str | None, pickled: str | None, name: str) -> None:
        """Keep the reference; the callable is loaded by `prepare`."""
        self._target = target
        self._pickled = pickled
        self._name = name
        self._function: Callable[..., Any] | None = None

    @classmethod
    def from_description(cls, data: Mapping[str, Any]) -> PythonSearch:
        """Build the search from `PythonSource.describe`."""
        return cls(data["target"], data["pickled"], data["name"])

    @property
    def through(self) -> tuple[str, ...]:
        """No helper files are known."""
        return ()

    def canary(self) -> None:
        """Nothing is relied on but joblib."""

    def prepare(self) -> None:
        """Import or unpickle the callable.

        Raises:
            ProbeError: It can't be found.
        """
        if self._target is not None:
            self._function = load_target(self._target)
        elif self._pickled is not None:
            import cloudpickle

            self._function = cloudpickle.loads(base64.b64decode(self._pickled))

    def execute(self, workers: int | None) -> object:
        """Call it; a callable with a parameter `workers` or `n_jobs` is told the count.

        One that has no such parameter chooses for itself, except in the serial run: there
        joblib's own default is one job. As shipped it keeps its default count; where it has
        none it is told the number of the machine's cores.
        """
        if self._function is None:
            raise RuntimeError("prepare the search first")
        arguments = _worker_argument(self._function, workers)
        try:
            if workers == 1:
                import joblib

                with joblib.parallel_config(n_jobs=1):
                    return self._function(**arguments)
            return self._function(**arguments)
        except Exception as error:
            raise SearchError(f"the search failed: {type(error).__name__}: {error}") from error

    def label(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        index: int,
    ) -> str:
        """Name a job by its function and index."""
        return plain_label(function, args, kwargs, index)

    def outcome(self, result: object) -> Outcome:
        """Bring a DataFrame, a list of mappings or an AccelForge `Mappings` into canonical form.

        Raises:
            OutcomeError: It returned something else.
        """
        declared: Mapping[str, Any] = getattr(self._function, DECLARATION, {})
        inner = getattr(result, "data", None)
        if inner is not None and TOTAL_MAPPING in getattr(inner, "columns", ()):
            return outcome_from_mappings(inner)
        if hasattr(result, "columns"):
            return outcome_from_frame(result, **declared)
        if isinstance(result, list | tuple):
            return outcome_from_rows(result, **declared)
        raise OutcomeError(
            f"the search returned {type(result).__name__}",
            where=self._name,
            do="return a pandas DataFrame, a list of mappings, or AccelForge's Mappings",
        )

    def versions(self) -> dict[str, str]:
        """Return the versions of packages that most searches rest on, where installed."""
        found = {}
        for name in ("accelforge", "numpy", "pandas"):
            try:
                found[name] = importlib.metadata.version(name)
            except importlib.metadata.PackageNotFoundError:
                continue
        return found


def declare(
    *,
    objectives: list[str] | None = None,
    identity: list[str] | None = None,
    latency: str | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare which columns of a search's rows are objectives and which its identity.

    Args:
        objectives: Columns that the search optimises; by default all numeric ones.
        identity: Columns that say what a row *is*; by default the whole row.
        latency: The objective whose groups of equal values are a claim of their own.
    """
    given = {"objectives": objectives, "identity": identity, "latency": latency}
    chosen = {key: value for key, value in given.items() if value is not None}

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        setattr(function, DECLARATION, chosen)
        return function

    return mark


def load_target(target: str) -> Callable[..., Any]:
    """Import `module:function`.

    Raises:
        ProbeError: The module or the function isn't there, or it isn't callable.
    """
    module_name, _, function_name = target.partition(":")
    try:
        found: Any = importlib.import_module(module_name)
    except ImportError as error:
        raise ProbeError(
            f"the module {module_name!r} can't be imported: {error}",
            where=target,
            do="run from the folder that holds it, or install it",
        ) from error
    for part in function_name.split("."):
        found = getattr(found, part, None)
    if not callable(found):
        raise ProbeError(
            f"{module_name!r} has no function {function_name!r}",
            where=target,
            do="name a function that takes no argument, or one called `workers` or `n_jobs`",
        )
    function: Callable[..., Any] = found
    return function


def python_source(search: str | Callable[..., Any], workers: int = 2) -> PythonSource:
    """Describe a callable, given as `module:function` or as itself.

    Raises:
        ProbeError: It can't be imported.
        UsageError: It exists only in this process and can't be sent to a fresh one.
    """
    if isinstance(search, str):
        here = str(Path.cwd())
        if here not in sys.path:
            sys.path.insert(0, here)
        function = load_target(search)
        target: str | None = search
    else:
        function, target = search, _importable(search)
    pickled = None if target else _pickle(function)
    try:
        file: Path | None = Path(inspect.getsourcefile(function) or "")
        source = inspect.getsource(function)
    except (OSError, TypeError):
        file, source = None, pickled or ""
    if file is not None and not file.is_file():
        file = None
    name = getattr(function, "__qualname__", type(function).__qualname__)
    shipped = _default_workers(function)
    return PythonSource(target, pickled, target or name, file, source, workers, shipped)


def _importable(function: Callable[..., Any]) -> str | None:
    """Return `module:function` where importing that gives this very callable."""
    module, name = getattr(function, "__module__", None), getattr(function, "__qualname__", "")
    if module in (None, "__main__") or "<" in name:
        return None
    found: Any = sys.modules.get(str(module))
    for part in name.split("."):
        found = getattr(found, part, None)
    return f"{module}:{name}" if found is function else None


def _pickle(function: Callable[..., Any]) -> str:
    import cloudpickle

    try:
        return base64.b64encode(cloudpickle.dumps(function)).decode()
    except Exception as error:
        raise UsageError(
            f"the search can't be sent to a fresh process: {error}",
            where=getattr(function, "__qualname__", repr(function)),
            do="move it into a module of its own and name it as `module:function`",
        ) from error


def _default_workers(function: Callable[..., Any]) -> int | None:
    for name, parameter in _parameters(function).items():
        count = parameter.default
        if name in _WORKER_PARAMETERS and isinstance(count, int) and count > 0:
            return count
    return None


def _parameters(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _worker_argument(function: Callable[..., Any], workers: int | None) -> dict[str, int]:
    named = {n: p for n, p in _parameters(function).items() if n in _WORKER_PARAMETERS}
    if workers is not None:
        return dict.fromkeys(named, workers)
    needed = [name for name, p in named.items() if p.default is inspect.Parameter.empty]
    return dict.fromkeys(needed, os.cpu_count() or 1)
