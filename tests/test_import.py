from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib import metadata
from typing import TYPE_CHECKING

import pytest

import repro

if TYPE_CHECKING:
    from pathlib import Path

HEAVY = {"accelforge", "joblib", "numpy", "pandas", "torch", "triton"}
LIGHT_ROOMS = ("model", "canon", "audit", "report")


def modules(root: Path, *rooms: str) -> list[str]:
    files = [file for room in rooms for file in sorted((root / "repro" / room).rglob("*.py"))]
    names = [".".join(file.relative_to(root).with_suffix("").parts) for file in files]
    return [name.removesuffix(".__init__") for name in names]


def loaded_after(fresh, names: list[str]) -> set[str]:
    code = (
        f"import importlib, sys\n"
        f"for name in {names!r}: importlib.import_module(name)\n"
        f"print(*{{name.partition('.')[0] for name in sys.modules}})"
    )
    done = fresh("-c", code)
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_importing_repro_loads_no_heavy_package(fresh) -> None:
    loaded = loaded_after(fresh, ["repro"])
    assert "repro" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize("room", LIGHT_ROOMS)
def test_a_pure_room_loads_no_heavy_package(fresh, root, room) -> None:
    names = modules(root, room)
    assert len(names) > 1
    assert not loaded_after(fresh, names) & HEAVY


def test_the_public_names_are_those_that_their_modules_define() -> None:
    from repro.api import check
    from repro.engine.control import deterministic
    from repro.searches.python import declare

    assert repro.check is check
    assert repro.declare is declare
    assert repro.deterministic is deterministic


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'chekc'"):
        _ = repro.chekc


def test_dir_lists_the_public_names() -> None:
    assert dir(repro) == ["__version__", "check", "declare", "deterministic"]


def test_the_version_is_a_release_number() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", repro.__version__)


def imported(root: Path) -> set[str]:
    """Top-level names of everything that the package imports from outside itself."""
    names: set[str] = set()
    for file in (root / "repro").rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.partition(".")[0])
    return names - sys.stdlib_module_names - {"repro", "__future__"}


def declared(root: Path) -> tuple[set[str], set[str]]:
    """Distributions that pyproject.toml requires, always and in the extra `kernels`."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    always = {re.split(r"[<>=!~\[; ]", line)[0] for line in project["dependencies"]}
    extra = project["optional-dependencies"]["kernels"]
    return always, {re.split(r"[<>=!~\[; ]", line)[0] for line in extra}


def test_every_dependency_is_used_and_every_import_is_declared(root) -> None:
    homes = metadata.packages_distributions()
    always, extra = declared(root)
    outside = {"pynvml"} | {name for name in imported(root) if name in extra}
    used = {homes[name][0].lower() for name in imported(root) - outside}
    assert used == always


def test_constraints_pin_every_declared_dependency(root) -> None:
    lines = (root / "requirements" / "constraints.txt").read_text(encoding="utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[A-Za-z0-9_.+!-]+", pin) for pin in pins)
    pinned = {pin.partition("==")[0].lower().replace("_", "-") for pin in pins}
    always, _ = declared(root)
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    tests = {re.split(r"[<>=]", line)[0] for line in project["optional-dependencies"]["test"]}
    assert always | tests | {"hatchling", "editables"} <= pinned
