"""`shrink_trace`: the least of a trace that still fails as it failed."""

from __future__ import annotations

import time
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.errors import InputError, RefusedError
from workbench.model.case import Minimal, ShrinkNote
from workbench.model.event import Outcome, SystemMessage, UserMessage
from workbench.model.ledger import TriggerNote
from workbench.shrink.court import Budget, Court, OutOfBudgetError
from workbench.shrink.flaky import Flaky, Rechecks, signed_by_trials
from workbench.shrink.journal import Journal, journal_header
from workbench.shrink.nodes import count_nodes
from workbench.shrink.places import locks_of
from workbench.shrink.projection import is_projection
from workbench.shrink.search import Search, Step, Texts
from workbench.shrink.space import Space
from workbench.shrink.trials import Judged, Once, Oracle, Policy, Target, undecided

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace
    from workbench.model.verdict import Signature, Verdict
    from workbench.shrink.rate import Rate

__all__ = ["Shrunk", "shrink_note", "shrink_trace"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shrunk:
    """What shrinking came to."""

    trace: Trace
    """Fails with the target signature, and is a projection of the original."""
    verdict: Verdict
    minimal: Minimal
    why_stopped: str | None = None
    """Given when `minimal.behaviour` is false."""
    calls: int
    """Judged candidates, the original included."""
    trials: int
    """Runs of the oracle."""
    removed: tuple[int, ...] = ()
    """`seq` in the original of the events that were dropped."""
    also_seen: tuple[Signature, ...] = ()
    """Other failures that candidates had, in the order in which they were met."""
    unresolved: int = 0
    """Candidates whose judging failed; they were rejected."""
    rate_before: Rate | None = None
    """How often the original failed so; None: it was asked once, with a policy like `Once`."""
    rate_after: Rate | None = None
    """How often the result does, by fresh trials at the end; None: there was no end."""


def shrink_trace(  # noqa: PLR0913  the signature is the page's, and a clock
    trace: Trace,
    oracle: Oracle,
    *,
    target: Signature | None = None,
    lock: Sequence[str | TriggerNote] = (),
    policy: Policy | None = None,
    executor: Executor | None = None,
    width: int = 4,
    budget: Budget = Budget(),  # noqa: B008  a frozen value
    journal: str | os.PathLike[str] | None = None,
    on_step: Callable[[Step], None] | None = None,
    texts: Texts = Texts.WHOLE,
    clock: Callable[[], float] = time.monotonic,
) -> Shrunk:
    """Return the least of `trace` that still fails with the same full signature.

    What the agent did is reduced until no call or claim can be left out alone. What it saw is
    kept by value flow: the instructions, the messages it answered, and the results that its
    values came from. Nothing is changed or added. An interrupt (Ctrl-C) ends the search early
    like a budget does.

    Args:
        trace: redacted, with its events numbered from 0.
        oracle: judges a trace; with an executor of processes it must be picklable.
        target: signature to keep; None: that of `oracle(trace)`.
        lock: places that stay as they are, e.g. `#17.args.account_id`, and a draft's trigger.
        policy: how often a candidate is asked about; None: `Once()`. `Flaky()` measures how often
            the original fails, and keeps that rate.
        executor: judges candidates ahead; the result is the same without.
        width: candidates that are under way at once when there is an executor, >= 1; more than
            its workers only makes them busy with what a success has made idle.
        budget: when to stop early.
        journal: file that holds what was judged; an interrupted search goes on from it.
        on_step: called after each candidate that was judged.
        texts: whether claims may lose words; what is left of a text stands as it stood.
        clock: seconds that never go back.

    Raises:
        InputError: the trace has no event or no input, does not fail, or fails only because a
            replay had no answer; a lock is no place in it; the journal is another search's.
        RefusedError: the trace fails, but not with `target`; or, by a `Flaky` policy, too seldom.
    """
    _check_trace(trace)
    policy = Once() if policy is None else policy
    space = Space(trace, locks_of(trace, lock))
    court = Court(oracle, policy, budget=budget, clock=clock, executor=executor, width=width)
    options: JsonMap = {"lock": _places(lock), "policy": repr(policy), "texts": texts.value}
    with _opened(trace, oracle, options, journal) as memory:
        if memory is not None:
            court.memory = memory
        flaky = policy if isinstance(policy, Flaky) else None
        verdict, tried = _signed(court, trace, flaky, target)
        wanted = verdict.signature if target is None else target
        _check_target(verdict, wanted)
        court.target = Target(signature=wanted, open_clauses=undecided(verdict))
        if memory is not None:
            memory.start(wanted)
            court.remember(memory, verdict, tried)
        search = Search(space, court, verdict, on_step, texts=texts)
        return _searched(search, court, flaky, tried)


def _signed(
    court: Court, trace: Trace, flaky: Flaky | None, target: Signature | None
) -> tuple[Verdict, tuple[Judged, ...]]:
    """Judge the original as often as it takes; return its verdict and the single trials."""
    if flaky is None:
        return court.sign(trace), ()
    return signed_by_trials(court, trace, flaky, target)


def _searched(search: Search, court: Court, flaky: Flaky | None, tried: Sequence[Judged]) -> Shrunk:
    """Run the search; with a policy for flaky failures, keep their rate."""
    if flaky is None:
        return _shrunk(search, court, _run(search, court, search.run))
    rechecks = Rechecks(court, flaky, search.state)
    after: list[Rate] = []

    def to_the_end() -> None:
        rechecks.calibrate(tried)
        search.on_adopt = rechecks.adopted
        search.run()
        while search.return_to(rechecks.finished()):
            search.run()
        after.append(rechecks.final_rate(search.state))

    why = _run(search, court, to_the_end)
    return replace(
        _shrunk(search, court, why),
        rate_before=rechecks.rate,
        rate_after=after[0] if after else None,
    )


def shrink_note(shrunk: Shrunk, original: Trace) -> ShrinkNote:
    """Return what a draft and a case say about the shrinking of `original`."""
    return ShrinkNote(
        events=(len(original.events), len(shrunk.trace.events)),
        nodes=(count_nodes(original), count_nodes(shrunk.trace)),
        oracle_calls=shrunk.calls,
        minimal=shrunk.minimal,
        why_stopped=shrunk.why_stopped,
        also_seen=shrunk.also_seen,
    )


def _check_trace(trace: Trace) -> None:
    if not any(isinstance(event, SystemMessage | UserMessage) for event in trace.events):
        raise InputError(
            "has no system or user message, so a case of it would have no input",
            place="trace",
            key="events",
            fix="add the task as a user_message event",
        )
    if all(isinstance(event, SystemMessage | UserMessage) for event in trace.events):
        raise InputError(
            "holds messages only; the agent did nothing that could be shrunk",
            place="trace",
            key="events",
        )


def _check_target(verdict: Verdict, wanted: Signature) -> None:
    first = wanted.first
    if first is None:
        raise InputError(
            "breaks no clause of the contract; there is no failure to keep",
            place="trace",
            fix="judge it first: `workbench judge RUN --contract C`",
        )
    if first.outcome in (Outcome.BLOCKED, Outcome.MISSING_FIXTURE):
        raise InputError(
            f"fails at a call that is {first.outcome}: the replay failed, not the agent",
            place="trace",
            fix="record or declare the answer that was missing",
        )
    if verdict.signature != wanted:
        raise RefusedError(
            "the trace fails, but not with the signature that was asked for",
            reasons=(
                f"asked for: {', '.join(sorted(wanted.clauses))}",
                f"found: {', '.join(sorted(verdict.signature.clauses)) or 'none'}",
            ),
            fix="judge the trace and give its signature, or none",
        )


def _opened(
    trace: Trace,
    oracle: Oracle,
    options: JsonMap,
    journal: str | os.PathLike[str] | None,
) -> closing[Journal] | nullcontext[None]:
    if journal is None:
        return nullcontext()
    return closing(Journal(Path(journal), journal_header(trace, oracle, options)))


def _places(lock: Sequence[str | TriggerNote]) -> list[Json]:
    return [place.at if isinstance(place, TriggerNote) else place for place in lock]


def _run(search: Search, court: Court, to_the_end: Callable[[], None]) -> str | None:
    """Run the search; return why it stopped before its end, if it did."""
    try:
        to_the_end()
    except OutOfBudgetError as error:
        return str(error)
    except KeyboardInterrupt:
        return "interrupted"
    finally:
        court.drop_ahead()
    errors = search.errors_last_round
    if not errors:
        return None
    many = "1 candidate" if len(errors) == 1 else f"{len(errors)} candidates"
    return f"{many} could not be judged ({', '.join(sorted(set(errors)))})"


def _shrunk(search: Search, court: Court, why: str | None) -> Shrunk:
    result, trace = search.current, search.original
    assert is_projection(result.trace, trace)  # noqa: S101  the first guarantee
    kept = frozenset(result.kept)
    return Shrunk(
        trace=result.trace,
        verdict=search.verdict,
        minimal=Minimal(behaviour=why is None),
        why_stopped=why,
        calls=court.calls,
        trials=court.trials,
        removed=tuple(n for n in range(len(trace.events)) if n not in kept),
        also_seen=tuple(court.also_seen),
        unresolved=court.unresolved,
    )
