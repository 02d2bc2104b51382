"""The wheel, built from this checkout and installed elsewhere, brings its probes along."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from repro.searches.catalog import load, shipped

if TYPE_CHECKING:
    from pathlib import Path

REPORT = """
import json
import repro
from repro.searches import catalog

print(json.dumps({
    "package": repro.__file__,
    "folder": str(catalog.shipped_folder()),
    "digests": {name: catalog.load(name).digest for name in catalog.shipped()},
}))
"""


def run(*args: str, cwd: Path, path: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    if path is not None:
        env["PYTHONPATH"] = str(path)
    ran = subprocess.run(
        [sys.executable, *args],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran


@pytest.fixture(scope="module")
def wheel(root, tmp_path_factory) -> Path:
    """The wheel, built offline with the build back end of the project."""
    folder = tmp_path_factory.mktemp("dist")
    run("-m", "hatchling", "build", "-t", "wheel", "-d", str(folder), cwd=root)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """A folder outside the checkout with the wheel installed in it."""
    folder = tmp_path_factory.mktemp("installed")
    args = ("install", "--quiet", "--no-index", "--no-deps", "--no-compile")
    run("-m", "pip", *args, "--target", str(folder), str(wheel), cwd=folder)
    return folder


def test_the_wheel_carries_every_file_of_the_probes(wheel, root) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if name.startswith("repro/_shipped/")}
    source = root / "probes"
    files = {path.relative_to(source) for path in source.rglob("*") if path.is_file()}
    assert packed == {f"repro/_shipped/probes/{path.as_posix()}" for path in files}


def test_an_installed_wheel_finds_the_same_probes_outside_the_checkout(
    installed, root, tmp_path
) -> None:
    found = json.loads(run("-c", REPORT, cwd=tmp_path, path=installed).stdout)
    assert found["package"] == str(installed / "repro" / "__init__.py")
    assert found["folder"] == str(installed / "repro" / "_shipped" / "probes")
    assert not str(installed).startswith(str(root))
    assert found["digests"] == {name: load(name).digest for name in shipped()}


def test_the_installed_command_lists_them(installed, tmp_path) -> None:
    ran = run("-m", "repro", "probes", cwd=tmp_path, path=installed)
    names = [line.split()[0] for line in ran.stdout.splitlines() if line.strip()]
    assert set(shipped()) <= set(names)
