"""Where probes lie: the shipped ones by name, a user's own by folder or file.

Owns finding, reading and completing a probe: its `probe.yaml`, the files that it names, and its
digest. Nothing is evaluated here: architecture and workload are templates whose evaluation runs
code, so they are only read as bytes; `repro.searches.accelforge` evaluates them when the search
runs. Leaves the format to `repro.model.probe`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from repro.errors import ProbeError
from repro.model.probe import Probe, suggest
from repro.model.probe_reading import read
from repro.searches.references import references

if TYPE_CHECKING:
    from collections.abc import Mapping

    from repro.model.probe import Scalar

FILE = "probe.yaml"
_PACKAGE = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class LoadedProbe:
    """A probe with the files that it names, as they were when it was loaded.

    Files go by their role: "architecture", "workload", and "include:PATH" for each of the
    `includes`, with its path as written.
    """

    probe: Probe
    folder: Path
    files: Mapping[str, bytes]
    paths: Mapping[str, Path]

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of all that decides the probe's outcome."""
        return self.probe.digest(self.files)

    @property
    def architecture(self) -> Path:
        """The architecture's template."""
        return self.paths["architecture"]

    @property
    def workload(self) -> Path:
        """The workload's template."""
        return self.paths["workload"]


def shipped() -> tuple[str, ...]:
    """Return the names of the probes that come with the tool, sorted."""
    root = shipped_folder()
    if root is None:
        return ()
    return tuple(sorted(path.parent.name for path in root.glob(f"*/{FILE}")))


def shipped_folder() -> Path | None:
    """Return the folder of the shipped probes: in the package if installed, else beside it.

    Beside the package it counts only in a checkout: next to an installed package, a folder of
    that name would be somebody else's.
    """
    installed = _PACKAGE / "_shipped" / "probes"
    if installed.is_dir():
        return installed
    beside = _PACKAGE.parent / "probes"
    in_checkout = (_PACKAGE.parent / "pyproject.toml").is_file()
    return beside if in_checkout and beside.is_dir() else None


def load(spec: str, overrides: Mapping[str, Scalar] | None = None) -> LoadedProbe:
    """Load a probe; nothing in it is evaluated, so loading runs no code of the probe's.

    Args:
        spec: A shipped probe's name, a folder, or the path of a `probe.yaml`. A name wins over
            a folder that is called the same; `./name` is the folder.
        overrides: Parameters to set to other values; text is read as the default's type.

    Raises:
        ProbeClockError: A finite time or memory limit is set.
        ProbeError: The probe or one of its files is missing or at fault; the first fault.
    """
    loaded, faults = examine(spec, overrides)
    if loaded is None:
        raise faults[0]
    return loaded


def examine(
    spec: str, overrides: Mapping[str, Scalar] | None = None
) -> tuple[LoadedProbe | None, tuple[ProbeError, ...]]:
    """Load a probe as `load` does, or return all of its faults, one error each."""
    try:
        path = _locate(spec)
        data, lines = read_yaml(_bytes(path, str(path)), str(path))
    except ProbeError as error:
        return None, (error,)
    probe, faults = read(data, source=str(path), lines=lines)
    if probe is None:
        return None, faults
    wrong: list[ProbeError] = []
    try:
        probe = probe.with_parameters(overrides or {})
    except ProbeError as error:
        wrong.append(error)
    loaded, missing = _complete(probe, path, lines)
    return (None if wrong else loaded), (*wrong, *missing)


def read_yaml(content: bytes, source: str) -> tuple[Any, dict[str, int]]:
    """Read YAML 1.2 with a loader that builds plain values only and refuses a repeated key.

    Returns:
        The content, and the line of each key; nested keys are joined by a dot.

    Raises:
        ProbeError: It isn't UTF-8, isn't YAML, or has a key twice.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        text = content.decode()
        parser = YAML(typ="safe", pure=True)
        return parser.load(text), _lines(parser.compose(text))
    except UnicodeDecodeError as error:
        raise ProbeError("the file is not UTF-8 text", where=source) from error
    except MarkedYAMLError as error:
        mark = error.problem_mark
        where = source if mark is None else f"{source}:{mark.line + 1}"
        what = (error.problem or "malformed").splitlines()[0]
        raise ProbeError(f"not valid YAML: {what}", where=where) from error
    except (YAMLError, RecursionError, ValueError) as error:  # ValueError: a number too long
        what = str(error).splitlines()[0]
        raise ProbeError(f"not valid YAML: {what}", where=source) from error


def _locate(spec: str) -> Path:
    """Find the `probe.yaml` that a spec stands for."""
    names = shipped()
    root = shipped_folder()
    if root is not None and spec in names:
        return root / spec / FILE
    path = Path(spec)
    if path.is_dir():
        if not (path / FILE).is_file():
            do = f"write one (docs/probes.md says how), or name one of: {_known(names)}"
            raise ProbeError(f"the folder has no {FILE}", where=str(path), do=do)
        return path / FILE
    if path.is_file():
        return path
    do = f"name a folder with a {FILE}, or a shipped probe: {_known(names)}{suggest(spec, names)}"
    raise ProbeError(f"there is no probe {spec!r}", do=do)


def _known(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none here, the installation lacks its probes: install it again"


def _complete(
    probe: Probe, path: Path, lines: Mapping[str, int]
) -> tuple[LoadedProbe | None, tuple[ProbeError, ...]]:
    """Read the files that a probe names."""
    folder = path.parent
    named = {"architecture": probe.architecture, "workload": probe.workload}
    roles = {**named, **{f"include:{name}": name for name in probe.includes}}
    files: dict[str, bytes] = {}
    faults: list[ProbeError] = []
    for role, name in roles.items():
        key = role if role in named else "includes"
        where = f"{path}:{lines[key]}, key {key}" if key in lines else f"{path}, key {key}"
        try:
            files[role] = _bytes(folder / name, where, name)
        except ProbeError as error:
            faults.append(error)
    paths = {role: folder / name for role, name in roles.items()}
    listed = {(folder / name).resolve() for name in probe.includes}
    for role, content in files.items():
        faults.extend(_uncovered(paths[role], content, listed))
    if faults:
        return None, tuple(faults)
    return LoadedProbe(probe, folder, files, paths), ()


def _bytes(path: Path, where: str, name: str = FILE) -> bytes:
    try:
        if path.is_fifo():  # it would be waited for without end
            raise ProbeError(f"{name!r} is not a file", where=where, do="name a regular file")
        return path.read_bytes()
    except ValueError as error:  # a null byte, or half of a surrogate pair
        raise ProbeError(f"{name!r} can't be the name of a file", where=where) from error
    except FileNotFoundError as error:
        do = f"put it at {path}, or name another file"
        raise ProbeError(f"the file {name!r} is missing", where=where, do=do) from error
    except OSError as error:
        what = f"the file {name!r} can't be read: {error.strerror}"
        raise ProbeError(what, where=where) from error


def _uncovered(path: Path, content: bytes, listed: set[Path]) -> list[ProbeError]:
    """Return a fault for each file that is pulled in here but that the digest wouldn't cover."""
    faults = []
    for found in references(content.decode(errors="replace")):
        known = found.path is not None and (path.parent / found.path).resolve() in listed
        # A path that is put together at run time can't be told apart: something must be listed.
        if known or (found.path is None and listed):
            continue
        pulled = repr(found.path) if found.path else "another file"
        what = f"{found.construct} pulls in {pulled}, which the probe's digest doesn't cover"
        do = f"list the file in {FILE}, under `includes`"
        faults.append(ProbeError(what, where=f"{path}:{found.line}", do=do))
    return faults


def _lines(node: Any) -> dict[str, int]:  # noqa: ANN401 - ruamel's own nodes
    """Return the line of each key of a YAML mapping, and of the keys one level down."""
    lines: dict[str, int] = {}
    for key, value in _pairs(node):
        lines[str(key.value)] = key.start_mark.line + 1
        for inner, _ in _pairs(value):
            lines[f"{key.value}.{inner.value}"] = inner.start_mark.line + 1
    return lines


def _pairs(node: Any) -> list[tuple[Any, Any]]:  # noqa: ANN401
    from ruamel.yaml.nodes import MappingNode

    return list(node.value) if isinstance(node, MappingNode) else []
