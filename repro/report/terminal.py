"""The report of a check for a terminal.

Owns the layout: labels on the left, answers beside them, paths and commands never broken.
Colour only repeats what the words say, and nothing but ASCII is drawn, so the report reads
the same in a log file. Leaves every sentence to `repro.report.tell`, and printing to
`repro.cli`, which passes `crop=False` so that a long command stays whole.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from repro.report.story import Command, Difference, Listed, Place, Prose, Tone
from repro.report.tell import tell

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from rich.console import ConsoleOptions, RenderResult

    from repro.model.result import CheckResult
    from repro.report.story import Answer, DeliveryRow, Headline, Item, Story

WIDTH = 100
"""Columns of a report that is written to a file or shown in a notebook."""

_MARGIN = 2
_LABEL = 10
_NARROWEST = 20
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

_STYLES = {
    Tone.GOOD: "green",
    Tone.BAD: "bold red",
    Tone.DOUBT: "yellow",
    Tone.PLAIN: "",
    Tone.QUIET: "dim",
}
_BANDS = {
    Tone.GOOD: "bold white on dark_green",
    Tone.BAD: "bold white on dark_red",
    Tone.DOUBT: "bold black on yellow",
}
_LABEL_STYLE = "bold"
_PLACE_STYLE = "cyan"
_COMMAND_STYLE = "bold cyan"


class Report:
    """A check's result as a rich renderable.

    Args:
        result: What to show.
        fold: Break commands that are longer than a line. A picture needs that; a terminal
            breaks them itself, and then they can still be copied in one piece.
    """

    def __init__(self, result: CheckResult, *, fold: bool = False) -> None:
        """Put the result into words; the layout waits for a width."""
        self._story = tell(result)
        self._fold = fold

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Lay the report out for the width of a console."""
        page = _Page(console, options.max_width, fold=self._fold)
        yield from page.lines(self._story)


def render(result: CheckResult, *, width: int = WIDTH) -> str:
    """Return the report as plain text, without colour."""
    console = Console(
        file=io.StringIO(),
        width=width,
        height=WIDTH,
        color_system=None,
        force_terminal=False,
        force_jupyter=False,
        legacy_windows=False,
    )
    with console.capture() as capture:
        console.print(Report(result), crop=False)
    return capture.get()


def recorded(result: CheckResult, *, width: int, fold: bool) -> Console:
    """Return a console that has recorded the coloured report, ready to be exported.

    Everything that rich would take from the environment is given, so that the same result
    gives the same record everywhere.
    """
    console = Console(
        file=io.StringIO(),
        record=True,
        width=width,
        height=WIDTH,
        color_system="truecolor",
        force_terminal=True,
        force_jupyter=False,
        force_interactive=False,
        legacy_windows=False,
        no_color=False,
    )
    console.print(Report(result, fold=fold), crop=False)
    return console


class _Page:
    """Lays a story out as lines of one width."""

    def __init__(self, console: Console, width: int, *, fold: bool) -> None:
        self._console = console
        self._width = width
        self._fold = fold
        self._coloured = console.color_system is not None and not console.no_color

    def lines(self, story: Story) -> Iterator[Text]:
        blank = Text()
        yield from self._wrap(Text.assemble(_text(story.name, "bold"), "  ", _text(story.title)))
        yield blank
        yield from self._band(story.headline)
        yield blank
        yield from self._answers(story.publish)
        yield blank
        if story.deliveries:
            yield from self._table(story.deliveries)
            yield from self._hang("", [Text(story.legend, _STYLES[Tone.QUIET])])
            yield blank
        for answers in (story.tried, story.found, story.extent, story.now, story.notes):
            if answers:
                yield from self._answers(answers)
                yield blank
        yield from self._wrap(Text(story.made, _STYLES[Tone.QUIET]))
        yield from self._wrap(Text(story.last, _STYLES[story.headline.tone]))

    def _band(self, headline: Headline) -> Iterator[Text]:
        """Draw the verdict so that it can't be missed: a coloured band, or rules."""
        if not self._coloured:
            rule = Text("=" * min(self._width, len(headline.text)), "bold")
            yield from (rule, *self._wrap(_text(headline.text, "bold")), rule)
            return
        style = _BANDS[headline.tone]
        inner = self._wrap(_text(headline.text), self._width - 2 * _MARGIN)
        for line in (Text(), *inner, Text()):
            fill = " " * max(0, self._width - _MARGIN - line.cell_len)
            yield _whole(Text(f"{' ' * _MARGIN}{line.plain}{fill}", style))

    def _table(self, rows: tuple[DeliveryRow, ...]) -> Iterator[Text]:
        column = max((len(row.count) for row in rows), default=0) + 2
        for row in rows:
            body = _text(row.finding, _STYLES[row.tone])
            yield from self._hang(row.name, [body], Text(row.count.ljust(column)))

    def _answers(self, answers: Iterable[Answer]) -> Iterator[Text]:
        for answer in answers:
            label = answer.label
            run: list[Text] = []
            for item in answer.items:
                if isinstance(item, Command | Listed):
                    yield from self._hang(label, run or [Text()] * bool(label))
                    yield from self._apart(item)
                    label, run = "", []
                else:
                    run += self._item(item)
            yield from self._hang(label, run)

    def _item(self, item: Item) -> list[Text]:
        match item:
            case Prose(text, tone):
                return [_text(text, _STYLES[tone])]
            case Place(path, about, tone):
                quiet = _STYLES[tone] if tone is Tone.QUIET else ""
                comma = ", " if about else ""
                return [_text(path, quiet or _PLACE_STYLE) + _text(comma + about, quiet)]
            case Difference(lines):
                return [_text(line, _difference_style(line)) for line in lines]
        return []

    def _apart(self, item: Command | Listed) -> Iterator[Text]:
        """Lay out what has an indentation of its own."""
        if isinstance(item, Listed):
            quiet = _STYLES[Tone.QUIET]
            where = _text(item.path + (f", {item.about}" if item.about else ""), quiet)
            yield from self._hang("", [where], Text(item.lead, quiet))
            return
        text = _text(" " * _MARGIN * 2 + item.text, _COMMAND_STYLE)
        if not self._fold:
            yield _whole(text)
            return
        for line in text.wrap(self._console, self._width, overflow="fold"):
            yield _whole(line)

    def _hang(self, label: str, body: list[Text], lead: Text | None = None) -> Iterator[Text]:
        """Yield wrapped texts with a label before the first line and space before the rest."""
        lead = lead or Text()
        indent = _MARGIN + _LABEL + len(lead)
        head = Text.assemble(" " * _MARGIN, (label.ljust(_LABEL), _LABEL_STYLE), lead)
        for text in body:
            for line in self._wrap(text, self._width - indent):
                yield _whole(Text.assemble(head, line))
                head = Text(" " * indent)

    def _wrap(self, text: Text, width: int | None = None) -> list[Text]:
        """Wrap between words only: a word that is too long sticks out, whole."""
        room = max(self._width if width is None else width, _NARROWEST)
        if self._fold:
            lines = text.wrap(self._console, room, overflow="fold")
        else:
            lines = text.divide(_breaks(text.plain, room))
        for line in lines:
            line.rstrip()
        return [_whole(line) for line in lines]


def _text(content: str, style: str = "") -> Text:
    """Return one line of text; control characters, which could drive a terminal, are spelt out."""
    return Text(_CONTROL.sub(lambda found: repr(found[0])[1:-1], content), style)


def _breaks(text: str, room: int) -> list[int]:
    """Return where lines end when they are broken at single spaces, but never inside a word."""
    breaks: list[int] = []
    start = 0
    for space in re.finditer(r"(?<=\S) (?=\S)", text):
        end = text.find(" ", space.end())
        if cell_len(text[start : end if end >= 0 else None]) > room:
            breaks.append(space.end())
            start = space.end()
    return breaks


def _whole(text: Text) -> Text:
    """Keep rich from wrapping or cutting a line that is laid out already."""
    text.no_wrap = True
    text.overflow = "ignore"
    return text


def _difference_style(line: str) -> str:
    return {"-": "red", "+": "green"}.get(line[:1], _STYLES[Tone.QUIET])
