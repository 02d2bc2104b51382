"""What the engine asks of a search, so that it can run one without knowing which.

Owns the protocol. One file per kind of search in `repro.searches` fulfils it; the engine and
the audit import only this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from repro.model.outcome import Outcome


class Search(Protocol):
    """A search that is run inside a process of its own."""

    @property
    def through(self) -> tuple[str, ...]:
        """Absolute paths of the search's helper files that only pass calls on to joblib."""
        ...

    def canary(self) -> None:
        """Check that the installed search is one that can be controlled.

        Raises:
            ControlError: A function, column or file that control relies on has changed.
        """
        ...

    def prepare(self) -> None:
        """Load the inputs; what this takes isn't counted as search time."""
        ...

    def execute(self, workers: int | None) -> object:
        """Search once.

        Args:
            workers: The number of workers the search is told to use (`1` selects its own
                serial path); `None` leaves the number it would use as shipped.

        Returns:
            Whatever the search returns; only `outcome` looks inside.

        Raises:
            InfeasibleError: There is no mapping at all.
            SearchError: The search failed in another way of its own.
        """
        ...

    def label(
        self,
        function: Callable[..., Any],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        index: int,
    ) -> str:
        """Name one job so that a reader knows it again in another run."""
        ...

    def outcome(self, result: object) -> Outcome:
        """Bring what `execute` returned into canonical form."""
        ...

    def versions(self) -> Mapping[str, str]:
        """Return the versions of the packages that decide the outcome."""
        ...


class SearchSource(Protocol):
    """A search before it runs: what is known of it without loading it."""

    @property
    def shipped(self) -> int | None:
        """The worker count it has where nobody tells it one, or `None`: the machine's."""
        ...

    @property
    def name(self) -> str:
        """Short name, as on the command line."""
        ...

    @property
    def title(self) -> str:
        """One line that says what is searched."""
        ...

    @property
    def entry(self) -> str:
        """Which function of the search is called."""
        ...

    @property
    def has_command(self) -> bool:
        """Whether it can be named on the command line; an object in memory can't."""
        ...

    @property
    def workers(self) -> int:
        """The logical worker count, part of an outcome's identity."""
        ...

    @property
    def digest(self) -> str:
        """SHA-256, in hex, of everything that the user chose."""
        ...

    def code_digest(self) -> str:
        """Hex digest of the search's code, as it is installed."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return the JSON form from which a fresh process builds the `Search`."""
        ...
