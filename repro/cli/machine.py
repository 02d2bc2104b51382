"""What `repro doctor` can see of this machine without running a search.

Owns looking: installed versions, cores, GPUs, the temporary folder and the like. It loads
none of the packages that it reports. Leaves judging and printing to `repro.cli.doctor`.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from importlib import metadata

PACKAGES = ("accelforge", "joblib", "numpy", "pandas", "numba")
"""The packages whose versions decide an outcome."""

TESTED = {"accelforge": "1.0.467", "joblib": "1.6.0"}
"""The versions that this release was tested with, of the packages that have to be controlled."""

_SMI_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """This machine, as far as an audit depends on it.

    Attributes:
        python: Version of the interpreter.
        packages: Version of each of `PACKAGES`; `None` is not installed.
        system: Operating system and processor architecture.
        cores: Cores that this process may use.
        machine_cores: Cores that the machine has.
        gpus: Names of the GPUs seen.
        dot: Path of graphviz's `dot`, or `None`.
        fork: Whether the system can fork, which trying orders in children needs.
        start_method: How `multiprocessing` starts processes here.
        temp_folder: Where runs keep their temporary files.
        temp_free: Bytes free there.
        hash_seed: `PYTHONHASHSEED` of this process; `None` is a random one.
    """

    python: str
    packages: dict[str, str | None]
    system: str
    cores: int
    machine_cores: int
    gpus: tuple[str, ...]
    dot: str | None
    fork: bool
    start_method: str
    temp_folder: str
    temp_free: int
    hash_seed: str | None


def look() -> Machine:
    """Look at this machine."""
    temp = tempfile.gettempdir()
    return Machine(
        python=platform.python_version(),
        packages={name: version(name) for name in PACKAGES},
        system=f"{platform.system()} {platform.release()}, {platform.machine()}",
        cores=usable_cores(),
        machine_cores=os.cpu_count() or 1,
        gpus=gpus(),
        dot=shutil.which("dot"),
        fork=hasattr(os, "fork"),
        start_method=multiprocessing.get_start_method(),
        temp_folder=temp,
        temp_free=shutil.disk_usage(temp).free,
        hash_seed=os.environ.get("PYTHONHASHSEED"),
    )


def version(distribution: str) -> str | None:
    """Return the installed version of a distribution, or `None`."""
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def usable_cores() -> int:
    """Return how many cores this process may use, which an affinity mask can make fewer."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def gpus() -> tuple[str, ...]:
    """Return the names of the NVIDIA GPUs, asked of the driver; empty where there is none."""
    try:
        import pynvml
    except ImportError:
        return _gpus_of_smi()
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError:
        return ()
    try:
        handles = map(pynvml.nvmlDeviceGetHandleByIndex, range(pynvml.nvmlDeviceGetCount()))
        return tuple(str(pynvml.nvmlDeviceGetName(handle)) for handle in handles)
    finally:
        pynvml.nvmlShutdown()


def _gpus_of_smi() -> tuple[str, ...]:
    smi = shutil.which("nvidia-smi")
    if smi is None:
        return ()
    query = [smi, "--query-gpu=name", "--format=csv,noheader"]
    try:
        answer = subprocess.run(  # noqa: S603 - the driver's own tool, found on PATH
            query, capture_output=True, text=True, timeout=_SMI_SECONDS, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ()
    return tuple(line.strip() for line in answer.stdout.splitlines() if line.strip())
