from __future__ import annotations

import pytest

from repro.searches.references import Reference, references


@pytest.mark.parametrize(
    ("text", "construct", "path"),
    [
        ("nodes: {{ include('l2.yaml', 'nodes') }}", "include", "l2.yaml"),
        ('nodes: {{include_text("l2.yaml")}}', "include_text", "l2.yaml"),
        ("nodes: {{ include_all('parts/*.yaml') }}", "include_all", None),
        ("{{ add_to_path('parts') }}", "add_to_path", None),
        ("{{ include(NAME) }}", "include", None),
        ("{{ include('parts/*.yaml') }}", "include", None),
        ("{% include 'l2.yaml' %}", "include", "l2.yaml"),
        ("{%- import 'macros.yaml' as m %}", "import", "macros.yaml"),
        ('{% from "macros.yaml" import l2 %}', "from", "macros.yaml"),
        ("{% extends BASE %}", "extends", None),
        ("nodes: !include l2.yaml", "!include", "l2.yaml"),
        ("nodes: !includedir parts", "!includedir", None),
        ("  expression_custom_functions: [f.py]", "expression_custom_functions", None),
        ("  component_models: ['models.py']", "component_models", None),
    ],
)
def test_each_way_to_pull_in_a_file_is_found(text, construct, path) -> None:
    assert list(references(f"# first line\n{text}\n")) == [Reference(2, construct, path)]


def test_a_template_call_in_a_yaml_comment_counts_for_it_is_rendered() -> None:
    assert [found.path for found in references("# {{ include('l2.yaml') }}")] == ["l2.yaml"]


@pytest.mark.parametrize(
    "text",
    [
        "nodes: [] # use !include l2.yaml if you like",
        "# component_models: see the manual",
        "size: {{GlobalBufferSize}}",
        "tensors: {keep: ~Intermediates, may_keep: All}",
        "{% for i in range(3) %}- {{i}}{% endfor %}",
    ],
)
def test_a_plain_line_pulls_in_nothing(text) -> None:
    assert list(references(text)) == []
