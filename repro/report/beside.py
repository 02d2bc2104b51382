"""Two texts side by side, their differing lines marked.

Owns the layout: which lines belong together, what is left out between differences, and the
marks, which are characters first and colours second: `|` for lines that differ, `<` and `>`
for lines that only the left or the right text has. Nothing but ASCII is drawn. Leaves which
texts those are to `repro.report.diff`.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, ConsoleOptions, RenderResult

_CONTEXT = 2
_FEWEST_HIDDEN = 3
_NARROWEST = 16
_GAP = 5
"""Columns from the end of the left text to the start of the right one: two spaces around a
mark on either side."""

_STYLES = {"|": "yellow", "<": "red", ">": "green", " ": ""}


@dataclass(frozen=True, slots=True)
class Aligned:
    """One line of either text, and how they relate.

    Attributes:
        mark: ` ` equal, `|` different, `<` only left, `>` only right.
        left: The left line, empty if there is none.
        right: The right line, empty if there is none.
    """

    mark: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Hidden:
    """A run of equal lines that is left out."""

    lines: int


class Beside:
    """Two texts side by side, as a rich renderable.

    Args:
        left: The left text's lines.
        right: The right text's lines.
        heads: What the texts are called.
        indent: Columns that stay free on the left.
    """

    def __init__(
        self,
        left: Sequence[str],
        right: Sequence[str],
        heads: tuple[str, str],
        *,
        indent: int = 0,
    ) -> None:
        """Keep the texts; the layout waits for a width."""
        self._lines = shortened(aligned(left, right))
        self._heads = heads
        self._indent = indent

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay the texts out for the width of a console."""
        width = max(_NARROWEST, (options.max_width - self._indent - _GAP) // 2)
        yield from self._pair(Aligned(" ", *self._heads), width, "bold")
        for line in self._lines:
            if isinstance(line, Hidden):
                yield whole(" " * self._indent + f"... {line.lines} equal lines", "dim")
            else:
                yield from self._pair(line, width, _STYLES[line.mark])

    def _pair(self, line: Aligned, width: int, style: str) -> Iterator[Text]:
        left, right = _wrapped(line.left, width), _wrapped(line.right, width)
        for place in range(max(len(left), len(right))):
            ours = left[place] if place < len(left) else ""
            theirs = right[place] if place < len(right) else ""
            text = f"{' ' * self._indent}{ours:<{width}}  {line.mark}  {theirs}"
            yield whole(text.rstrip(), style)


class Hanging:
    """A head and a text after it, whose further lines are indented; a rich renderable."""

    def __init__(self, head: str, text: str, style: str = "", *, indent: int = 0) -> None:
        """Keep the parts; the layout waits for a width.

        Args:
            head: What stands at the start of the first line, in bold.
            text: What is wrapped, between words only.
            style: The style of the text.
            indent: Columns that stay free on the left of all lines but the first.
        """
        self._head = head
        self._text = text
        self._style = style
        self._indent = indent

    def __rich_console__(self, _console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay the text out for the width of a console."""
        lines = textwrap.wrap(
            self._head + self._text,
            max(_NARROWEST, options.max_width),
            subsequent_indent=" " * self._indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        for place, line in enumerate(lines):
            cut = len(self._head) if place == 0 else 0
            text = whole("")
            text.append(line[:cut], "bold")
            text.append(line[cut:], self._style)
            yield text


def aligned(left: Sequence[str], right: Sequence[str]) -> list[Aligned]:
    """Put the lines that belong together beside each other."""
    lines: list[Aligned] = []
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for kind, a, b, c, d in matcher.get_opcodes():
        ours, theirs = left[a:b], right[c:d]
        both = min(len(ours), len(theirs))
        mark = " " if kind == "equal" else "|"
        lines += [Aligned(mark, ours[i], theirs[i]) for i in range(both)]
        lines += [Aligned("<", line, "") for line in ours[both:]]
        lines += [Aligned(">", "", line) for line in theirs[both:]]
    return lines


def shortened(lines: Sequence[Aligned]) -> list[Aligned | Hidden]:
    """Leave out runs of equal lines, except for two next to a difference."""
    near = {
        place
        for at, line in enumerate(lines)
        if line.mark != " "
        for place in range(at - _CONTEXT, at + _CONTEXT + 1)
    }
    result: list[Aligned | Hidden] = []
    run: list[Aligned] = []
    for place, line in enumerate(lines):
        if place in near:
            result += _folded(run)
            run = []
            result.append(line)
        else:
            run.append(line)
    result += _folded(run)
    return result


def whole(text: str, style: str = "") -> Text:
    """Return a line that rich leaves as it is."""
    return Text(text, style, no_wrap=True, overflow="ignore", end="\n")


def _folded(run: list[Aligned]) -> Sequence[Aligned | Hidden]:
    return run if len(run) < _FEWEST_HIDDEN else [Hidden(len(run))]


def _wrapped(line: str, width: int) -> list[str]:
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    return textwrap.wrap(
        line, width, subsequent_indent=indent[: width // 2], drop_whitespace=False
    ) or [""]
