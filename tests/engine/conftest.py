"""Running small searches in real fresh processes."""

from __future__ import annotations

import contextlib
import sys

import pytest
from running import ENTRY, HERE, request

from repro.engine.launch import Launcher
from repro.model.delivery import Delivery
from repro.model.run import Mode


@pytest.fixture
def launcher():
    with Launcher(ENTRY, 2, path=[str(HERE), *sys.path]) as running:
        yield running


@pytest.fixture
def run(launcher):
    """Run one search as asked and return its result."""

    def once(name, *args, **kwargs):
        ((_, result),) = launcher.run_all([request(name, *args, **kwargs)], together=1)
        return result

    return once


@pytest.fixture
def stage(launcher):
    """Stage one search; the stage is closed afterwards."""
    with contextlib.ExitStack() as stack:

        def begin(name, *, purity=True, **kwargs):
            staged = launcher.stage(
                request(name, Mode.STAGE, Delivery.INJECTED, purity=purity, **kwargs)
            )
            stack.callback(staged.close)
            staged.wait()
            return staged

        yield begin
