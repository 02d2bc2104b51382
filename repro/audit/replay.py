"""Repeating one injected order from its token.

Owns finding the token's call in a run of today and refusing a token that doesn't fit. The
order runs in a fresh process: what a fork showed must show there too.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from repro.audit.check import Checker, require_reference
from repro.audit.evidence import Evidence, differs
from repro.audit.orders import Exploration
from repro.audit.runs import Planner, Run, Runs
from repro.audit.witness import Found, describe
from repro.errors import RunError, TokenError
from repro.model.delivery import Delivery, Injection, Swaps
from repro.model.run import Mode, RunResult, Trial
from repro.model.token import Token

if TYPE_CHECKING:
    from collections.abc import Callable

    from repro.model.result import CheckResult
    from repro.model.trace import Call, Trace

REPLAY_PHASE = "replayed order"
REFERENCE_PHASE = "serial and submission order"


def replay(checker: Checker, text: str, clock: Callable[[], float] = time.monotonic) -> CheckResult:
    """Run serial, submission order and the token's order once each, and judge the order.

    Args:
        checker: The search, options and engine.
        text: The token.
        clock: Seconds from any fixed point.

    Raises:
        TokenError: The token is damaged, or was made for another probe, code or site.
        RunError: Submission order gave no outcome, so there is nothing to compare with.
    """
    token = Token.decode(text)
    source, engine, progress = checker.source, checker.engine, checker.progress
    token.require(probe=source.digest, code=source.code_digest())
    started = clock()
    planner = Planner(source, checker.options)
    runs = Runs()
    progress.plan([REFERENCE_PHASE, REPLAY_PHASE])
    requests = [
        planner.serial(1)[0],
        planner.request(Delivery.ORDERED, mode=Mode.SERVED, workers=planner.workers),
    ]
    progress.begin(REFERENCE_PHASE, len(requests))
    results: dict[int, RunResult] = {}
    for position, result in engine.run_all(requests, together=engine.cores):
        results[position] = result
        progress.advance(REFERENCE_PHASE, requests[position].label)
    progress.end(REFERENCE_PHASE)
    runs.by_delivery[Delivery.SERIAL] = [Run(requests[0], results[0])]
    require_reference(runs, source.name, checker.arguments)
    base = results[1]
    if base.outcome is None:
        raise RunError("the run in submission order gave no outcome", where=f"probe {source.name}")
    call = _call_of(token, base.trace)
    injection = Injection(call.index, token.order, rest=token.rest)
    progress.begin(REPLAY_PHASE, 1)
    request = planner.request(
        Delivery.INJECTED,
        mode=Mode.SERVED,
        workers=planner.workers,
        injection=injection,
        limit=planner.limit(runs.good(Delivery.SERIAL)),
    )
    (_, result), *_ = engine.run_all([request], together=1)
    progress.advance(REPLAY_PHASE, str(call.site))
    progress.end(REPLAY_PHASE)
    trial = Trial(injection, call, result)
    exploration = Exploration(base, calls=(call,), screened=[trial], replayed=True)
    evidence = Evidence(
        checker.options, planner.workers, runs, exploration, identity=planner.identity
    )
    if differs(result, base.outcome, checker.options.explored):
        order = Swaps.from_permutation(token.order.permutation(call.jobs))
        found = Found(call, order, result, tests=0)
        evidence.witnesses = (describe(found, base.outcome, planner.identity),)
    return checker.result(evidence, clock() - started)


def _call_of(token: Token, trace: Trace) -> Call:
    """Find the token's call in a run of today."""
    same = [call for call in trace.calls if call.site == token.site]
    if len(same) <= token.occurrence:
        raise TokenError(
            f"the replay token is for call {token.occurrence + 1} from {token.site}, "
            f"{token.site.function}; this search makes {len(same)} there",
            do="name the probe that it was made with, or run `repro check` again",
        )
    call = same[token.occurrence]
    if call.jobs != token.jobs:
        raise TokenError(
            f"the replay token orders {token.jobs} jobs at {token.site}; this search has "
            f"{call.jobs} there",
            do="set the parameters that it was made with, or run `repro check` again",
        )
    if not call.permutable:
        raise TokenError(f"the call at {token.site} doesn't take its results unordered")
    return call
