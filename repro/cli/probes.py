"""`repro probes`: what can be audited, and whether a probe is in order.

Owns the listing. Leaves finding and checking probes to `repro.searches.catalog`; nothing is
evaluated, so listing a stranger's probe runs none of its code.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repro.cli.exits import Exit, message
from repro.errors import ProbeError
from repro.searches import catalog

if TYPE_CHECKING:
    from rich.table import Table

SCHEMA = "repro.probes/1"
_DIGEST_SHOWN = 12


@dataclass(frozen=True, slots=True)
class _Examined:
    """One probe asked for: loaded, or with its faults."""

    spec: str
    loaded: catalog.LoadedProbe | None
    faults: tuple[ProbeError, ...]


def probes(
    spec: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PROBE",
            help="Shipped probes' names, folders or probe.yaml files; all shipped ones by default.",
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the list as JSON.")] = False,
) -> int:
    """List the probes and validate them; exit 2 if one is at fault.

    Raises:
        ProbeError: No probe was named and none is shipped with this installation.
    """
    examined = [_Examined(name, *catalog.examine(name)) for name in spec or _shipped()]
    if as_json:
        typer.echo(json.dumps(_as_json(examined), indent=2, ensure_ascii=False))
    else:
        _show([item.loaded for item in examined if item.loaded])
    _complain(examined)
    return Exit.USAGE if any(item.faults for item in examined) else Exit.HOLDS


def _shipped() -> tuple[str, ...]:
    names = catalog.shipped()
    if not names:
        raise ProbeError(
            "the shipped probes are missing from this installation",
            do="install the distribution again, or name a folder of your own",
        )
    return names


def _complain(examined: list[_Examined]) -> None:
    """Say each fault once, the way every command says an error."""
    for item in examined:
        for fault in item.faults:
            typer.echo(message(fault.what, fault.where, fault.do), err=True)


def _as_json(examined: list[_Examined]) -> dict[str, Any]:
    """Return the list's JSON form, faults included."""
    return {"schema": SCHEMA, "probes": [_item_as_json(item) for item in examined]}


def _item_as_json(item: _Examined) -> dict[str, Any]:
    faults = [{"what": fault.what, "where": fault.where, "do": fault.do} for fault in item.faults]
    found: dict[str, Any] = {"spec": item.spec, "valid": not faults, "faults": faults}
    if item.loaded is not None:
        found |= {
            "folder": str(item.loaded.folder),
            "digest": item.loaded.digest,
            "probe": item.loaded.probe.to_dict(),
        }
    return found


def _show(loaded: list[catalog.LoadedProbe]) -> None:
    if not loaded:
        return
    from rich.console import Console

    console = Console(file=sys.stdout)
    console.print(_table(loaded))
    console.print("Audit one with: repro check NAME", style="dim", highlight=False)


def _table(loaded: list[catalog.LoadedProbe]) -> Table:
    """Return one row for each probe."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("probe", no_wrap=True)
    table.add_column("what it searches")
    table.add_column("entry", no_wrap=True)
    table.add_column("workers", justify="right", no_wrap=True)
    table.add_column("digest", no_wrap=True)
    for item in loaded:
        probe = item.probe
        table.add_row(
            Text(probe.name, style="bold"),
            Text(probe.title),
            probe.entry.value,
            str(probe.workers),
            Text(item.digest[:_DIGEST_SHOWN], style="dim"),
        )
    return table
