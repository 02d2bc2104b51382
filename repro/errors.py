"""The errors of `repro`, one subclass per stage.

Owns what an error must tell a user: what was wrong, where, and what to do. Leaves exit
codes and printing to `repro.cli`, which is the only place that turns an error into either.
"""

from __future__ import annotations


class ReproError(Exception):
    """Something that a user can act on.

    Args:
        what: One sentence that says what was wrong.
        where: File, key, line or command that it concerns, if one can be named.
        do: What the user can do about it.
    """

    def __init__(self, what: str, *, where: str | None = None, do: str | None = None) -> None:
        """Keep the three parts apart; only the edge joins them."""
        super().__init__(what)
        self.what = what
        self.where = where
        self.do = do


class UsageError(ReproError):
    """A command was called with arguments that do not fit together."""


class ProbeError(ReproError):
    """A probe can't be found, read or used as it stands."""


class ProbeClockError(ProbeError):
    """A probe's mapper settings make its outcome depend on the clock or on free memory."""


class OutcomeError(ReproError):
    """A search's rows, or an outcome file, can't be brought into canonical form."""


class OpaqueValueError(ReproError):
    """A value whose content can't be seen, so that equality can't be claimed for it."""


class ControlError(ReproError):
    """The joblib boundary can't be controlled here; nothing about order may be claimed."""


class SearchError(ReproError):
    """The audited search itself failed; the fault is reported as the search's own."""


class InfeasibleError(SearchError):
    """The search ended without a single mapping: its mapspace is empty or over-constrained."""


class RunError(ReproError):
    """A run ended without an outcome: it crashed, was killed, hung or left nothing behind."""


class DiskFullError(RunError):
    """A run, or a report, could not be written because no space is left."""


class TokenError(ReproError):
    """A replay token can't be used: malformed, or made for another probe, code or site."""


class ResultError(ReproError):
    """A result file can't be read, or isn't one."""
