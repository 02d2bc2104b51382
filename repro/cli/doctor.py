"""`repro doctor`: what this machine can audit, and what stands in the way.

Owns the judgement whether control is possible here, whether given probes can be audited, and
how both are shown. Looking at the machine is `repro.cli.machine`; proving that joblib can be
controlled is the engine's canary.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from repro._version import __version__
from repro.cli.exits import Exit
from repro.cli.machine import TESTED, Machine, look
from repro.errors import ControlError, ProbeError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from repro.errors import ReproError

SCHEMA = "repro.doctor/1"

_GIB = 1024**3
_LITTLE_SPACE = _GIB


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What was found.

    Attributes:
        machine: What was seen of the machine.
        control: For joblib and AccelForge, why it can't be controlled here, or `None` if it can.
        probes: Each probe asked about, with why it can't be audited, or `None` if it can.
        clock_settings: Mapper settings that rule out any claim about a probe that sets them.
    """

    machine: Machine
    control: dict[str, ControlError | None]
    probes: dict[str, ProbeError | None]
    clock_settings: tuple[str, ...]

    @property
    def exit(self) -> Exit:
        """The exit code that says so."""
        if any(self.control.values()):
            return Exit.INCONCLUSIVE
        return Exit.USAGE if any(self.probes.values()) else Exit.HOLDS


def doctor(
    probes: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PROBE]...", help="Probes to look at: names, folders or files."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> int:
    """Say what this machine can audit, and what stands in the way.

    Ends with 0 if audits are possible, with 5 if joblib or AccelForge can't be controlled here,
    and with 2 if one of the named probes can't be audited.
    """
    found = diagnose(probes or ())
    typer.echo(json.dumps(to_dict(found), indent=2) if as_json else "\n".join(lines(found)))
    return found.exit


def diagnose(probes: Sequence[str]) -> Diagnosis:
    """Look at the machine, run the canaries, and read the named probes."""
    from repro.model.probe import CLOCK_SETTINGS

    machine = look()
    return Diagnosis(
        machine=machine,
        control={"joblib": _refusal(_try_joblib), "AccelForge": _refusal(_try_accelforge)},
        probes={name: _fault(name, machine.dot) for name in probes},
        clock_settings=CLOCK_SETTINGS,
    )


def _try_joblib() -> None:
    from repro.engine.canary import canary, canary_parallel

    canary()
    canary_parallel()


def _try_accelforge() -> None:
    from pathlib import Path

    from repro.model.probe import Probe
    from repro.searches.accelforge import AccelForgeSearch

    # The canary looks at the installed package alone, so any probe will do.
    AccelForgeSearch(Probe(name="doctor", metrics=("LATENCY",)), Path()).canary()


def _refusal(canary: Callable[[], None]) -> ControlError | None:
    try:
        canary()
    except ControlError as error:
        return error
    return None


def _fault(name: str, dot: str | None) -> ProbeError | None:
    from repro.model.probe import Entry
    from repro.searches.catalog import load

    try:
        loaded = load(name)
    except ProbeError as error:
        return error
    if loaded.probe.entry is Entry.DETAILED and dot is None:
        return ProbeError(
            "its entry `detailed` needs graphviz's `dot`, which isn't here",
            do="install graphviz, or use `entry: join`",
        )
    return None


def to_dict(found: Diagnosis) -> dict[str, Any]:
    """Return the JSON form."""
    machine = found.machine
    return {
        "schema": SCHEMA,
        "exitCode": int(found.exit),
        "control": [
            {"package": name, "works": error is None, **_parts(error)}
            for name, error in found.control.items()
        ],
        "versions": {"repro": __version__, "python": machine.python, **machine.packages},
        "tested": TESTED,
        "system": machine.system,
        "cores": {"usable": machine.cores, "machine": machine.machine_cores},
        "gpus": list(machine.gpus),
        "dot": machine.dot,
        "processes": {"fork": machine.fork, "startMethod": machine.start_method},
        "temp": {"folder": machine.temp_folder, "freeBytes": machine.temp_free},
        "hashSeed": machine.hash_seed,
        "clockSettings": list(found.clock_settings),
        "probes": [
            {"probe": name, "auditable": error is None, **_parts(error)}
            for name, error in found.probes.items()
        ],
    }


def lines(found: Diagnosis) -> list[str]:
    """Return the lines that a reader sees."""
    machine = found.machine
    rows = [("repro", __version__), ("python", machine.python)]
    rows += [(name, _version(name, installed)) for name, installed in machine.packages.items()]
    rows += [
        ("system", machine.system),
        ("cores", f"{machine.cores} usable of {machine.machine_cores}"),
        ("GPU", ", ".join(machine.gpus) or "none seen"),
        ("graphviz dot", machine.dot or "not found; probes with entry `detailed` need it"),
        ("fork", "available" if machine.fork else "not available; each order gets a fresh process"),
        ("processes", f"start method {machine.start_method}"),
        ("temp folder", _space(machine)),
        ("hash seed", machine.hash_seed or "random; each run of an audit gets its own"),
        ("clock settings", "can't be audited with " + ", ".join(found.clock_settings)),
    ]
    rows += [(f"{name} control", _said(e, "works")) for name, e in found.control.items()]
    rows += [(f"probe {name}", _said(e, "can be audited")) for name, e in found.probes.items()]
    width = max(len(name) for name, _ in rows)
    return [f"{name:<{width}}  {_indented(value, width)}" for name, value in rows]


def _version(name: str, installed: str | None) -> str:
    tested = TESTED.get(name, installed)
    also = "" if installed == tested else f" (this release was tested with {tested})"
    return f"{installed or 'not installed'}{also}"


def _space(machine: Machine) -> str:
    warning = "; runs may end inconclusive" if machine.temp_free < _LITTLE_SPACE else ""
    return f"{machine.temp_folder}, {machine.temp_free / _GIB:.1f} GiB free{warning}"


def _parts(error: ReproError | None) -> dict[str, str | None]:
    return {} if error is None else {"what": error.what, "where": error.where, "do": error.do}


def _said(error: ReproError | None, otherwise: str) -> str:
    if error is None:
        return otherwise
    return "\n".join(part for part in (f"NO: {error.what}", error.where, error.do) if part)


def _indented(value: str, width: int) -> str:
    return value.replace("\n", "\n" + " " * (width + 2))
