"""One real search, run once for all tests that look at its rows, and time for properties."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from ruamel.yaml import YAML

if TYPE_CHECKING:
    from pathlib import Path


# A machine that is busy with other tests is no reason to fail one.
settings.register_profile("patient", deadline=None)
settings.load_profile("patient")


@pytest.fixture(scope="session")
def matmul_spec(root: Path) -> Any:
    """Make the spec of the smallest shipped probe, as often as it is called."""
    import accelforge

    folder = root / "probes" / "matmul-chain"
    probe = YAML(typ="safe").load(folder / "probe.yaml")

    def make() -> Any:
        files = [str(folder / name) for name in (probe["architecture"], probe["workload"])]
        spec = accelforge.Spec.from_yaml(*files, jinja_parse_data=probe["parameters"])
        spec.mapper.metrics = accelforge.Metrics[probe["metrics"][0]]
        for name in probe["metrics"][1:]:
            spec.mapper.metrics |= accelforge.Metrics[name]
        return spec

    return make


@pytest.fixture(scope="session")
def matmul_rows(matmul_spec) -> Any:
    """The rows of that search, run on the serial path."""
    from accelforge.mapper.FFM.main import join_pmappings, make_pmappings
    from accelforge.util.parallel import set_n_parallel_jobs

    set_n_parallel_jobs(1)
    spec = matmul_spec()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the mapper's own, about pandas
        pmappings = make_pmappings(spec, print_progress=False)
        found = join_pmappings(pmappings, metrics=spec.mapper.metrics, print_progress=False)
    return found.data
