"""Which part of the environment makes serial runs differ: real processes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from repro.audit.check import Checker
from repro.audit.options import CheckOptions
from repro.engine.launch import Launcher
from repro.model.delivery import Delivery
from repro.model.findings import CauseKind
from repro.model.progress import NullProgress
from repro.searches.entry import build
from repro.searches.find import ENTRY
from repro.searches.python import PythonSource

pytestmark = pytest.mark.search

HERE = Path(__file__).parent.parent / "engine"


def causes(name, runs=3):
    source = PythonSource(f"joblib_searches:{name}", None, name, None, name)
    assert build(source.describe()) is not None
    options = CheckOptions(runs=runs, deliveries=(Delivery.SERIAL,))
    with Launcher(ENTRY, 2, path=[str(HERE), *sys.path]) as launcher:
        return Checker(source, options, launcher, NullProgress()).check()


@pytest.mark.parametrize(
    ("search", "setting"),
    [
        ("by_hash_seed", "hashSeed"),
        ("by_time_zone", "timeZone"),
        ("by_threads", "threads"),
        ("by_folder", "folder"),
    ],
)
def test_the_one_setting_that_matters_is_named(search, setting):
    result = causes(search)
    (cause,) = result.causes
    assert not result.holds
    assert cause.kind is CauseKind.ENVIRONMENT
    assert cause.settings == (setting,)


@pytest.mark.parametrize("search", ["by_clock", "by_process"])
def test_what_differs_in_one_and_the_same_environment_is_not_blamed_on_it(search):
    (cause,) = causes(search).causes
    assert cause.kind is CauseKind.UNKNOWN
