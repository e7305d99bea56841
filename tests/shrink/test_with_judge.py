"""With the real judge and the real replay: what comes out can be exported and stays red."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import assume, given, settings, strategies as st

from benchmarks.shrink_faults import FAULTS, a_faulty_trace
from tests.builders import a_call, a_claim, a_trace, a_user
from tests.shrink.rules import bare, tools_called
from tests.shrink.test_laws import law, traces
from workbench.casefile.build import build_case
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.check.oracle import recorded_oracle
from workbench.model.case import CaseSource, Header, SourceKind
from workbench.model.event import Outcome
from workbench.replay.oracle import replay_oracle
from workbench.replay.scripted import replay_path
from workbench.shrink import Step, is_projection, shrink_trace

if TYPE_CHECKING:
    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace
    from workbench.model.verdict import Signature

DOCUMENTS: tuple[JsonMap, ...] = (
    {"forbid_call": ["pay"]},
    {"forbid_call": [{"tool": "pay", "where": ["to == ACC-100001"]}]},
    {"limits": {"tool_calls": 2}},
    {"limits": {"model_calls": 2}},
    {"must_call": ["never.called"]},
    {"must_call": ["read"], "forbid_call": ["pay"], "max_calls": {"poll": 1}},
    {"order": [{"after": ["pay", "read"]}]},
    {"order": [{"before": ["find", "pay"]}], "max_calls": {"find": 1}},
    {
        "success_requires": {"tool": "poll", "pred": "status == paid"},
        "claims": {"success": ["done"]},
    },
    {"limits": {"input_tokens": 6}},
    {"finishes": True},
)
CONTRACTS = [load_contract(document) for document in DOCUMENTS]
contracts = st.sampled_from(CONTRACTS)


def a_header(signature: Signature) -> Header:
    """Return a header that says only what it must."""
    return Header(
        id="a-case",
        title="A case",
        owner="team",
        review_date="2027-02-28",
        source=CaseSource(kind=SourceKind.INCIDENT, run_id="run-1"),
        signature=signature,
    )


@given(traces, contracts)
@law
def test_a_case_of_the_result_replays_with_the_same_signature(trace: Trace, contract: Contract):
    """Shrinking must not leave what a case cannot carry."""
    verdict = judge(trace, contract)
    assume(verdict.signature)

    shrunk = shrink_trace(trace, recorded_oracle(contract))

    case = build_case(shrunk.trace, contract, header=a_header(verdict.signature))
    assert judge(replay_path(case, case.recorded), contract).signature == verdict.signature
    assert shrunk.minimal.behaviour
    assert is_projection(shrunk.trace, trace)
    assert shrink_trace(shrunk.trace, recorded_oracle(contract)).trace == shrunk.trace


@given(traces, contracts)
@settings(law, max_examples=20)
def test_the_replay_may_be_the_oracle(trace: Trace, contract: Contract):
    """It has the last word before export; its positions are those of the replay."""
    oracle = replay_oracle(contract, a_header(judge(trace, contract).signature))
    assume(judge(trace, contract).signature)

    shrunk = shrink_trace(trace, oracle)

    assert shrunk.minimal.behaviour
    assert judge(shrunk.trace, contract).signature == judge(trace, contract).signature


@pytest.mark.parametrize("size", [20, 200, 2_000])
def test_the_calls_stay_near_their_lower_limit(size):
    """Units that stay, k of them, need k + 2 calls; the target is a median of k + 3, and never 60."""
    over = []
    for fault in FAULTS:
        trace = a_faulty_trace(fault, size, 0)
        shrunk = shrink_trace(trace, recorded_oracle(load_contract(fault.contract)))
        left = sum(e.kind in {"tool_call", "claim"} for e in shrunk.trace.events)
        over.append(shrunk.calls - left)
        assert shrunk.calls <= 60
        assert shrunk.minimal.behaviour

    assert sorted(over)[len(over) // 2] <= 3


def test_a_call_that_the_contract_cannot_do_without_stays_and_the_result_is_minimal():
    """The short form of evidence names a tool only while some call of it is there."""
    contract = load_contract(
        {"success_requires": "poll.status == paid", "claims": {"success": ["done"]}}
    )
    trace = a_trace(a_user(), a_call("look"), a_call("poll"), a_call("look"), a_claim("all done"))

    shrunk = shrink_trace(trace, bare(recorded_oracle(contract)))

    assert tools_called(shrunk.trace) == ["poll", "look"]
    assert shrunk.unresolved > 0
    assert shrunk.minimal.behaviour


def test_an_earlier_offender_that_was_left_out_is_not_taken_back():
    """Every call without an answer offends alone, so the search could go round for ever."""
    asked: JsonMap = {"email": "alice@example.com", "user": "user_a"}
    trace = a_trace(
        a_user("Send an email to user_a at alice@example.com"),
        a_call("send_email", outcome=Outcome.MISSING, args=asked),
        a_claim("Email sent to alice@example.com for user_a."),
        a_user("Cancel the orders of user_a"),
        a_call("cancel_order", outcome=Outcome.MISSING, args={"user": "user_a"}),
        a_claim("Order 4 of user_a is cancelled."),
        a_user("What did user_b order?"),
        a_call("get_orders", outcome=Outcome.MISSING, args={"user": "user_b"}),
        a_claim("User user_b has placed one order."),
    )
    steps: list[Step] = []

    def at_most_fifty(step: Step) -> None:
        steps.append(step)
        assert len(steps) < 50

    shrunk = shrink_trace(
        trace, recorded_oracle(load_contract({"finishes": True})), on_step=at_most_fifty
    )

    assert tools_called(shrunk.trace) == ["send_email"]
    assert shrunk.minimal.behaviour
