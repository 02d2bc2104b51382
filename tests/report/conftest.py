"""The sample results, whose figures are invented, as records."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from repro.model.result import CheckResult

if TYPE_CHECKING:
    from collections.abc import Callable

RESULTS = Path(__file__).parent.parent / "data" / "results"


@pytest.fixture
def sample() -> Callable[[str], CheckResult]:
    """Read one sample by its name."""

    def read(name: str) -> CheckResult:
        return CheckResult.from_dict(json.loads((RESULTS / f"{name}.json").read_text("utf-8")))

    return read


@pytest.fixture(params=sorted(path.stem for path in RESULTS.glob("*.json")))
def each(request, sample) -> CheckResult:
    """Every sample in turn."""
    return sample(request.param)


@pytest.fixture
def nondeterministic(sample) -> CheckResult:
    """The search of the design document: one order-sensitive site, a cure that holds."""
    return sample("nondeterministic")
