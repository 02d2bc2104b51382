"""The digests of the ladder's rungs.

Owns which bytes each rung is made of. The first four come from an outcome's rows alone, so
they can be made anew from a file; `bytes` needs the search's table and is made once, in
`repro.canon.frame`.

On these four rungs -0.0 counts as 0.0 and every NaN as the same NaN.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import xxhash

from repro.canon.digest import digest_bytes
from repro.errors import OutcomeError
from repro.model.rung import Rung

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np

    from repro.canon.table import Table
    from repro.model.outcome import Outcome, Row

_WIDTH = 16


def row_digests(objectives: Sequence[str], rows: Sequence[Row]) -> dict[Rung, str]:
    """Return the digests of every rung but `bytes`, for n rows of d objectives.

    - `objectives`: the names, then the n vectors (float64) in sorted order.
    - `strategies`, `survivors`: the distinct digests in sorted order.
    - `rowOrder`: the names, then for each row its survivor digest and its vector.
    """
    import numpy as np

    names = json.dumps(list(objectives)).encode()
    bits = objective_bits(np.array([row.objectives for row in rows]), len(objectives))
    survivors = [row.survivor for row in rows]
    in_order = np.concatenate([_digest_array(survivors), bits.view("u1")], axis=1)
    return {
        Rung.OBJECTIVES: _digest(Rung.OBJECTIVES, names, _sorted_rows(bits).tobytes()),
        Rung.STRATEGIES: _digest(Rung.STRATEGIES, _set_bytes(row.strategy for row in rows)),
        Rung.SURVIVORS: _digest(Rung.SURVIVORS, _set_bytes(survivors)),
        Rung.ROW_ORDER: _digest(Rung.ROW_ORDER, names, in_order.tobytes()),
    }


def check_digests(outcome: Outcome) -> None:
    """Check that an outcome's digests are those of its rows, as far as rows can tell.

    Raises:
        OutcomeError: They aren't: the rows or the digests were changed after it was written.
    """
    for rung, digest in row_digests(outcome.objectives, outcome.rows).items():
        if outcome.digests[rung] != digest:
            raise OutcomeError(
                f"this outcome was changed: its rows don't have the digest it gives for {rung}",
                where=f"digests.{rung}: {outcome.digests[rung]}",
                do="write it again with `repro run`",
            )


def table_digest(table: Table, objectives: Sequence[str], rows: Sequence[Row]) -> str:
    """Return the digest of the `bytes` rung: columns in order, types, and every cell.

    The objectives' names and the rows' exact digests are part of it, so that outcomes that
    are equal on this rung are equal on all others.
    """
    head = json.dumps([Rung.BYTES, table.height, list(objectives)])
    state = xxhash.xxh3_128(head.encode() + b"\n")
    state.update(_digest_array([row.exact for row in rows]).tobytes())
    for column in table.columns:
        content = column.content()
        header = json.dumps([column.name, column.kind, len(content)])
        state.update(header.encode() + b"\n")
        state.update(content)
    return state.hexdigest()


def objective_bits(
    vectors: np.ndarray[Any, Any], width: int
) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Return n objective vectors as an (n, d) array of 64-bit patterns, one for each value.

    -0.0 has the pattern of 0.0, and every NaN the pattern of the usual NaN.
    """
    import numpy as np

    values = np.ascontiguousarray(vectors.reshape(len(vectors), width), dtype="<f8") + 0.0
    values[np.isnan(values)] = np.nan
    return values.view("<u8")


def _sorted_rows(bits: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Sort rows by their bits; which order it is doesn't matter, only that it is one."""
    import numpy as np

    return bits[np.lexsort(bits.T)] if bits.shape[1] else bits


def _digest_array(digests: Sequence[str]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    import numpy as np

    return np.frombuffer(bytes.fromhex("".join(digests)), dtype="u1").reshape(-1, _WIDTH)


def _set_bytes(digests: Iterable[str]) -> bytes:
    return bytes.fromhex("".join(sorted(set(digests))))


def _digest(rung: Rung, *parts: bytes) -> str:
    """Digest parts with their lengths, so that none can pass for the start of the next."""
    head = " ".join([rung.value, *(str(len(part)) for part in parts)])
    return digest_bytes(b"\n".join([head.encode(), *parts]))
