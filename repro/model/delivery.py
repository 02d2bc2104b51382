"""Deliveries and orders: in which order the results of a call reach its caller.

Owns the names of the four deliveries and the orders that can be injected, as values that
mean the same permutation on every machine. Leaves delivering to `repro.engine.control` and
the choice of orders to `repro.audit.explore`.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

from repro.errors import TokenError

if TYPE_CHECKING:
    from repro.model.trace import Site


class Delivery(StrEnum):
    """How the results of a search's parallel calls reach their callers."""

    SERIAL = "serial"
    """The search's own one-job path."""
    ORDERED = "ordered"
    """In parallel, delivered in submission order."""
    NATIVE = "native"
    """In parallel, delivered in completion order, as the search is shipped."""
    INJECTED = "injected"
    """Any permutation, chosen by the audit and named by a token."""


@dataclass(frozen=True, slots=True)
class Reversed:
    """The last submitted job is delivered first."""

    def permutation(self, jobs: int, salt: str = "") -> tuple[int, ...]:  # noqa: ARG002
        """Return job indices in delivery order."""
        return tuple(reversed(range(jobs)))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"reversed": True}


@dataclass(frozen=True, slots=True)
class Seeded:
    """A uniformly drawn permutation, the same on every machine and Python version.

    Only `random.Random.random` is used: its sequence for a given seed is guaranteed across
    versions (Python documentation, "Notes on Reproducibility"), `shuffle`'s isn't.
    """

    seed: int
    index: int

    def permutation(self, jobs: int, salt: str = "") -> tuple[int, ...]:
        """Return job indices in delivery order; `salt` tells calls of one run apart."""
        draw = random.Random(f"{self.seed}/{self.index}/{salt}").random  # noqa: S311
        order = list(range(jobs))
        for last in range(jobs - 1, 0, -1):
            other = int(draw() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"seed": self.seed, "index": self.index}


@dataclass(frozen=True, slots=True)
class Swaps:
    """Submission order with pairs of positions exchanged, one after the other.

    No pairs at all is submission order itself: what an identity replay injects.
    """

    pairs: tuple[tuple[int, int], ...] = ()

    def permutation(self, jobs: int, salt: str = "") -> tuple[int, ...]:  # noqa: ARG002
        """Return job indices in delivery order.

        Raises:
            TokenError: A pair names a position that the call doesn't have.
        """
        order = list(range(jobs))
        for left, right in self.pairs:
            if not (0 <= left < jobs and 0 <= right < jobs):
                what = f"the order swaps positions {left} and {right}, the call has {jobs} jobs"
                raise TokenError(what, do="use a token made for this probe and code version")
            order[left], order[right] = order[right], order[left]
        return tuple(order)

    @classmethod
    def from_permutation(cls, permutation: tuple[int, ...]) -> Swaps:
        """Write any permutation as swaps: at most one less than it has jobs."""
        order = list(range(len(permutation)))
        where = {job: position for position, job in enumerate(order)}
        pairs: list[tuple[int, int]] = []
        for position, job in enumerate(permutation):
            other = where[job]
            if other != position:
                pairs.append((position, other))
                moved = order[position]
                order[position], order[other] = job, moved
                where[job], where[moved] = position, other
        return cls(tuple(pairs))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"swaps": [list(pair) for pair in self.pairs]}


Order = Reversed | Seeded | Swaps


def order_from_dict(data: dict[str, Any]) -> Order:
    """Read the JSON form of an order.

    Raises:
        TokenError: The form isn't one of an order.
    """
    match data:
        case {"reversed": True}:
            return Reversed()
        case {"seed": int(seed), "index": int(index)}:
            return Seeded(seed, index)
        case {"swaps": list(pairs)}:
            try:
                return Swaps(tuple((int(left), int(right)) for left, right in pairs))
            except (TypeError, ValueError, OverflowError) as error:
                raise TokenError("the order's swap list can't be read") from error
    raise TokenError(f"unknown kind of order: {sorted(data)}")


class Ordered(Protocol):
    """What of a call decides how its results are delivered."""

    @property
    def index(self) -> int:
        """Position in the search's sequence of calls."""

    @property
    def site(self) -> Site:
        """Where the call was made."""

    @property
    def occurrence(self) -> int:
        """How many earlier calls came from the same site."""

    @property
    def unordered(self) -> bool:
        """Whether the caller asked for results in completion order."""


@dataclass(frozen=True, slots=True)
class Injection:
    """One injected order: where it starts, what is delivered there and after it.

    Attributes:
        call: Index of the call whose results are permuted.
        order: The permutation there.
        rest: Whether every later unordered call is permuted too, as a real parallel run
            would; `False` keeps them in submission order, to try one site at a time.
    """

    call: int
    order: Order
    rest: bool = False

    def permutation(self, call: Ordered, jobs: int) -> tuple[int, ...]:
        """Return the order in which this delivers the results of a call with so many jobs."""
        if call.index == self.call:
            return self.order.permutation(jobs)
        later = call.index > self.call and call.unordered
        if later and self.rest and isinstance(self.order, Seeded):
            return self.order.permutation(jobs, salt=f"{call.site}#{call.occurrence}")
        return tuple(range(jobs))

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"call": self.call, "order": self.order.to_dict(), "rest": self.rest}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Injection:
        """Read the JSON form."""
        return cls(int(data["call"]), order_from_dict(data["order"]), bool(data["rest"]))


def workers_needed(permutation: tuple[int, ...]) -> int:
    """Return the fewest workers that can complete jobs in this order.

    Jobs start in submission order, so when a job is delivered every earlier job has started,
    and those not yet delivered hold a worker each. Submission order needs 1, one exchanged
    pair of neighbours 2, the reverse of n jobs n.
    """
    needed, highest = 1, -1
    for delivered, job in enumerate(permutation):
        highest = max(highest, job)
        needed = max(needed, highest + 1 - delivered)
    return needed
