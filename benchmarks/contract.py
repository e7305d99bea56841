"""How many events a second a contract judges, on one core, beside a plain Python function.

And beside agentevals, on what it can express: that a run made the calls of a reference, in any
order. It is measured where it can be imported, and is in no dependency group, because it brings
langchain, langgraph, langsmith and openai along (some 50 packages, 160 MB). To measure it:

    pip install agentevals && python -m benchmarks.contract
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import sys
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

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
_SAME_CALLS: JsonMap = {
    "only_call": ["customer.lookup", "billing.pause", "billing.get_operation"],
    "min_calls": {"customer.lookup": 1, "billing.pause": 1, "billing.get_operation": _CALLS - 2},
    "max_calls": {"customer.lookup": 1, "billing.pause": 1, "billing.get_operation": _CALLS - 2},
}
"""What `trajectory_match_mode="unordered"` says of a run, without the arguments."""
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


def beside_agentevals() -> Figure | None:
    """Compare with agentevals' match of trajectories; None: it is not installed."""
    if importlib.util.find_spec("agentevals") is None:
        return None
    os.environ["LANGSMITH_TRACING"] = "false"  # nothing leaves the machine
    match: Any = importlib.import_module("agentevals.trajectory.match")
    matches = match.create_trajectory_match_evaluator(
        trajectory_match_mode="unordered", tool_args_match_mode="ignore"
    )
    contract = load_contract(_SAME_CALLS)
    traces = [_without_last_call(_trace(n)) if n % 4 == 1 else _trace(n) for n in range(_TRACES)]
    reference = _messages(_trace(0))
    runs = [_messages(trace) for trace in traces]
    for trace, run in zip(traces, runs, strict=True):
        score = matches(outputs=run, reference_outputs=reference)["score"]
        if (judge(trace, contract).result is Result.PASS) is not score:
            raise SystemExit("the judge and agentevals do not agree")
    return Figure(
        what=f"judge which calls {_TRACES} runs made, of {_CALLS} calls each",
        ours_s=_cpu_s(lambda: [judge(trace, contract) for trace in traces]),
        peer="agentevals' unordered match",
        peer_s=_cpu_s(lambda: [matches(outputs=r, reference_outputs=reference) for r in runs]),
        bound=1,
    )


def report() -> bool:
    """Print events per CPU second, the ratios, and two hostile inputs; False: one is too slow."""
    figure = measure()
    events = sum(len(_trace(seed).events) for seed in range(_TRACES))
    rate = events / figure.ours_s
    print(figure.line())
    print(f"judged: {rate:,.0f} events per CPU second, at least {LEAST_EVENTS_PER_S:,}")
    peer = beside_agentevals()
    print("agentevals: not installed, so not measured" if peer is None else peer.line())
    hostile = _cpu_s(lambda: found_in("(a|a)*(a|aa)+$", "a" * 100_000 + "b"))
    print(f"hostile pattern on 100,000 characters: {hostile:.3f} s")
    large = _large_answer()
    answer = load_contract({"answer": {"contains": "zzz", "not_matches": "(x+x+)+y"}})
    long = _cpu_s(lambda: judge(large, answer))
    print(f"answer of 10 MB: {long:.3f} s")
    quick = all(one.ratio <= one.bound for one in (figure, peer) if one is not None)
    return quick and rate >= LEAST_EVENTS_PER_S and hostile + long < 5


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


def _without_last_call(trace: Trace) -> Trace:
    return replace(trace, events=renumbered([*trace.events[:-7], *trace.events[-3:]]))


def _messages(trace: Trace) -> list[JsonMap]:
    """Return a run as the chat messages that agentevals reads, made beforehand."""
    messages: list[JsonMap] = []
    for event in trace.events:
        match event:
            case UserMessage():
                messages.append({"role": "user", "content": event.text})
            case ToolCall():
                function: JsonMap = {"name": event.tool, "arguments": json.dumps(event.args)}
                call: JsonMap = {"id": event.call_id, "type": "function", "function": function}
                messages.append({"role": "assistant", "content": "", "tool_calls": [call]})
            case ToolResult():
                content = json.dumps(event.result)
                messages.append({"role": "tool", "tool_call_id": event.call_id, "content": content})
            case Claim():
                messages.append({"role": "assistant", "content": event.text})
            case _:
                pass  # agentevals reads the calls only
    return messages


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
    events: list[Event] = [
        UserMessage(text="?"),
        ModelReply(text=text),
        Claim(text=text, final=True),
    ]
    return Trace(run_id="large", events=renumbered(events))


if __name__ == "__main__":
    sys.exit(not report())
