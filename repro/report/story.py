"""A report before it has a form: its answers, in the order in which a reader asks.

Owns the records that every format lays out. Leaves the sentences to `repro.report.headline`,
`tried`, `found` and `reasons`, putting them together to `repro.report.tell`, and the look to
one module per format.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class Tone(Enum):
    """How a statement is meant. A format may colour it; the words say it without."""

    GOOD = auto()
    BAD = auto()
    DOUBT = auto()
    PLAIN = auto()
    QUIET = auto()


@dataclass(frozen=True, slots=True)
class Prose:
    """A sentence or two; may be wrapped anywhere between words."""

    text: str
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Place:
    """A path with a line, and words about it; the path is never broken."""

    path: str
    about: str = ""
    tone: Tone = Tone.PLAIN


@dataclass(frozen=True, slots=True)
class Listed:
    """One of a list of paths, each with something said before it in a column of its own."""

    lead: str
    path: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A command to copy; stands on a line of its own and is never broken."""

    text: str


@dataclass(frozen=True, slots=True)
class Difference:
    """Lines of two canonical texts: `-` only in the first, `+` only in the second."""

    lines: tuple[str, ...]


type Item = Prose | Place | Listed | Command | Difference


@dataclass(frozen=True, slots=True)
class Answer:
    """One labelled answer, of one or more items."""

    label: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True)
class DeliveryRow:
    """One line of the table of deliveries."""

    name: str
    count: str
    finding: str
    tone: Tone


@dataclass(frozen=True, slots=True)
class Headline:
    """The verdict: what it is, in capitals, for what, and what it means."""

    verdict: str
    scope: str
    meaning: str
    tone: Tone

    @property
    def claim(self) -> str:
        """The verdict and what it is about: `NOT REPRODUCIBLE as shipped`."""
        return f"{self.verdict} {self.scope}".rstrip()

    @property
    def text(self) -> str:
        """The whole headline."""
        return f"{self.claim}: {self.meaning}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A whole report: may I publish, what differs, where, why, how much, what now."""

    name: str
    title: str
    headline: Headline
    publish: tuple[Answer, ...]
    deliveries: tuple[DeliveryRow, ...]
    legend: str
    tried: tuple[Answer, ...]
    found: tuple[Answer, ...]
    extent: tuple[Answer, ...]
    now: tuple[Answer, ...]
    notes: tuple[Answer, ...]
    made: str
    last: str
