from __future__ import annotations

import dataclasses
import html as markup
import re

from repro.model.result import CheckResult
from repro.report.notebook import ShownResult, html
from repro.report.terminal import render


class Printer:
    """What IPython hands to `_repr_pretty_`."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


def test_the_html_says_what_the_terminal_says(each) -> None:
    shown = markup.unescape(re.sub(r"<[^>]+>", "", html(each)))
    assert shown.split() == [word for word in render(each).split() if not set(word) <= {"="}]


def test_the_html_is_one_element_with_its_styles_inside(each) -> None:
    text = html(each)
    assert text.startswith("<pre style=")
    assert text.endswith("</pre>")
    assert "class=" not in text
    assert "<style" not in text


def test_names_cannot_smuggle_markup_into_the_page(nondeterministic) -> None:
    probe = dataclasses.replace(nondeterministic.probe, title="<img src=x onerror=alert(1)>")
    assert "<img" not in html(dataclasses.replace(nondeterministic, probe=probe))


def test_a_shown_result_is_the_same_record_that_shows_itself(nondeterministic) -> None:
    shown = ShownResult.of(nondeterministic)
    assert isinstance(shown, CheckResult)
    assert shown.to_dict() == nondeterministic.to_dict()
    assert shown._repr_html_() == html(nondeterministic)
    assert str(shown) == render(nondeterministic)


def test_an_ipython_terminal_gets_the_plain_report(nondeterministic) -> None:
    printer = Printer()
    ShownResult.of(nondeterministic)._repr_pretty_(printer, cycle=False)
    assert printer.written == render(nondeterministic)
