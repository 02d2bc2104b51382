"""One ranking from beginning to end: run the search, judge its ranks, write the result.

Owns the sequence and the verdict. One drawn rank is enough for *drawn*; *settled* needs
everything known. Leaves what a rank's standing means to `repro.audit.ranking`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from repro.audit.bound import bound
from repro.audit.evidence import environment_of
from repro.audit.orders import JOBS_PHASE, SAMPLE_PHASE, SCREENING_PHASE
from repro.audit.places import Seen, resolve
from repro.audit.presented import all_ties, judge_draft, ranked_draft
from repro.audit.ranking import judge, judge_groups, judge_ties
from repro.audit.reasons import find_reasons
from repro.audit.runs import SERIAL_PHASE
from repro.audit.survey import outcomes_of, survey
from repro.errors import UsageError
from repro.model.ranked import RankedList
from repro.model.ranking import OutcomesSeen, RankingResult, RankingVerdict
from repro.model.setting import ProbeRef

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from repro.audit.evidence import Evidence
    from repro.audit.options import CheckOptions
    from repro.audit.runs import EnginePort
    from repro.model.findings import Bound
    from repro.model.outcome import Outcome
    from repro.model.presented import PresentedList
    from repro.model.progress import Progress
    from repro.model.ranked import Draft
    from repro.model.ranking import Rank
    from repro.model.result import Reason
    from repro.model.search import SearchSource

TOP = 10
_RAISED = "orderFailed"


@dataclass(frozen=True, slots=True)
class Ranking:
    """A judged ranking, with the outcomes that it rests on."""

    result: RankingResult
    seen: Seen

    def publishable(self) -> RankedList:
        """Return the ranking that may be published: the judged ranks with all their ties."""
        result = self.result
        return RankedList(
            by=result.by,
            probe=result.probe,
            outcomes=result.outcomes,
            bound=result.bound,
            fresh=result.ties.fresh,
            rows=tuple(all_ties(self.seen, result.ranks)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranker:
    """Ranks the LoopTrees of one search.

    Attributes:
        source: The search.
        options: How many runs and orders.
        engine: What runs it.
        progress: What is told how far it is.
        by: The objective, by its full name or by what people call it.
        top: How many ranks to judge; `None` is 10, or all that `draft` has.
        draft: A list that somebody is about to publish, to be judged.
        arguments: How the search was named on the command line, for hints.
        clock: Seconds from any fixed point.
    """

    source: SearchSource
    options: CheckOptions
    engine: EnginePort
    progress: Progress
    by: str = "latency"
    top: int | None = None
    draft: Draft | None = None
    arguments: str | None = None
    clock: Callable[[], float] = time.monotonic

    def rank(self) -> Ranking:
        """Run the search under every order that is asked for and judge its ranks.

        Raises:
            ReproError: The search can't be run at all, has no such objective, or the list to
                be judged doesn't fit it.
        """
        started = self.clock()
        self.progress.plan([SERIAL_PHASE, JOBS_PHASE, SCREENING_PHASE, SAMPLE_PHASE])
        evidence = survey(
            self.source,
            self.options,
            self.engine,
            self.progress,
            arguments=self.arguments,
            accept=self._accept,
            clock=self.clock,
        )
        outcomes = outcomes_of(evidence)
        reference = outcomes.serial[0]
        by, draft = self._accept(reference)
        seen = Seen(outcomes.all, by, len(outcomes.sampled))
        top = self._depth(draft)
        ranks = judge(seen, top)
        presented = None if draft is None else judge_draft(draft, seen, ranks)
        reasons, notes = _reasons(evidence)
        result = RankingResult(
            verdict=_verdict(ranks, presented, reasons),
            reasons=(*reasons, *notes),
            probe=self._probe(evidence),
            by=by,
            asked=top,
            rows=seen.rows,
            outcomes=OutcomesSeen(
                serial=len(outcomes.serial),
                injected=len(outcomes.injected) + len(outcomes.sampled),
                sampled=len(outcomes.sampled),
            ),
            ranks=ranks,
            groups=judge_groups(seen, top),
            ties=judge_ties(seen, top),
            bound=_bound(ranks, len(outcomes.sampled)),
            presented=presented,
            environment=environment_of(evidence),
            total_seconds=round(self.clock() - started, 3),
        )
        return Ranking(result, seen)

    def _accept(self, reference: Outcome) -> tuple[str, Draft | None]:
        """Return the objective's full name, and the list with its ranks."""
        by = resolve(reference, self.by)
        if self.draft is None:
            return by, None
        draft = ranked_draft(self.draft, by, self.top)
        if not draft.rows:
            raise UsageError(
                f"the list has no row among the first {self.top} ranks",
                where=draft.name,
                do="ask for more with --top, or leave it out to judge all of them",
            )
        return by, draft

    def _depth(self, draft: Draft | None) -> int:
        if self.top is not None or draft is None:
            return self.top or TOP
        return max(row.rank or 0 for row in draft.rows)

    def _probe(self, evidence: Evidence) -> ProbeRef:
        source = self.source
        return ProbeRef(
            name=source.name,
            digest=source.digest,
            entry=source.entry,
            workers=evidence.workers,
            title=source.title,
            arguments=self.arguments,
        )


def _reasons(evidence: Evidence) -> tuple[list[Reason], list[Reason]]:
    """Return what keeps a ranking from being settled, and notes that don't.

    An order under which the search raises shows no ranking at all, so nothing is settled.
    """
    against, notes = find_reasons(evidence)
    raised = [reason for reason in notes if reason.code == _RAISED]
    return against + raised, [reason for reason in notes if reason.code != _RAISED]


def _verdict(
    ranks: Sequence[Rank], presented: PresentedList | None, against: Sequence[Reason]
) -> RankingVerdict:
    """Decide: about the list where there is one, else about the ranks."""
    holds = all(rank.settled for rank in ranks) if presented is None else presented.holds
    if not holds:
        return RankingVerdict.DRAWN
    return RankingVerdict.INCONCLUSIVE if against else RankingVerdict.SETTLED


def _bound(ranks: Sequence[Rank], sampled: int) -> Bound | None:
    """Bound the rate at which orders change a settled rank: none of those sampled did."""
    return bound(sampled, 0) if any(rank.settled for rank in ranks) else None
