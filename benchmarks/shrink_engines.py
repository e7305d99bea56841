"""The engines that are compared: ours with two oracles, and picire over the same units.

picire gets every help that our space of candidates gives: calls go with their results, and each
candidate is closed under value flow before it is judged. What it does not get is the explanation.

Source:
    picire 21.8, https://github.com/renatahodovan/picire: `DD`, the algorithm of A. Zeller and R.
    Hildebrandt (2002), IEEE Trans. Softw. Eng. 28(2), 183-200.
"""

from __future__ import annotations

import statistics
import time
import warnings
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from workbench.casefile.contract import load_contract
from workbench.check.oracle import Oracle, recorded_oracle
from workbench.model.verdict import Verdict
from workbench.shrink import Budget, count_nodes, is_projection, shrink_trace
from workbench.shrink.space import Selection, Space

if TYPE_CHECKING:
    from collections.abc import Sequence

    from benchmarks.shrink_faults import Fault
    from workbench.model.trace import Trace
    from workbench.shrink import Step

__all__ = ["ENGINES", "Row", "run", "two_workers"]

ENGINES = ("explained", "hidden", "picire")
PEER_CALLS = 3_000
PEER_SECONDS = 20.0


def hidden(trace: Trace, *, oracle: Oracle) -> Verdict:
    """Judge, and keep to itself what the verdict rests on."""
    verdict = oracle(trace)
    return Verdict(result=verdict.result, clauses=(), violations=(), signature=verdict.signature)


def slow(trace: Trace, *, oracle: Oracle, seconds: float) -> Verdict:
    """Judge as a replay with a real agent would: after a while."""
    time.sleep(seconds)
    return oracle(trace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one engine did with one trace."""

    engine: str
    fault: str
    size: int
    calls: int
    seconds: float
    events: int
    nodes: int
    least: int
    """Units that are left and could be dropped: the lower limit of calls is two more."""
    judge_seconds: float
    """One judging of the whole trace."""
    complete: bool
    """Whether it came to its end; picire is cut off after many calls or long."""
    course: tuple[tuple[int, int], ...]
    """Calls so far, and events of the smallest trace that failed the same way."""


def run(engine: str, fault: Fault, size: int, trace: Trace) -> Row:
    """Shrink one trace with one engine."""
    oracle = recorded_oracle(load_contract(fault.contract))
    judge_seconds = statistics.median(_seconds(oracle, trace) for _ in range(3))
    started = time.perf_counter()
    course: list[tuple[int, int]] = [(1, len(trace.events))]
    if engine == "picire":
        calls, small, complete = _picire(oracle, trace, course)
    else:
        asked = oracle if engine == "explained" else partial(hidden, oracle=oracle)
        calls, small, complete = _ours(asked, trace, course)
    return Row(
        engine=engine,
        fault=fault.name,
        size=size,
        calls=calls,
        seconds=time.perf_counter() - started,
        events=len(small.events),
        nodes=count_nodes(small),
        least=len(Space(small, ()).layout.units),
        judge_seconds=judge_seconds,
        complete=complete,
        course=tuple(course),
    )


def _seconds(oracle: Oracle, trace: Trace) -> float:
    started = time.perf_counter()
    oracle(trace)
    return time.perf_counter() - started


def _ours(oracle: Oracle, trace: Trace, course: list[tuple[int, int]]) -> tuple[int, Trace, bool]:
    """Shrink as the product does."""

    def note(step: Step) -> None:
        course.append((step.calls, step.events))

    shrunk = shrink_trace(trace, oracle, budget=Budget(calls=None, seconds=600), on_step=note)
    if not is_projection(shrunk.trace, trace):
        raise RuntimeError("the result is no projection")
    return shrunk.calls, shrunk.trace, shrunk.minimal.behaviour


class _CutOffError(Exception):
    """The peer used up its calls or its time."""


def _picire(oracle: Oracle, trace: Trace, course: list[tuple[int, int]]) -> tuple[int, Trace, bool]:
    """Shrink by picire's DD."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it imports pkg_resources
        import picire  # noqa: PLC0415  only here
    space = Space(trace, ())
    target = oracle(trace).signature
    calls, best = 1, trace
    started = time.perf_counter()

    def test(units: Sequence[int], _: object) -> object:
        nonlocal calls, best
        if calls >= PEER_CALLS or time.perf_counter() - started > PEER_SECONDS:
            raise _CutOffError
        calls += 1
        candidate = space.candidate(Selection(units=space.closed(units))).trace
        if oracle(candidate).signature != target:
            return picire.Outcome.PASS
        best = min(best, candidate, key=lambda trace: len(trace.events))
        course.append((calls, len(best.events)))
        return picire.Outcome.FAIL

    units = list(range(len(space.layout.units)))
    try:
        left = picire.DD(test)(units)
    except _CutOffError:
        return calls, best, False
    return calls, space.candidate(Selection(units=space.closed(left))).trace, True


def two_workers(fault: Fault, trace: Trace) -> tuple[float, float]:
    """Return seconds for an oracle of 50 ms that hides its reads, alone and on two workers."""
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  only here

    oracle = partial(
        slow,
        oracle=partial(hidden, oracle=recorded_oracle(load_contract(fault.contract))),
        seconds=0.05,
    )
    started = time.perf_counter()
    alone = shrink_trace(trace, oracle)
    middle = time.perf_counter()
    with ThreadPoolExecutor(2) as executor:
        together = shrink_trace(trace, oracle, executor=executor, width=2)
    ended = time.perf_counter()
    if alone != together:
        raise RuntimeError("two workers changed the result")
    return middle - started, ended - middle
