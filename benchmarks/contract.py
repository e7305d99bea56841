"""How many events a second a contract judges, on one core, beside a plain Python function."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from benchmarks.figure import Figure
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.check.predicates import found_in
from workbench.model.event import (
    Claim,
    ClaimOutcome,
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    SystemMessage,
    ToolCall,
    ToolResult,
    UserMessage,
)
from workbench.model.trace import Effect, Tool, Trace, renumbered
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.jsonvalue import JsonMap

__all__ = ["LEAST_EVENTS_PER_S", "measure", "report"]

LEAST_EVENTS_PER_S = 300_000
_CALLS = 250
_TRACES = 40
_ROUNDS = 5
_MOST_TIMES_PLAIN = 10
CONTRACT: JsonMap = {
    "must_call": ["customer.lookup"],
    "forbid_call": ["billing.delete"],
    "max_calls": {"billing.pause": 1},
    "order": [{"before": ["customer.lookup", "billing.pause"]}],
    "success_requires": [{"tool": "billing.get_operation", "pred": "status == completed"}],
    "limits": {"tool_calls": 10_000},
}
TOOLS = (
    Tool(name="customer.lookup", effect=Effect.READ),
    Tool(name="billing.pause", effect=Effect.WRITE),
    Tool(name="billing.get_operation", effect=Effect.READ),
)


def measure() -> Figure:
    """Compare the judge with a function that hard-codes the same six clauses."""
    contract = load_contract(CONTRACT)
    traces = [_trace(seed) for seed in range(_TRACES)]
    for trace in traces:
        if (judge(trace, contract).result is Result.PASS) is not _plain(trace):
            raise SystemExit("the judge and the plain function do not agree")
    return Figure(
        what=f"judge {sum(len(trace.events) for trace in traces)} events by 6 clauses",
        ours_s=_cpu_s(lambda: [judge(trace, contract) for trace in traces]),
        peer="a plain Python function of the same clauses",
        peer_s=_cpu_s(lambda: [_plain(trace) for trace in traces]),
        bound=_MOST_TIMES_PLAIN,
    )


def report() -> bool:
    """Print events per CPU second, the ratio, and two hostile inputs; False: one is too slow."""
    figure = measure()
    events = sum(len(_trace(seed).events) for seed in range(_TRACES))
    rate = events / figure.ours_s
    print(figure.line())
    print(f"judged: {rate:,.0f} events per CPU second, at least {LEAST_EVENTS_PER_S:,}")
    hostile = _cpu_s(lambda: found_in("(a|a)*(a|aa)+$", "a" * 100_000 + "b"))
    print(f"hostile pattern on 100,000 characters: {hostile:.3f} s")
    large = _large_answer()
    answer = load_contract({"answer": {"contains": "zzz", "not_matches": "(x+x+)+y"}})
    long = _cpu_s(lambda: judge(large, answer))
    print(f"answer of 10 MB: {long:.3f} s")
    return figure.ratio <= figure.bound and rate >= LEAST_EVENTS_PER_S and hostile + long < 5


def _cpu_s(work: Callable[[], object]) -> float:
    """Return the shortest CPU time of several rounds: other processes do not count."""
    times = []
    for _ in range(_ROUNDS):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def _trace(seed: int) -> Trace:
    """Return a run of a thousand events that keeps the contract; every eighth breaks it."""
    events: list[Event] = [SystemMessage(text="Help."), UserMessage(text="Pause my plan.")]
    tools = ["customer.lookup", "billing.pause", *["billing.get_operation"] * (_CALLS - 2)]
    if seed % 8 == 7:
        tools[:2] = tools[1::-1]
    for n, tool in enumerate(tools, start=1):
        call_id = f"c{n}"
        done = "completed" if n == _CALLS else "pending"
        events += [
            ModelRequest(),
            ModelReply(call_ids=(call_id,)),
            ToolCall(call_id=call_id, tool=tool, args={"id": n % 7}, turn=n),
            ToolResult(call_id=call_id, outcome=Outcome.OK, result={"status": done, "n": n}),
        ]
    text = "Your plan has been paused."
    events += [ModelRequest(), ModelReply(text=text), Claim(text=text, final=True)]
    return Trace(run_id=f"run-{seed}", tools=TOOLS, events=renumbered(events))


def _plain(trace: Trace) -> bool:
    """Say whether a trace keeps the six clauses, as somebody would write it for one case."""
    tools: dict[str, str] = {}
    looked_up = paused = calls = 0
    status: object = None
    good = True
    for event in trace.events:
        if isinstance(event, ToolCall):
            tools[event.call_id] = event.tool
            calls += 1
            paused += event.tool == "billing.pause"
            early = event.tool == "billing.pause" and not looked_up
            good = good and not early and event.tool != "billing.delete"
        elif isinstance(event, ToolResult) and event.outcome is Outcome.OK:
            tool = tools[event.call_id]
            looked_up += tool == "customer.lookup"
            if tool == "billing.get_operation" and isinstance(event.result, dict):
                status = event.result.get("status")
        elif isinstance(event, Claim) and _claims_success(event):
            good = good and status == "completed"
    return good and bool(looked_up) and paused <= 1 and calls <= 10_000


def _claims_success(claim: Claim) -> bool:
    return claim.outcome is ClaimOutcome.SUCCESS or "has been paused" in claim.text


def _large_answer() -> Trace:
    text = "x" * 10_000_000
    events = [UserMessage(text="?"), ModelReply(text=text), Claim(text=text, final=True)]
    return Trace(run_id="large", events=renumbered(events))


if __name__ == "__main__":
    sys.exit(not report())
