"""Reading a list that somebody is about to publish: JSON, CSV, or a pickle.

Owns telling the formats apart, and the rule that a pickle is loaded only if the user says so:
loading one runs the code in it. Leaves CSV's columns to `repro.report.outcome_csv` and judging
to `repro.audit.presented`.
"""

from __future__ import annotations

import io
import json
import pickle
from contextlib import redirect_stdout
from typing import TYPE_CHECKING

from repro.errors import OutcomeError, ReproError, ResultError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from repro.model.outcome import Outcome
    from repro.model.ranked import Draft

_MADE_BY = "name a file that `repro run` or `repro ranking --all-ties` wrote"
_PICKLE = b"\x80"
"""How a pickle of protocol 2 or later begins; no text does."""


def read_draft(path: Path, *, unpickle: bool) -> Draft:
    """Read a list that somebody is about to publish.

    Args:
        path: The file.
        unpickle: Load it as a pickle, which runs the code in it.

    Raises:
        OutcomeError: It can't be read, or is no such list.
        UsageError: It is a pickle and may not be loaded, or isn't one and should be.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        what = f"the list can't be read: {error.strerror or error}"
        raise OutcomeError(what, where=str(path), do=_MADE_BY) from error
    pickled = content.startswith(_PICKLE)
    if pickled and not unpickle:
        raise UsageError(
            "the list is a pickle, and loading a pickle runs the code in it",
            where=str(path),
            do="if you trust whoever wrote it, add --unpickle; else ask for JSON or CSV",
        )
    if unpickle and not pickled:
        raise UsageError(
            "the list is no pickle", where=str(path), do="leave --unpickle out for this file"
        )
    try:
        return _unpickled(content, str(path)) if unpickle else _text(content, path)
    except (OutcomeError, ResultError) as error:
        where = error.where or ""
        if str(path) not in where:
            where = f"{path}, {where}" if where else str(path)
        raise OutcomeError(error.what, where=where, do=error.do or _MADE_BY) from error


def _text(content: bytes, path: Path) -> Draft:
    from repro.report.outcome_csv import from_csv

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise OutcomeError(f"the list is neither JSON nor CSV: {error}") from error
    if path.suffix.lower() == ".csv" or not text.lstrip().startswith(("{", "[")):
        return from_csv(text, str(path))
    return _json(text, str(path))


def _json(text: str, name: str) -> Draft:
    from repro.canon.rungs import check_digests
    from repro.model import ranked
    from repro.model.outcome import Outcome

    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise OutcomeError(f"the list isn't JSON: {error}") from error
    if isinstance(data, dict) and data.get("schema") == ranked.SCHEMA:
        return ranked.RankedList.from_dict(data).draft(name)
    outcome = Outcome.from_dict(data)
    check_digests(outcome)
    return _of_outcome(outcome, name, "outcome")


def _of_outcome(outcome: Outcome, name: str, kind: str) -> Draft:
    from repro.model.ranked import Draft, DraftRow

    rows = tuple(
        DraftRow(
            objectives=dict(zip(outcome.objectives, row.objectives, strict=True)),
            survivor=row.survivor,
        )
        for row in outcome.rows
    )
    return Draft(name=name, kind=kind, rows=rows, whole=True)


def _unpickled(content: bytes, name: str) -> Draft:
    """Load AccelForge's mappings. This runs the code in the pickle."""
    from repro.canon.ffm import outcome_from_mappings

    try:
        with redirect_stdout(io.StringIO()):  # AccelForge greets whoever imports it
            found = pickle.loads(content)  # noqa: S301 - the user asked for it by --unpickle
    except Exception as error:
        raise OutcomeError(
            f"the pickle can't be loaded: {type(error).__name__}: {error}",
            do="load it with the version of AccelForge that wrote it",
        ) from error
    frame = getattr(found, "data", found)
    if not hasattr(frame, "columns") or not hasattr(frame, "iloc"):
        raise OutcomeError(
            f"the pickle holds a {type(found).__name__}, not AccelForge's mappings",
            do="pickle what `join_pmappings` or `map_workload_to_arch` returned, or its `data`: a "
            "single Mapping has neither objectives nor all that tells it apart from others",
        )
    frame = frame.reset_index(drop=True)
    try:
        return _of_outcome(outcome_from_mappings(frame), name, "pickle")
    except ReproError as error:
        raise OutcomeError(error.what, where=error.where, do=error.do) from error
