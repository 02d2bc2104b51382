"""Arguments and options that several commands share, word for word.

Owns their names, types and helps. What they mean is `repro.audit.options`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Probe = Annotated[
    str,
    typer.Argument(
        metavar="PROBE",
        help="A shipped probe's name, a folder, a probe.yaml, or module:function.",
        show_default=False,
    ),
]
Orders = Annotated[
    int | None,
    typer.Option(help="Injected orders.  [default: 200 or 60 s of them, at least 8]"),
]
Workers = Annotated[
    int | None,
    typer.Option(help="Logical worker count the search is told.  [default: the probe's]"),
]
Jobs = Annotated[
    int | None,
    typer.Option(help="Processes that may be busy together.  [default: usable cores]"),
]
Seed = Annotated[int, typer.Option(min=0, help="Decides orders and hash seeds.")]
Budget = Annotated[
    float | None,
    typer.Option(metavar="SECONDS", help="Time for injected orders.  [default: 60]"),
]
Limit = Annotated[
    float | None,
    typer.Option(
        metavar="SECONDS", help="Time for one run.  [default: 10 times the longest serial run]"
    ),
]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="Set a probe's parameter; may be repeated."),
]
ResultJson = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", help="Write the result as JSON; - is stdout."),
]
Quiet = Annotated[bool, typer.Option("--quiet", help="Show neither progress nor report.")]
