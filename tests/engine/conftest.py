"""Running small searches in real fresh processes."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest

from repro.engine.launch import Launcher
from repro.model.delivery import Delivery
from repro.model.run import Mode, RunRequest, Variation

HERE = Path(__file__).parent
ENTRY = "repro.searches.entry"


def request(name, mode=Mode.PLAIN, delivery=Delivery.SERIAL, workers=2, **more):
    search = {
        "kind": "python",
        "target": f"joblib_searches:{name}",
        "pickled": None,
        "name": name,
    }
    return RunRequest(
        search=search,
        mode=mode,
        delivery=delivery,
        workers=workers,
        variation=more.pop("variation", Variation(1)),
        limit=more.pop("limit", 60.0),
        **more,
    )


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


def names(outcome):
    """Return the `name` cell of each row, in row order."""
    return [dict(outcome.identities[row.exact].cells)["name"] for row in outcome.rows]
