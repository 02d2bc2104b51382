from __future__ import annotations

import itertools

import pytest
from running import names

from repro.model.delivery import Delivery, Injection, Reversed, Seeded, Swaps
from repro.model.run import Ending, Mode

pytestmark = pytest.mark.search


def tried(staged, *injections):
    calls = {call.index: call for call in staged.base.trace.calls}
    orders = [(calls[injection.call], injection) for injection in injections]
    trials = list(staged.run(orders, limit=30.0))
    return {trial.injection: trial.result for trial in trials}


def test_the_base_run_delivers_in_submission_order(stage, run):
    base = stage("all_in_arrival_order").base
    assert base.outcome.digests == run("all_in_arrival_order", workers=1).outcome.digests


def test_an_identity_replay_gives_the_base_outcome(stage):
    staged = stage("all_in_arrival_order")
    same = Injection(0, Swaps())
    assert tried(staged, same)[same].outcome.digests == staged.base.outcome.digests


@pytest.mark.parametrize("order", [Reversed(), Seeded(3, 5), Swaps(((0, 4),))])
def test_a_trial_delivers_exactly_the_order_asked_for(stage, order):
    staged = stage("all_in_arrival_order")
    injection = Injection(0, order)
    found = names(tried(staged, injection)[injection].outcome)
    assert found == [f'"job {job}"' for job in order.permutation(6)]


@pytest.mark.parametrize("search", ["all_in_arrival_order", "two_sites", "managed", "nested"])
def test_forks_and_fresh_processes_give_the_same_answers(stage, run, search):
    staged = stage(search)
    for call in sorted(staged.ready):
        injection = Injection(call, Reversed())
        forked = tried(staged, injection)[injection]
        fresh = run(search, Mode.SERVED, Delivery.INJECTED, injection=injection)
        assert forked.outcome.digests == fresh.outcome.digests


def test_many_orders_run_from_one_run_of_the_jobs(stage):
    staged = stage("all_in_arrival_order")
    wanted = [Injection(0, Seeded(0, index)) for index in range(40)]
    found = tried(staged, *wanted)
    for injection in wanted:
        expected = [f'"job {job}"' for job in injection.order.permutation(6)]
        assert names(found[injection].outcome) == expected


def test_every_unordered_call_can_be_tried_alone(stage):
    staged = stage("two_sites")
    assert sorted(staged.ready) == [0, 1]
    first, second = Injection(0, Reversed()), Injection(1, Reversed())
    found = tried(staged, first, second)
    assert names(found[first].outcome) == names(staged.base.outcome)
    assert names(found[second].outcome) == ['"job 5"']


def test_a_whole_run_order_permutes_later_calls_too(stage):
    staged = stage("two_sites")
    shown = set()
    for index in range(12):
        injection = Injection(0, Seeded(0, index), rest=True)
        shown.update(names(tried(staged, injection)[injection].outcome))
    assert len(shown) > 2


def test_ordered_calls_are_no_decision_points(stage):
    staged = stage("as_list")
    assert staged.ready == frozenset()
    assert staged.base.outcome is not None


def test_a_nested_call_is_a_decision_point_of_its_own(stage):
    staged = stage("nested")
    assert len(staged.ready) == 2
    injection = Injection(min(staged.ready), Reversed())
    assert names(tried(staged, injection)[injection].outcome) == ['"job 2"', '"job 0"']


def test_an_order_that_makes_the_search_raise_is_its_own_failure(stage):
    staged = stage("raises_if_reordered")
    injection = Injection(0, Reversed())
    result = tried(staged, injection)[injection]
    assert result.ending is Ending.FAILED
    assert result.failure.kind == "LookupError"


def test_an_order_that_hangs_is_ended_at_its_limit_and_others_go_on(stage):
    staged = stage("hangs_if_reordered")
    (call,) = staged.base.trace.calls
    orders = [(call, Injection(0, Reversed())), (call, Injection(0, Swaps()))]
    endings = {
        trial.injection.order: trial.result.ending for trial in staged.run(orders, limit=1.0)
    }
    assert endings == {Reversed(): Ending.TIMED_OUT, Swaps(): Ending.OUTCOME}


def test_an_order_that_kills_its_process_is_a_crash_and_others_go_on(stage):
    staged = stage("dies_if_reordered")
    found = tried(staged, Injection(0, Reversed()), Injection(0, Swaps()))
    assert found[Injection(0, Reversed())].ending is Ending.CRASHED
    assert found[Injection(0, Reversed())].failure.kind == "SIGKILL"
    assert found[Injection(0, Swaps())].ending is Ending.OUTCOME


def test_jobs_that_are_pure_compare_equal_in_both_execution_orders(stage):
    purity = stage("all_in_arrival_order").base.purity
    assert (purity.calls, purity.jobs) == (1, 6)
    assert purity.differing == purity.opaque == purity.untested == ()


def test_jobs_that_share_state_are_caught_by_the_second_execution_order(stage):
    purity = stage("impure").base.purity
    assert [job for _, job in purity.differing] == [0, 1, 2, 3]


def test_a_jobs_result_that_cannot_be_seen_through_is_named(stage):
    purity = stage("opaque").base.purity
    assert [(call, job) for call, job, _ in purity.opaque] == [(0, 0), (0, 1)]
    assert purity.jobs == 0


def test_a_search_with_a_thread_of_its_own_is_not_forked(stage):
    staged = stage("beside_a_thread")
    assert staged.ready == frozenset()
    assert "threads" in staged.base.unforkable
    assert staged.base.purity.untested == (0,)


def test_stopping_to_listen_lets_waiting_orders_go(stage):
    staged = stage("all_in_arrival_order")
    (call,) = staged.base.trace.calls
    orders = [(call, Injection(0, Seeded(0, index))) for index in range(200)]
    early = list(itertools.islice(staged.run(orders, limit=30.0), 2))
    assert len(early) == 2
    same = Injection(0, Swaps())
    assert tried(staged, same)[same].outcome.digests == staged.base.outcome.digests


def test_only_a_few_calls_of_one_site_stay_parked(stage):
    staged = stage("many_calls")
    sizes = {call.index: call.jobs for call in staged.base.trace.calls}
    assert len(staged.ready) == 3
    assert max(sizes, key=sizes.get) in staged.ready
