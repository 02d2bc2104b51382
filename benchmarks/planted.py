"""Are planted faults found, and sound searches cleared?

    python benchmarks/planted.py [NAME ...]

Runs `repro check` on every search in tests/planted/, holds each result to what is known of
that search, and writes the table to docs/results/planted.md and planted.json. With names, only
these are run and printed, and nothing is written. Exits with 1 if a result is wrong.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "planted")]

import expected as known  # noqa: E402 - the searches are imported by name, from their folder

import repro  # noqa: E402
from repro.errors import ReproError  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Sequence


RESULTS = ROOT / "docs" / "results"
HEAD = """# Planted faults

Made by `python benchmarks/planted.py`: `repro check` with all its deliveries on every search in
`tests/planted/`. {faults} have a known fault each, or two; {sound} only look as if they had one.
{wrong} of {total} results are wrong.

*Said* is what `repro check` gave as causes, with the weakest rung that each breaks and the line
of the call that is to blame. An `environment`, `workers` or `unknown` cause is not in a call, so
it has no line; of an environment, the setting is named that changes the outcome by itself.
*Orders* is how many of the injected ones differed, *moved* how many jobs the smallest reordering
moves that is enough.

{python}, joblib {joblib}, {cores} cores, {seconds:.0f} s in all.
"""


def main(names: Sequence[str]) -> int:
    """Run the searches and report."""
    entries = []
    environment: dict[str, Any] = {}
    started = time.perf_counter()
    for name in names or known.names():
        entry, where = run(name)
        environment = where or environment
        entries.append(entry)
        print(f"{entry['seconds']:5.1f} s  {name:28} {_told(entry)}", flush=True)
        for wrong in entry["disagreements"]:
            print(f"         WRONG: {wrong}", flush=True)
    wrong = sum(bool(entry["disagreements"]) for entry in entries)
    print(f"{wrong} of {len(entries)} results are wrong")
    if not names:
        seconds = time.perf_counter() - started
        write(entries, environment, seconds)
    return 1 if wrong else 0


def run(name: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Check one search; return what is to be published of it, and where it ran."""
    expected = known.load(name)
    started = time.perf_counter()
    entry: dict[str, Any] = {
        "search": name,
        "planted": expected.about,
        "sound": expected.sound,
        "require": expected.require,
        "verdict": "none",
        "said": [],
        "orders": None,
        "differing": None,
        "moved": [],
    }
    environment: dict[str, Any] = {}
    try:
        result = repro.check(f"{name}:search", **expected.arguments()).to_dict()
    except ReproError as error:
        entry["disagreements"] = [f"the check failed: {error}"]
    else:
        environment = result["environment"]
        entry |= _found(result)
        entry["disagreements"] = known.disagreements(name, expected, result)
    entry["seconds"] = round(time.perf_counter() - started, 1)
    return entry, environment


def _found(result: dict[str, Any]) -> dict[str, Any]:
    injected = result["deliveries"].get("injected", {})
    return {
        "verdict": result["verdict"],
        "said": [_cause(cause) for cause in result["causes"]],
        "orders": injected.get("ordersTried"),
        "differing": injected.get("differing"),
        "moved": [witness["movedCount"] for witness in result["witnesses"]],
    }


def _cause(cause: dict[str, Any]) -> dict[str, Any]:
    site, settings = cause["site"], cause.get("settings")
    return {
        "kind": cause["kind"],
        "firstRung": cause["firstRung"],
        **({"file": site["file"], "line": site["line"]} if site else {}),
        **({"settings": settings} if settings else {}),
    }


def _told(entry: dict[str, Any]) -> str:
    ordered = sorted(entry["said"], key=lambda cause: (cause["kind"], cause.get("line", 0)))
    causes = []
    for cause in ordered:
        facts = [*cause.get("settings", ()), cause["firstRung"]]
        causes.append(f"{cause['kind']} ({', '.join(facts)}{_line(cause)})")
    return ", ".join(causes) or entry["verdict"]


def _line(cause: dict[str, Any]) -> str:
    return f", line {cause['line']}" if "line" in cause else ""


def write(entries: list[dict[str, Any]], environment: dict[str, Any], seconds: float) -> None:
    """Write the table and the figures behind it."""
    RESULTS.mkdir(exist_ok=True)
    data = {"environment": environment, "seconds": round(seconds), "searches": entries}
    text = json.dumps(data, indent=2, ensure_ascii=False) + "\n"
    (RESULTS / "planted.json").write_text(text, encoding="utf-8")
    faults = [entry for entry in entries if not entry["sound"]]
    sound = [entry for entry in entries if entry["sound"]]
    head = HEAD.format(
        faults=len(faults),
        sound=len(sound),
        total=len(entries),
        wrong=sum(bool(entry["disagreements"]) for entry in entries),
        python=f"Python {environment['python']}",
        joblib=environment["joblib"],
        cores=environment["cores"],
        seconds=seconds,
    )
    parts = [head, "\n## Faults\n\n", _faults(faults), "\n## Look-alikes\n\n", _sound(sound)]
    (RESULTS / "planted.md").write_text("".join(parts), encoding="utf-8")


def _faults(entries: list[dict[str, Any]]) -> str:
    rows = [
        (
            f"`{entry['search']}`",
            entry["planted"],
            _told(entry),
            f"{entry['differing']} of {entry['orders']}" if entry["orders"] else "none tried",
            ", ".join(map(str, entry["moved"])) or "-",
            _right(entry),
        )
        for entry in entries
    ]
    return _table(("search", "planted", "said", "orders", "moved", "right"), rows)


def _sound(entries: list[dict[str, Any]]) -> str:
    rows = [
        (
            f"`{entry['search']}`",
            entry["planted"],
            entry["require"],
            entry["verdict"],
            f"{entry['differing']} of {entry['orders']}" if entry["orders"] else "none to try",
            _right(entry),
        )
        for entry in entries
    ]
    return _table(("search", "looks faulty for", "required", "said", "orders", "right"), rows)


def _right(entry: dict[str, Any]) -> str:
    return "**no**" if entry["disagreements"] else "yes"


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
