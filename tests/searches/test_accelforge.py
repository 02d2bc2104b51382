from __future__ import annotations

import sys

import pytest

from repro.errors import ControlError, InfeasibleError
from repro.model.delivery import Delivery
from repro.model.rung import Rung
from repro.searches.accelforge import AccelForgeSearch, job_label
from repro.searches.find import find


@pytest.fixture(scope="module")
def search():
    """A real search, loaded from a shipped probe."""
    loaded = AccelForgeSearch.from_description(find("matmul-chain").describe())
    loaded.canary()
    loaded.prepare()
    return loaded


def test_the_canary_accepts_the_installed_mapper(search):
    search.canary()
    (through,) = search.through
    assert through.endswith("accelforge/util/parallel.py")


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("accelforge.util.parallel", "set_n_parallel_jobs"),
        ("accelforge.mapper.FFM.main", "join_pmappings"),
        ("accelforge.mapper.FFM.main", "map_workload_to_arch"),
    ],
)
def test_the_canary_names_what_a_changed_mapper_lacks(search, monkeypatch, module, name):
    # The wrapper module is shadowed in its package by a function of its name.
    monkeypatch.delattr(sys.modules[module], name)
    with pytest.raises(ControlError, match=f"{module}.{name} is gone"):
        search.canary()


def test_the_canary_notices_a_mapper_that_runs_its_jobs_otherwise(search, monkeypatch):
    wrapper = sys.modules["accelforge.util.parallel"]
    monkeypatch.setattr(wrapper, "Parallel", type("Parallel", (), {}))
    with pytest.raises(ControlError, match="no longer runs its jobs by joblib"):
        search.canary()


def _job(einsum, template):
    mapping = type("Mapping", (), {"_template_index": template})()
    return type("Job", (), {"einsum_name": einsum, "mapping": mapping})()


def concat(groups):
    return groups


def test_pmapping_jobs_are_named_by_einsum_and_template():
    jobs = {"jobs_with_similar_compatibilities": [_job("QK", 4)]}
    assert job_label(concat, (), jobs, 17) == "QK template 4"


def test_a_job_inside_the_mappers_own_wrapper_is_named_for_what_it_does():
    def f(i, job):
        return i, job

    assert job_label(f, (3, (concat, (["group"],), {})), {}, 3) == "concat #3"
    assert job_label(f, (0, (concat, ("AV",), {})), {}, 0) == "AV concat #0"


def test_a_parameter_changes_the_digest_and_with_it_the_tokens():
    assert find("matmul-chain").digest != find("matmul-chain", {"M": "32"}).digest


def test_an_empty_mapspace_is_told_apart_from_a_failure(search, monkeypatch):
    def nothing(*_args, **_kwargs):
        msg = "No pmappings for Matmul1. Was the mapspace overconstrained?"
        raise ValueError(msg)

    monkeypatch.setattr("accelforge.mapper.FFM.main.make_pmappings", nothing)
    with pytest.raises(InfeasibleError, match="found no mapping: No pmappings for Matmul1"):
        search.execute(1)


@pytest.mark.nightly
@pytest.mark.parametrize("probe", ["matmul-chain", "attention-small"])
def test_twenty_hash_seeds_give_one_outcome_serially_and_in_order(probe):
    from repro.api import check

    result = check(probe, runs=20, deliveries=[Delivery.SERIAL, Delivery.ORDERED], require="bytes")
    assert result.holds
    assert [found.runs for found in result.deliveries.values()] == [20, 20]


@pytest.mark.nightly
def test_attention_small_is_found_out_cheaply():
    from repro.api import check

    result = check("attention-small", orders=8)
    injected = result.deliveries[Delivery.INJECTED]
    assert not result.holds
    assert injected.holds.on(Rung.OBJECTIVES)
    assert injected.distinct_outcomes >= 4
    assert result.timings.injected_seconds <= 3 * result.timings.search_seconds
    (witness,) = result.witnesses
    assert witness.moved_count == 2


@pytest.mark.nightly
@pytest.mark.timeout(3600)
def test_the_three_level_case_changes_its_objectives_too():
    from repro.api import check

    result = check("sdpa-b", runs=1, orders=8, deliveries=[Delivery.SERIAL, Delivery.INJECTED])
    assert not result.holds
    assert result.objectives_hold is False
