"""The two demo agents, against a scripted model and tools of a few lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest

from workbench.demo import broken_agent, mended_agent
from workbench.replay.agent import Answer, Reply, Task, ToolError, ToolRequest

TASK = Task(run_id="r", messages=[{"role": "user", "content": "Pause my plan."}])
CLAIM = "Your plan is paused."


@dataclass
class ScriptedModel:
    """Replies in order, and keeps what it was shown."""

    replies: list[Reply]
    shown: list[list[dict[str, Any]]] = field(default_factory=list)

    def complete(self, messages, tools=None):
        """Give the next reply."""
        self.shown.append(list(messages))
        return self.replies.pop(0)


@dataclass
class RecordedTools:
    """Answers by tool name, and keeps what was called and reported."""

    answers: dict[str, Any]
    calls: list[tuple[str, Any]] = field(default_factory=list)
    reports: list[Any] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)

    def call_with(self, name, args):
        """Answer a call."""
        self.calls.append((name, args))
        answer = self.answers[name]
        if isinstance(answer, ToolError):
            raise answer
        return answer

    def report(self, *, permission=None, state=None):
        """Keep a report."""
        self.reports.append(permission)

    def claim(self, text, *, outcome=None):
        """Keep a text shown to the customer."""
        self.claims.append(text)


def asks(name, **args):
    """Return a reply that asks for one call."""
    return Reply("", (ToolRequest(id=f"c-{name}", name=name, args=args),))


def the_incident(account_id, *, status):
    """Return the model of the incident and the tools it met."""
    model = ScriptedModel(
        [
            asks("billing.pause", account_id=account_id, months=2),
            asks("billing.get_operation", operation_id="op_1"),
            Reply(CLAIM),
        ]
    )
    tools = RecordedTools(
        {
            "billing.pause": ToolError("unknown", "timeout", {"status": 504}),
            "billing.get_operation": {"operation_id": "op_1", "status": status},
        }
    )
    return model, tools


def answer_of(agent, model, tools):
    """Let an agent answer; the stand-ins need not be of the real classes."""
    return agent(TASK, tools, model)


both = pytest.mark.parametrize(
    "agent", [broken_agent.agent, mended_agent.agent], ids=["broken", "mended"]
)


def test_the_broken_agent_hands_the_damaged_id_on_and_repeats_the_claim():
    """This is the incident."""
    model, tools = the_incident("ACC-4471902 ", status="pending")

    answer = answer_of(broken_agent.agent, model, tools)

    assert answer == CLAIM
    assert tools.calls[0] == ("billing.pause", {"account_id": "ACC-4471902 ", "months": 2})


@pytest.mark.parametrize(
    "account_id",
    ["ACC-4471902 ", "ACC-447190", "acc-4471902", "ACC-\uff14471902", "", None, 4471902],
)
def test_the_mended_agent_refuses_what_is_no_account_id(account_id):
    """Refused before it is tried, reported, and never promised to the customer."""
    model, tools = the_incident(account_id, status="completed")

    answer = answer_of(mended_agent.agent, model, tools)

    assert [name for name, _ in tools.calls] == ["billing.get_operation"]
    assert tools.reports == [{"decision": "denied", "tool": "billing.pause", "actor": "code"}]
    assert model.shown[1][-1]["content"]["outcome"] == "denied"
    assert isinstance(answer, Answer)
    assert answer.outcome == "unresolved"


def test_the_mended_agent_refuses_arguments_that_are_no_mapping():
    """A model's arguments that are not JSON arrive as text."""
    model = ScriptedModel(
        [
            Reply("", (ToolRequest(id="c1", name="billing.pause", args='{"account_id":'),)),
            Reply(CLAIM),
        ]
    )
    tools = RecordedTools({})

    answer = answer_of(mended_agent.agent, model, tools)

    assert (tools.calls, answer.outcome) == ([], "unresolved")


def test_the_mended_agent_does_not_promise_what_is_pending():
    """A good id alone is not enough: the write timed out."""
    model, tools = the_incident("ACC-4471902", status="pending")

    answer = answer_of(mended_agent.agent, model, tools)

    assert [name for name, _ in tools.calls] == ["billing.pause", "billing.get_operation"]
    assert answer.outcome == "unresolved"


def test_the_mended_agent_passes_on_what_was_read_back_as_completed():
    """An agent that never confirms anything would be of no use."""
    model, tools = the_incident("ACC-4471902", status="completed")

    answer = answer_of(mended_agent.agent, model, tools)

    assert (answer, tools.reports) == (CLAIM, [])


@both
def test_an_answer_without_calls_is_passed_on(agent):
    """Nothing was asked for, so nothing is unconfirmed."""
    answer = agent(TASK, RecordedTools({}), ScriptedModel([Reply("You are welcome.")]))

    assert answer == "You are welcome."


@both
def test_the_model_sees_what_a_tool_answered_and_how_it_failed(agent):
    """Both agents carry the same conversation; only the checks differ."""
    model, tools = the_incident("ACC-4471902", status="completed")

    answer_of(agent, model, tools)

    results = [message for message in model.shown[-1] if message["role"] == "tool"]
    assert [result["tool_call_id"] for result in results] == [
        "c-billing.pause",
        "c-billing.get_operation",
    ]
    assert results[0]["content"] == {
        "error": {"status": 504},
        "outcome": "unknown",
        "detail": "timeout",
    }
    assert results[1]["content"]["status"] == "completed"


@both
def test_text_beside_a_call_is_shown_to_the_customer(agent):
    """A promise made in passing is a promise."""
    call = ToolRequest(id="c1", name="help.read", args={})
    model = ScriptedModel([Reply("One moment.", (call,)), Reply("Here it is.")])
    tools = RecordedTools({"help.read": "an article"})

    answer_of(agent, model, tools)

    assert tools.claims == ["One moment."]
