"""The report of a check as a picture: what a terminal shows, as SVG.

Owns the picture's frame and colours. The bytes follow from the result and the width alone:
no clock, no random id, no font from the network, nothing of the environment.
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from rich.terminal_theme import TerminalTheme

from repro.report.tell import tell
from repro.report.terminal import WIDTH, recorded

if TYPE_CHECKING:
    from repro.model.result import CheckResult

_ID = "repro"
_FONT_ASPECT = 0.6
"""Width over height of a character in the fonts named below."""

_THEME = TerminalTheme(
    background=(22, 27, 34),
    foreground=(220, 225, 232),
    normal=[
        (72, 79, 88),
        (255, 123, 114),
        (63, 185, 80),
        (227, 179, 65),
        (121, 192, 255),
        (210, 168, 255),
        (86, 212, 221),
        (220, 225, 232),
    ],
)

_FORMAT = """\
<svg class="{unique_id}" viewBox="0 0 {width} {height}" role="img" aria-labelledby="@ID@-label" \
xmlns="http://www.w3.org/2000/svg">
<title id="@ID@-label">@LABEL@</title>
<style>
.{unique_id}-matrix {{
  font-family: "DejaVu Sans Mono", Menlo, Consolas, "Liberation Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px;
}}
.{unique_id}-title {{ font-family: sans-serif; font-size: 16px; font-weight: bold; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal">
<rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" />
</clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def render(result: CheckResult, *, width: int = WIDTH) -> str:
    """Return the report as an SVG picture of `width` columns."""
    console = recorded(result, width=width, fold=True)
    story = tell(result)
    title = _printable(f"repro check {story.name}")
    label = escape(_printable(f"{title}: {story.headline.text}"))
    frame = _FORMAT.replace("@ID@", _ID).replace(
        "@LABEL@", label.replace("{", "{{").replace("}", "}}")
    )
    return console.export_svg(
        title=title,
        theme=_THEME,
        code_format=frame,
        font_aspect_ratio=_FONT_ASPECT,
        unique_id=_ID,
    )


def _printable(text: str) -> str:
    """Replace what XML can't hold."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)
