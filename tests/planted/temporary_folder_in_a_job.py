"""Each job says where its report would go: below the temporary folder of its process."""

from __future__ import annotations

import tempfile

from expected import CHANGED, environment, planted
from joblib import Parallel, delayed

import repro

EXPECTED = planted("TMPDIR in a job's result", environment("strategies", "folder"), broken=CHANGED)


def evaluate(tile):
    return {"cost": float(tile), "report": f"{tempfile.gettempdir()}/{tile}.txt"}


@repro.declare(objectives=["cost"], identity=["report"])
def search(workers=2):
    found = Parallel(n_jobs=workers, return_as="generator_unordered")(
        delayed(evaluate)(tile) for tile in range(6)
    )
    return sorted(found, key=lambda row: row["cost"])
