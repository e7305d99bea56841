"""Cases with later messages of the user, and agents whose own policy denies a call."""

from __future__ import annotations

import shlex
import sys
from dataclasses import replace

import pytest

from tests.runner.test_trials import a_code_case, an_active_case
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.model.case import CaseState, Expectation, Path, PathBasis, ScriptedCall, Turn
from workbench.model.event import Claim, ClaimOutcome, Requestor, ToolCall, UserMessage
from workbench.model.verdict import Signature
from workbench.replay.script import Script
from workbench.replay.scripted import replay_path
from workbench.replay.trial import Limits
from workbench.runner.outcome import CaseVerdict
from workbench.runner.trials import run_cases

PROGRAM = """
import json, os, sys, urllib.request
def post(base, path, body):
    request = urllib.request.Request(base + path, json.dumps(body).encode())
    return json.load(urllib.request.urlopen(request))
def answer(task):
    base, messages = task["base_url"], list(task["messages"])
    while (reply := post(base, "/model", {"messages": messages}))["tool_calls"]:
        for call in reply["tool_calls"]:
            result = post(base, "/tools/" + call["name"], call["args"])
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return {"run_id": task["run_id"], "text": reply["text"]}
"""
EACH = PROGRAM + "print(json.dumps(answer(json.load(sys.stdin))))\n"
STAYS = (
    PROGRAM
    + "for line in sys.stdin:\n    print(json.dumps(answer(json.loads(line))), flush=True)\n"
)


def looks(call_id):
    """Return a turn that looks the customer up."""
    call = ScriptedCall(id=call_id, name="customer.lookup", args={"email": "a@b.example"})
    return Turn(tool_calls=(call,))


def says(text):
    """Return a turn that promises nothing."""
    return Turn(text=text, outcome=ClaimOutcome.UNRESOLVED)


def a_talk():
    """Return a case whose agent has to look up again for each of three messages."""
    case = an_active_case()
    contract = load_contract({"min_calls": {"customer.lookup": 3}})
    by_user = ScriptedCall(id="u1", name="customer.lookup", args={"email": "a@b.example"})
    talk = (
        *(looks("c1"), says("I could not confirm the first.")),
        Turn(user="And the second?", by=Requestor.USER, tool_calls=(by_user,)),
        *(looks("c2"), says("I could not confirm the second.")),
        Turn(user="And the third?"),
        *(looks("c3"), says("I could not confirm the third.")),
        Turn(user="Thanks."),
    )
    recorded = replace(case.recorded, turns=(talk[1], *talk[2:3], talk[4]))
    good = Path(
        name="talk", expect=Expectation.PASS, basis=PathBasis.DECLARED, by="ann", turns=talk
    )
    case = replace(
        case, id="talk", contract=contract, paths=(recorded, good), signature=Signature()
    )
    signature = judge(replay_path(case, recorded), contract).signature
    return replace(case, signature=signature)


def spec(kind, tmp_path):
    """Return an agent of a kind that does what the model asks."""
    if kind == "python":
        return "python:tests.runner.agents:loop"
    path = tmp_path / "agent.py"
    path.write_text(EACH if kind == "cmd" else STAYS)
    return f"{kind}:{shlex.join([sys.executable, str(path)])}"


@pytest.mark.parametrize("kind", ["python", "cmd", "worker"])
def test_an_agent_is_driven_through_all_user_turns(kind, tmp_path):
    """A callable is called again, a command started again, a worker gets another line."""
    report = run_cases(
        [a_talk()], agent=spec(kind, tmp_path), isolate="audit", limits=Limits(seconds=30)
    )

    (trial,) = report.cases[0].trials
    assert trial.verdict is CaseVerdict.PASS, (trial.violations, trial.doubts)
    events = trial.trace.events
    said = [event.text for event in events if isinstance(event, UserMessage)]
    assert said == ["Pause my plan", "And the second?", "And the third?", "Thanks."]
    claims = [event.text for event in events if isinstance(event, Claim)]
    assert claims == [f"I could not confirm the {nth}." for nth in ("first", "second", "third")]
    assert (trial.replies_left, report.exit_code) == (0, 0)


@pytest.mark.parametrize("kind", ["python", "cmd", "worker"])
def test_what_a_minimal_case_leaves_unsaid_does_not_hang_the_talk(kind, tmp_path):
    """An agent asks again after a call's result, though the case goes on with the person."""
    case = a_talk()
    talk = case.paths[1]
    short = tuple(turn for turn in talk.turns if turn.text is None)
    unsaid = replace(talk, turns=(*short[:-1], says("I could not confirm the third."), short[-1]))
    case = replace(case, paths=(case.recorded, unsaid))

    report = run_cases([case], agent=spec(kind, tmp_path), isolate="audit")

    (trial,) = report.cases[0].trials
    assert trial.verdict is CaseVerdict.PASS, (trial.violations, trial.doubts)
    order = [
        event.kind
        for event in trial.trace.events
        if isinstance(event, UserMessage)
        or (isinstance(event, ToolCall) and event.requestor is Requestor.AGENT)
    ]
    assert order == ["user_message", "tool_call"] * 3 + ["user_message"]
    assert trial.replies_left == 0


def test_only_one_empty_reply_is_given_where_the_person_is_next():
    """An agent that goes on asking is out of the script, and the next reply is not spent on it."""
    talk = a_talk().paths[1].turns
    script = Script(replace(a_talk().paths[1], turns=(talk[0], talk[2], talk[3], talk[4])))

    assert script.next_reply() == talk[0]
    assert script.next_reply() == Turn()
    assert script.left == 2
    said = script.user_turns()
    assert next(said) == (talk[2],)
    assert [script.next_reply(), script.next_reply()] == [talk[3], talk[4]]
    assert script.next_reply() is None
    assert list(said) == []


def test_a_call_that_is_the_last_word_before_the_person_leaves_is_closed():
    """Nobody answered any more; the agent's last request is no fault of its own."""
    talk = a_talk().paths[1].turns
    script = Script(replace(a_talk().paths[1], turns=(talk[0], talk[-1])))

    assert [script.next_reply(), script.next_reply(), script.next_reply()] == [
        *(talk[0], Turn()), None,
    ]  # fmt: skip
    assert script.last_words == (talk[-1],)


def test_an_agent_that_stops_listening_is_red():
    """Its later turns are part of the case."""
    report = run_cases(
        [a_talk()], agent="python:tests.runner.agents:careful_once", isolate="audit",
        limits=Limits(seconds=30),
    )  # fmt: skip

    assert report.exit_code == 1
    assert [found.clause for found in report.cases[0].violations] == ["min_calls/1"]


def test_code_whose_own_policy_denies_the_call_is_green():
    """`fix: code`: the recorded path is stopped by the agent's code, and nothing is unobserved."""
    contract = load_contract({"forbid_call": ["billing.pause"], "fix": "code"})
    case = replace(a_code_case(), contract=contract, signature=Signature(), state=CaseState.ACTIVE)
    case = replace(case, paths=(case.recorded,), id="denied")
    case = replace(case, signature=judge(replay_path(case, case.recorded), contract).signature)

    denied = run_cases([case], agent="python:tests.runner.agents:denies_writes", isolate="audit")
    broken = run_cases([case], agent="python:tests.runner.agents:loop", isolate="audit")
    own = run_cases([case], agent="python:tests.runner.agents:live_tool", isolate="audit")

    (trial,) = denied.cases[0].trials
    assert (trial.path, trial.verdict) == ("recorded", CaseVerdict.PASS), trial
    assert trial.doubts == ()
    assert broken.cases[0].verdict is CaseVerdict.FAIL
    assert own.cases[0].verdict is CaseVerdict.FAIL
    assert "unobserved_tool" in [found.clause for found in own.cases[0].violations]
