from __future__ import annotations

import json
import os
import re
import shutil
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from repro.errors import ProbeClockError, ProbeError
from repro.searches import catalog
from repro.searches.catalog import examine, load, read_yaml, shipped

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED = (
    "attention-small",
    "matmul-chain",
    "sdpa-a",
    "sdpa-a-h200",
    "sdpa-b",
    "sdpa-b-h200",
    "sdpa-c",
    "sdpa-c-h200",
    "sdpa-d",
    "sdpa-d-h200",
)
CASES = {
    "a": (1, 8, 128, 64),
    "b": (1, 16, 512, 64),
    "c": (1, 32, 1024, 128),
    "d": (8, 32, 512, 128),
}

# Searches the probes named on the command line serially; prints jobs and rows of each as JSON.
COUNT = """
import json, sys
import accelforge
from accelforge.mapper.FFM._make_pmappings import make_pmappings as pmapper
from accelforge.mapper.FFM.main import join_pmappings, make_pmappings
from accelforge.util.parallel import set_n_parallel_jobs
from repro.searches.catalog import load

set_n_parallel_jobs(1)
parallel, found = pmapper.parallel, {}

def counting(jobs, *args, **kwargs):
    jobs = list(jobs)
    if kwargs.get("return_as") == "generator_unordered":
        found[name]["jobs"] = len(jobs)
    return parallel(jobs, *args, **kwargs)

pmapper.parallel = counting
for name in sys.argv[1:]:
    found[name] = {}
    probe = load(name)
    spec = accelforge.Spec.from_yaml(
        probe.architecture, probe.workload, jinja_parse_data=dict(probe.probe.parameters)
    )
    metrics = accelforge.Metrics(0)
    for metric in probe.probe.metrics:
        metrics |= accelforge.Metrics[metric]
    spec.mapper.metrics = metrics
    made = make_pmappings(spec, print_progress=False)
    found[name]["rows"] = len(join_pmappings(made, metrics=metrics, print_progress=False).data)
print(json.dumps(found))
"""

# Checks what this package says of AccelForge's mapper against AccelForge, and reads all specs.
AGREE = """
import json
import accelforge
from accelforge.frontend.mapper import FFM
from repro.searches.catalog import load, shipped

for name in shipped():
    probe = load(name)
    spec = accelforge.Spec.from_yaml(
        probe.architecture, probe.workload, jinja_parse_data=dict(probe.probe.parameters)
    )
    assert [einsum.name for einsum in spec.workload.einsums]
    assert spec._spec_eval_expressions().arch.nodes
print(json.dumps({
    "settings": [name for name in FFM.model_fields if not name.startswith("_")],
    "defaults": {name: repr(getattr(FFM(), name)) for name in FFM.model_fields},
    "metrics": list(accelforge.Metrics.__members__),
}))
"""


@pytest.fixture
def own(tmp_path) -> Path:
    """A small probe of a user's own."""
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "arch.yaml").write_text("arch: {size: {{SIZE}}}\n")
    (folder / "workload.yaml").write_text("workload: {}\n")
    (folder / "probe.yaml").write_text(
        "name: own\nmetrics: [LATENCY]\nparameters: {SIZE: 64, RATE: 0.5}\n"
    )
    return folder


def fault_of(spec: object) -> ProbeError:
    loaded, faults = examine(str(spec))
    assert loaded is None
    (fault,) = faults
    with pytest.raises(type(fault), match=re.escape(fault.what)):
        load(str(spec))
    return fault


def test_the_shipped_probes_are_these() -> None:
    assert shipped() == SHIPPED


@pytest.mark.parametrize("name", SHIPPED)
def test_a_shipped_probe_loads_under_its_own_name(name) -> None:
    loaded = load(name)
    assert loaded.probe.name == name == loaded.folder.name
    assert loaded.probe.title
    assert loaded.probe.sources
    assert loaded.architecture.read_bytes() == loaded.files["architecture"]
    assert loaded.workload.read_bytes() == loaded.files["workload"]


def test_no_two_shipped_probes_share_a_digest() -> None:
    assert len({load(name).digest for name in SHIPPED}) == len(SHIPPED)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("gpu", ["", "-h200"], ids=["4090", "h200"])
def test_the_attention_probes_have_the_published_shapes(case, gpu) -> None:
    parameters = load(f"sdpa-{case}{gpu}").probe.parameters
    batch, heads, length, width = CASES[case]
    assert parameters == {"BATCH": batch, "HEADS": heads, "SEQ": length, "HEAD_DIM": width}


def test_attention_small_searches_the_same_workload_as_the_larger_ones() -> None:
    assert load("attention-small").files["workload"] == load("sdpa-b").files["workload"]


FIGURE = re.compile(r"\b(?:size|fanout|throughput):\s*(?!inf\b|\{\{|1\b)\S*\d")
TAG = re.compile(r"\[([A-Z][A-Za-z0-9]*)[\],;]")


@pytest.mark.parametrize("name", ["_models/rtx4090", "_models/h200", "attention-small/arch"])
def test_every_hardware_figure_has_a_listed_source_beside_it(name, root) -> None:
    lines = (root / "probes" / f"{name}.yaml").read_text().splitlines()
    listed = {found[1] for line in lines if (found := re.match(r"#   \[(\w+)\]", line))}
    figures = 0
    for index, line in enumerate(lines):
        if line.startswith("#") or not FIGURE.search(line.partition("#")[0]):
            continue
        figures += 1
        beside = [line.partition("#")[2]]
        above = index - 1
        # The write rate stands under the read rate that it shares a comment with.
        above -= "name: write" in line
        while lines[above].lstrip().startswith("#"):
            beside.append(lines[above])
            above -= 1
        tags = set(TAG.findall(" ".join(beside)))
        assert tags, f"line {index + 1} has no source: {line.strip()}"
        assert tags <= listed, f"line {index + 1} cites {tags - listed}, which isn't listed"
    assert figures >= 7


@pytest.mark.parametrize("how", ["folder", "file", "shipped name"])
def test_a_probe_is_found_by(how, own) -> None:
    spec = {"folder": str(own), "file": str(own / "probe.yaml"), "shipped name": "sdpa-a"}[how]
    assert load(spec).probe.name == ("sdpa-a" if how == "shipped name" else "own")


def test_a_shipped_name_wins_over_a_folder_and_a_path_names_the_folder(own, monkeypatch) -> None:
    own.rename(own.parent / "sdpa-a")
    monkeypatch.chdir(own.parent)
    assert load("sdpa-a").probe.name == "sdpa-a"
    assert load("./sdpa-a").probe.name == "own"


def test_a_copy_elsewhere_has_the_same_digest(tmp_path) -> None:
    original = load("attention-small")
    shutil.copytree(original.folder, tmp_path / "copy")
    assert load(str(tmp_path / "copy")).digest == original.digest


def test_a_changed_file_changes_the_digest(own) -> None:
    before = load(str(own)).digest
    with (own / "workload.yaml").open("a") as file:
        file.write("# a comment\n")
    assert load(str(own)).digest != before


def test_overrides_change_the_probe_and_its_digest(own) -> None:
    plain = load(str(own))
    changed = load(str(own), {"SIZE": "128"})
    assert changed.probe.parameters == {"SIZE": 128, "RATE": 0.5}
    assert changed.digest != plain.digest
    assert load(str(own), {"SIZE": "64"}).digest == plain.digest


def test_an_override_that_does_not_fit_is_refused(own) -> None:
    with pytest.raises(ProbeError, match="'big' is not a whole number"):
        load(str(own), {"SIZE": "big"})


@pytest.mark.parametrize("missing", ["arch.yaml", "workload.yaml"])
def test_a_missing_file_is_named_with_the_key_that_names_it(missing, own) -> None:
    (own / missing).unlink()
    fault = fault_of(own)
    key = "architecture" if missing == "arch.yaml" else "workload"
    assert fault.what == f"the file {missing!r} is missing"
    assert fault.where == f"{own / 'probe.yaml'}, key {key}"
    assert fault.do == f"put it at {own / missing}, or name another file"


def test_two_missing_files_are_two_faults(own) -> None:
    (own / "arch.yaml").unlink()
    (own / "workload.yaml").unlink()
    _, faults = examine(str(own))
    assert [fault.what for fault in faults] == [
        "the file 'arch.yaml' is missing",
        "the file 'workload.yaml' is missing",
    ]


def test_a_file_that_is_a_folder_is_one_fault(own) -> None:
    (own / "arch.yaml").unlink()
    (own / "arch.yaml").mkdir()
    assert "can't be read: Is a directory" in fault_of(own).what


def test_a_folder_without_a_probe_says_what_to_do(tmp_path) -> None:
    fault = fault_of(tmp_path)
    assert fault.what == "the folder has no probe.yaml"
    assert "docs/probes.md" in str(fault.do)


def test_an_unknown_probe_lists_the_shipped_ones_and_the_closest() -> None:
    fault = fault_of("matmul-chian")
    assert fault.what == "there is no probe 'matmul-chian'"
    assert fault.do is not None
    assert all(name in fault.do for name in SHIPPED)
    assert fault.do.endswith("did you mean 'matmul-chain'?")


def test_a_fault_is_placed_at_its_line(own) -> None:
    (own / "probe.yaml").write_text(
        dedent("""\
        name: own
        metrics: [LATENCY]
        mapper:
          max_loops: 3
          time_limit: 60
        """)
    )
    fault = fault_of(own)
    assert isinstance(fault, ProbeClockError)
    assert fault.where == f"{own / 'probe.yaml'}:5, key mapper.time_limit"


@pytest.mark.parametrize(
    ("content", "line", "words"),
    [
        (b"name: a\nname: b\n", 2, "duplicate key"),
        (b"mapper:\n  max_loops: 1\n  max_loops: 2\n", 3, "duplicate key"),
        (b"name: [a\n", 2, "expected"),
        (b"name: !!python/object/apply:os.system [true]\n", 1, "could not determine a constructor"),
        (b"a: 1\n---\nb: 2\n", 2, "another document"),
        (b"name: \xff\n", None, "not UTF-8"),
        (b"name: \x00\n", None, "not valid YAML"),
        (b"a: " + b"[" * 5000, None, "not valid YAML"),
    ],
    ids=["twice", "twice inside", "cut off", "object", "two documents", "bytes", "null", "deep"],
)
def test_malformed_yaml_is_refused_where_it_stands(content, line, words) -> None:
    with pytest.raises(ProbeError) as caught:
        read_yaml(content, "probe.yaml")
    assert words in caught.value.what
    assert "\n" not in caught.value.what
    assert caught.value.where == ("probe.yaml" if line is None else f"probe.yaml:{line}")


def test_yaml_that_contains_itself_is_read_and_refused(own) -> None:
    (own / "probe.yaml").write_text("&top\nname: own\nmetrics: [LATENCY]\nparameters: *top\n")
    loaded, faults = examine(str(own))
    assert loaded is None
    assert faults


def test_loading_runs_no_code_of_the_probe(own, tmp_path) -> None:
    mark = tmp_path / "ran"
    attack = f"cycler.__init__.__globals__.os.mkdir('{mark}')"
    (own / "arch.yaml").write_text(f"arch: {{{{ {attack} }}}}\n")
    (own / "workload.yaml").write_text(f"workload: !!python/name:{mark}\n")
    assert load(str(own)).files["architecture"].startswith(b"arch: {{ cycler")
    assert not mark.exists()

    from jinja2 import Template

    Template((own / "arch.yaml").read_text()).render()
    assert mark.exists(), "the attack has to work, or the test above proves nothing"


def test_a_file_pulled_in_but_not_listed_is_refused(own) -> None:
    (own / "arch.yaml").write_text("size: {{SIZE}}\narch: {{ include('l2.yaml') }}\n")
    fault = fault_of(own)
    assert fault.what == "include pulls in 'l2.yaml', which the probe's digest doesn't cover"
    assert fault.where == f"{own / 'arch.yaml'}:2"
    assert fault.do == "list the file in probe.yaml, under `includes`"


def test_listed_files_are_part_of_the_digest_and_may_pull_in_others(own) -> None:
    (own / "parts").mkdir()
    (own / "parts" / "l2.yaml").write_text("a: !include l1.yaml\n")
    (own / "parts" / "l1.yaml").write_text("b: 1\n")
    (own / "arch.yaml").write_text("arch: {{ include('parts/l2.yaml') }}\n")
    with (own / "probe.yaml").open("a") as file:
        file.write("includes: [parts/l2.yaml]\n")
    assert fault_of(own).where == f"{own / 'parts' / 'l2.yaml'}:1"

    text = (own / "probe.yaml").read_text()
    (own / "probe.yaml").write_text(text.replace("l2.yaml]", "l2.yaml, parts/l1.yaml]"))
    loaded = load(str(own))
    assert loaded.files["include:parts/l1.yaml"] == b"b: 1\n"
    (own / "parts" / "l1.yaml").write_text("b: 2\n")
    assert load(str(own)).digest != loaded.digest


def test_a_folder_called_probes_beside_an_installed_package_is_not_ours(
    tmp_path, monkeypatch
) -> None:
    (tmp_path / "probes" / "stranger").mkdir(parents=True)
    (tmp_path / "probes" / "stranger" / "probe.yaml").write_text("name: stranger\n")
    monkeypatch.setattr(catalog, "_PACKAGE", tmp_path / "repro")
    assert shipped() == ()
    assert "install it again" in str(fault_of("stranger").do)
    (tmp_path / "pyproject.toml").touch()
    assert shipped() == ("stranger",)


def test_listing_loads_no_heavy_package(fresh) -> None:
    code = (
        "import sys; from repro.searches import catalog; catalog.load('sdpa-a'); "
        "print({'accelforge', 'pandas', 'numpy', 'torch', 'jinja2'} & set(sys.modules))"
    )
    assert fresh("-c", code).stdout == "set()\n"


def test_importing_the_catalog_does_not_load_yaml(fresh) -> None:
    code = "import sys, repro.searches.catalog; print('ruamel.yaml' in sys.modules)"
    assert fresh("-c", code).stdout == "False\n"


def test_settings_and_metrics_are_those_of_the_installed_accelforge(fresh) -> None:
    from repro.model.probe import CLOCK_SETTINGS, MAPPER_SETTINGS, METRICS

    ran = fresh("-c", AGREE, timeout=120)
    assert ran.returncode == 0, ran.stderr
    known = json.loads(ran.stdout)
    assert set(known["settings"]) - {"metrics", "info_metrics"} == set(MAPPER_SETTINGS)
    assert set(known["metrics"]) - set(METRICS) == {"ACTIONS", "DETAILED_MEMORY_USAGE"}
    assert set(METRICS) < set(known["metrics"])
    assert {known["defaults"][name] for name in CLOCK_SETTINGS} == {"inf"}


def test_the_small_probes_have_the_size_that_findings_rely_on(fresh) -> None:
    ran = fresh("-c", COUNT, "matmul-chain", "attention-small", timeout=300)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "matmul-chain": {"jobs": 54, "rows": 20},
        "attention-small": {"jobs": 31, "rows": 52},
    }


@pytest.mark.nightly
def test_the_three_level_probes_have_the_size_that_findings_rely_on(fresh) -> None:
    ran = fresh("-c", COUNT, "sdpa-a", "sdpa-b", timeout=560)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == {
        "sdpa-a": {"jobs": 151, "rows": 206},
        "sdpa-b": {"jobs": 151, "rows": 424},
    }


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("workers: " + "9" * 5000, "not valid YAML"),
        ('architecture: "a\\0b"', "can't be the name of a file"),
        ('architecture: "a\\ud800b"', "can't be the name of a file"),
        ("architecture: pipe.yaml", "is not a file"),
    ],
)
def test_what_no_file_or_number_can_be_is_the_probes_fault(tmp_path, line, words):
    key = line.split(":")[0]
    source = catalog.shipped_folder() / "matmul-chain"
    for name in ("arch.yaml", "workload.yaml"):
        (tmp_path / name).write_text((source / name).read_text())
    kept = [
        each
        for each in (source / "probe.yaml").read_text().splitlines()
        if not each.startswith(key)
    ]
    (tmp_path / "probe.yaml").write_text("\n".join([*kept, line]))
    os.mkfifo(tmp_path / "pipe.yaml")
    with pytest.raises(ProbeError, match=words):
        load(str(tmp_path), {})
