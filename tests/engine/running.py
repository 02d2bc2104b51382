"""What tests of real runs share: how to ask for one, and how to read its rows."""

from __future__ import annotations

from pathlib import Path

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


def names(outcome):
    """Return the `name` cell of each row, in row order."""
    return [dict(outcome.identities[row.exact].cells)["name"] for row in outcome.rows]
