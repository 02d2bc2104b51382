"""What tests of any room share: running Python, or the tool itself, in a fresh process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable

    Fresh = Callable[..., subprocess.CompletedProcess[str]]

settings.register_profile("shared", deadline=None)  # the machine is shared and slow
settings.load_profile("shared")

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def fresh() -> Fresh:
    """Run `python` with the given arguments and extra environment, and collect its output."""

    def run(
        *args: str, env: dict[str, str] | None = None, timeout: float = 60.0
    ) -> subprocess.CompletedProcess[str]:
        paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
        return subprocess.run(
            [sys.executable, *args],
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(env or {})},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    return run
