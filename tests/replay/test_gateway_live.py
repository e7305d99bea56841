"""Live trials: requests go on to a provider, what it answers is recorded, its key stays here."""

from __future__ import annotations

import http.client
import json
import pickle
import socket
import statistics
import threading
import time
from contextlib import closing, suppress
from dataclasses import replace
from typing import Any

import pytest

from tests.replay.builders import a_case, a_fixture, a_path
from tests.replay.provider import KEY, KEY_ENV, Said, standing_in
from workbench.model.case import CaseTool, Expectation, Turn
from workbench.model.event import (
    Claim,
    ClaimBasis,
    ModelReply,
    ModelRequest,
    Outcome,
    ToolCall,
    ToolResult,
    Usage,
)
from workbench.model.trace import Effect
from workbench.replay.gateway import chat, messages, responses
from workbench.replay.gateway.core import Gateway
from workbench.replay.gateway.dialect import Finish, Speech, SpokenCall
from workbench.replay.gateway.http import serve
from workbench.replay.issues import IssueKind
from workbench.replay.live import Family, live_path
from workbench.replay.trial import Limits, Trial

PATHS = {
    "chat": "v1/chat/completions",
    "responses": "v1/responses",
    "messages": "anthropic/v1/messages",
}
BODIES: dict[str, Any] = {
    "chat": {"messages": []},
    "responses": {"input": []},
    "messages": {"messages": []},
}
MODULES = {"chat": chat, "responses": responses, "messages": messages}
FIXTURE = a_fixture(args={"a": 1}, result={"id": 7}, times=0)
LOOKUP = SpokenCall(id="call_9", name="customer_lookup", args={"a": 1}, args_text='{"a": 1}')


def a_speech(text="", *calls, finish=Finish.STOP):
    """Return a reply of the live model."""
    usage = Usage(input_tokens=11, output_tokens=5, cached_tokens=0)
    return Speech(number=1, model="m", text=text, calls=calls, finish=finish, usage=usage)


OPENED: list[Gateway] = []


@pytest.fixture(autouse=True)
def key(monkeypatch):
    """The key is in our environment; what a test opened is closed after it."""
    monkeypatch.setenv(KEY_ENV, KEY)
    yield
    while OPENED:
        OPENED.pop().hang_up()


class Live:
    """A gateway with one live trial, in this process."""

    def __init__(self, stand_in, *, limits=None, clock=time.monotonic, case=None, **upstream):
        case = case or a_case(Turn(text="scripted"), fixtures=(FIXTURE,))
        self.trial = Trial(
            case, live_path(case), run_id="t", limits=limits or Limits(), clock=clock,
            upstream=stand_in.upstream(**upstream),
        )  # fmt: skip
        self.gateway = Gateway()
        self.gateway.open(self.trial)
        OPENED.append(self.gateway)

    def send(self, path, body, *, headers=None, method="POST"):
        """Send a request; return status, headers and the whole body."""
        raw = b"" if body is None else json.dumps(body).encode()
        response = self.gateway.handle(method, f"/r/t/{path}", headers or {}, raw)
        rest = b"" if response.stream is None else b"".join(response.stream)
        return response.status, response.headers, response.body + rest

    def ask(self, api, **body):
        """Send a model request in a dialect."""
        return self.send(PATHS[api], {**BODIES[api], **body})

    def of(self, kind):
        """Return the events of a kind of the finished trial."""
        return [e for e in self.trial.finish().trace.events if isinstance(e, kind)]

    @property
    def issues(self):
        """Kinds and sentences."""
        return [(issue.kind, issue.sentence) for issue in self.trial.finish().issues]


# --- replies -------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", PATHS)
def test_a_reply_is_passed_on_and_recorded(api, stream):
    """With its text, calls, usage and id; the agent gets what the provider sent, byte for byte."""
    speech = a_speech("Let me look.", LOOKUP, finish=Finish.CALLS)
    body = {**BODIES[api], "stream": stream, "stream_options": {"include_usage": True}}
    with standing_in(Said(speech)) as provider:
        live = Live(provider)
        status, headers, raw = live.send(PATHS[api], {**body, "model": "m", "temperature": 0.2})

    dialect = MODULES[api]
    sent = dialect.stream(speech, body) if stream else json.dumps(dialect.document(speech)).encode()
    assert (status, raw) == (200, sent)
    assert headers["content-type"].startswith("text/event-stream" if stream else "application/json")
    (reply,) = live.of(ModelReply)
    assert (reply.text, reply.call_ids) == ("Let me look.", ("call_9",))
    assert reply.usage == Usage(input_tokens=11, output_tokens=5, cached_tokens=0)
    (request,) = live.of(ModelRequest)
    assert (request.model, request.settings) == ("m", {"temperature": 0.2})
    record = live.trial.finish()
    assert (len(record.reply_ids), record.provider_errors, record.replies_left) == (1, 0, 0)


@pytest.mark.parametrize("api", PATHS)
def test_the_request_goes_out_as_it_came_but_for_the_key(api):
    """The provider sees the agent's own body and headers of its protocol, and our key only."""
    given = {
        "authorization": "Bearer replay",
        "x-api-key": "replay",
        "anthropic-version": "2023-06-01",
        "content-type": "application/json",
        "cookie": "a=b",
        "x-private": "c",
    }
    body = {**BODIES[api], "model": "m", "metadata": {"a": [1, {"b": None}]}}
    with standing_in(Said(a_speech("Hi"))) as provider:
        Live(provider).send(f"{PATHS[api]}?beta=true", body, headers=given)

    ((method, path, headers, sent),) = provider.asked
    roots = {
        "chat": "/v1/chat/completions",
        "responses": "/v1/responses",
        "messages": "/v1/messages",
    }
    assert (method, path, sent) == ("POST", f"{roots[api]}?beta=true", body)
    assert not {"cookie", "x-private"} & set(headers)
    assert headers["anthropic-version"] == "2023-06-01"
    keys = {name: headers.get(name) for name in ("authorization", "x-api-key")}
    wanted = {"authorization": None, "x-api-key": KEY}
    assert keys == (
        wanted if api == "messages" else {"authorization": f"Bearer {KEY}", "x-api-key": None}
    )


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", PATHS)
def test_calls_that_the_live_model_asks_for_are_answered_by_fixtures(api, stream):
    """They carry the reply's number; one that the agent answers itself is caught."""
    with standing_in(
        Said(a_speech("", LOOKUP, finish=Finish.CALLS)), Said(a_speech("Hi"))
    ) as provider:
        live = Live(provider)
        live.ask(api, stream=stream)
        live.send("tools/customer_lookup", {"a": 1})
        live.ask(api, stream=stream)

    (call,) = live.of(ToolCall)
    assert (call.tool, call.call_id, call.turn, call.args) == (
        "customer.lookup",
        "call_9",
        1,
        {"a": 1},
    )
    assert [r.outcome for r in live.of(ToolResult)] == [Outcome.OK]
    assert live.issues == []


def test_a_live_tool_of_its_own_is_caught():
    """As in the scripted layer."""
    shown = [{"role": "tool", "tool_call_id": "call_9", "content": "done"}]
    with standing_in(Said(a_speech("", LOOKUP)), Said(a_speech("Hi"))) as provider:
        live = Live(provider)
        live.ask("chat")
        live.ask("chat", messages=shown)

    assert [kind for kind, _ in live.issues] == [IssueKind.UNOBSERVED_TOOL]


def test_calls_with_ids_that_come_again_or_never_came():
    """Some servers number the calls of each reply anew; the trace keeps them apart."""
    again = [Said(a_speech("", LOOKUP)), Said(a_speech("", LOOKUP))]
    nameless = Said(a_speech("", replace(LOOKUP, id="")))
    with standing_in(*again, nameless) as provider:
        live = Live(provider)
        for _ in range(3):
            live.ask("chat")
            live.send("tools/customer_lookup", {"a": 1})

    assert [(c.call_id, c.turn) for c in live.of(ToolCall)] == [
        ("call_9", 1),
        ("call_9~2", 2),
        ("call", 3),
    ]
    assert live.issues == []


def test_arguments_that_are_no_json_are_kept_as_text():
    """A live model makes such mistakes too."""
    broken = SpokenCall(id="c", name="customer_lookup", args="{", args_text="{")
    with standing_in(Said(a_speech("", broken))) as provider:
        live = Live(provider)
        live.ask("chat")

    (call,) = live.of(ToolCall)
    assert call.args_raw == "{"


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"type": "mcp_call", "name": "billing_pause"}, "the provider ran billing.pause"),
        ({"type": "code_interpreter_call"}, "the provider ran a tool of its own"),
        ({"type": "mcp_call", "name": "calc"}, None),
    ],
)
def test_tools_that_the_provider_runs_itself_are_caught(item, expected):
    """Nothing of them passes the gateway; a pure one changes nothing."""
    body = {"id": "r", "status": "completed", "output": [item]}
    with standing_in(Said(body=body)) as provider:
        live = Live(provider)
        live.ask("responses")

    assert [kind for kind, _ in live.issues] == [IssueKind.UNOBSERVED_TOOL] * (expected is not None)
    assert all(sentence.startswith(str(expected)) for _, sentence in live.issues)


def test_text_that_a_script_has_too_is_no_scripted_claim():
    """What a live model's words claim is read off them."""
    with standing_in() as provider:
        live = Live(provider)
        live.trial.answer("scripted", outcome=None, state=None)

    assert [claim.basis for claim in live.of(Claim)] == [ClaimBasis.UNKNOWN]


def test_any_fixture_may_answer_those_without_a_path_first():
    """The live model keeps to no path."""
    fixtures = (
        a_fixture(args={"a": 1}, id="f1", only=("recorded",), result="of one path"),
        a_fixture(args={"a": 1}, id="f2", result="of all"),
    )
    with standing_in() as provider:
        live = Live(provider, case=a_case(fixtures=fixtures))
        answers = [live.send("tools/customer.lookup", {"a": 1})[2] for _ in range(2)]

    assert [json.loads(raw)["result"] for raw in answers] == ["of all", "of one path"]


def test_the_person_says_what_the_accepted_path_says():
    """That conversation is with an agent that does right."""
    right = a_path(Turn(text="a"), Turn(user="Right?"), name="accepted", expect=Expectation.PASS)
    case = a_case(Turn(text="a"), Turn(user="Wrong?"))
    both = replace(case, paths=(*case.paths, right))

    assert [turn.user for turn in live_path(case).turns][1] == "Wrong?"
    assert [turn.user for turn in live_path(both).turns][1] == "Right?"
    assert live_path(both).name == "live"


# --- streams -------------------------------------------------------------------------------


def test_text_flows_while_the_provider_speaks_and_calls_wait_for_its_end():
    """An agent may act on a call as soon as it sees it, so all is recorded before that."""
    events = chat.stream(a_speech("Let me look at it", LOOKUP), {}).split(b"\n\n")
    pieces = tuple(event + b"\n\n" for event in events if event)
    with standing_in(
        Said(pieces=pieces, headers={"content-type": "text/event-stream"})
    ) as provider:
        live = Live(provider)
        body = json.dumps({"messages": [], "stream": True}).encode()
        response = live.gateway.handle("POST", "/r/t/v1/chat/completions", {}, body)
        assert response.stream is not None
        replies = [
            (b"tool_calls" in piece, b"Let me" in piece, len(live.trial._asked._items))
            for piece in response.stream
        ]

    assert (False, True, 0) in replies
    assert all(asked for acting, _, asked in replies if acting)
    assert replies[-1] == (True, False, 1)


def test_usage_is_asked_for_and_what_the_agent_did_not_ask_for_is_kept_back():
    """Only then does a chat stream tell it; code that takes the first choice would fall over it."""
    with standing_in(Said(a_speech("Hi"))) as provider:
        live = Live(provider)
        _, _, raw = live.ask("chat", stream=True)

    ((_, _, _, sent),) = provider.asked
    assert sent["stream_options"] == {"include_usage": True}
    assert raw == chat.stream(a_speech("Hi"), {})
    assert live.of(ModelReply)[0].usage == Usage(input_tokens=11, output_tokens=5, cached_tokens=0)


@pytest.mark.parametrize("cut", [1, 30, 200, -20])
@pytest.mark.parametrize("api", PATHS)
def test_a_stream_that_breaks_off_breaks_off(api, cut):
    """The agent's client sees what it would have seen; the trial cannot be concluded."""
    raw = MODULES[api].stream(a_speech("Let me look at it", LOOKUP), {})
    said = Said(pieces=(raw[:cut],), breaks=True, headers={"content-type": "text/event-stream"})
    with standing_in(said) as provider, serve() as server:
        live = Live(provider)
        server.gateway.open(live.trial)
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
        body = json.dumps({**BODIES[api], "stream": True})
        with closing(connection):
            connection.request("POST", f"/r/t/{PATHS[api]}", body)
            with pytest.raises((http.client.IncompleteRead, ConnectionError)):
                connection.getresponse().read()

    assert live.issues == [
        (IssueKind.PROVIDER_ERROR, "the provider broke off in the middle of an answer")
    ]
    assert live.of(ModelReply) == []


def test_a_client_that_hangs_up_ends_the_request_to_the_provider():
    """What it missed is not known, so nothing can be concluded."""
    piece = chat.stream(a_speech("x" * 70), {}).split(b"\n\n")[1] + b"\n\n"
    said = Said(pieces=(piece,) * 200, pause_s=0.01, headers={"content-type": "text/event-stream"})
    with standing_in(said) as provider, serve() as server:
        live = Live(provider)
        server.gateway.open(live.trial)
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
            body = b'{"messages": [], "stream": true}'
            client.sendall(
                b"POST /r/t/v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n%b"
                % (len(body), body)
            )
            client.recv(10)
        deadline = time.monotonic() + 5
        while not live.trial._provider.errors and time.monotonic() < deadline:
            time.sleep(0.01)

    assert live.issues == [
        (IssueKind.PROVIDER_ERROR, "the agent hung up before the reply had ended")
    ]


def test_a_client_of_http_1_0_reads_to_the_end():
    """It knows no chunks."""
    with standing_in(Said(a_speech("Hi"))) as provider, serve() as server:
        live = Live(provider)
        server.gateway.open(live.trial)
        with socket.create_connection(("127.0.0.1", server.port), timeout=5) as client:
            body = b'{"messages": [], "stream": true}'
            client.sendall(
                b"POST /r/t/v1/chat/completions HTTP/1.0\r\ncontent-length: %d\r\n\r\n%b"
                % (len(body), body)
            )
            found = b""
            while piece := client.recv(65_536):
                found += piece

    head, _, rest = found.partition(b"\r\n\r\n")
    assert b"chunked" not in head
    assert rest == chat.stream(a_speech("Hi"), {})


# --- failures ---------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("api", PATHS)
def test_errors_are_passed_on_as_they_are_and_leave_the_question_open(api, stream):
    """An infrastructure error is nobody's fault that is tested."""
    said = Said(
        status=529,
        body={"error": {"type": "overloaded"}},
        headers={"retry-after": "3", "x-request-id": "q"},
    )
    with standing_in(said) as provider:
        live = Live(provider)
        status, headers, raw = live.ask(api, stream=stream)

    assert (status, json.loads(raw)) == (529, {"error": {"type": "overloaded"}})
    assert (headers["retry-after"], headers["x-request-id"]) == ("3", "q")
    assert live.issues == [(IssueKind.PROVIDER_ERROR, "the provider answered with status 529")]


def test_an_error_that_the_agent_repeats_with_success_is_counted_and_no_doubt():
    """The client's own retry got its answer; another request's success does not settle it."""
    busy = Said(status=503, body={})
    with standing_in(busy, Said(a_speech("Hi"))) as provider:
        settled = Live(provider)
        settled.ask("chat")
        settled.ask("chat")
    with standing_in(busy, Said(a_speech("Hi"))) as provider:
        other = Live(provider)
        other.ask("chat")
        other.ask("chat", messages=[{"role": "user", "content": "again"}])

    assert (settled.issues, settled.trial.finish().provider_errors) == ([], 1)
    assert [kind for kind, _ in other.issues] == [IssueKind.PROVIDER_ERROR]


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (Said(body=b"<html>", headers={"content-type": "text/html"}), "no reply of its own protocol"),
        (Said(body={"choices": []}), "no reply of its own protocol"),
        (Said(body=b"{", breaks=True), "broke off in the middle"),
        (Said(pieces=(b"{",), breaks=True), "broke off in the middle"),
        (Said(wait_s=0.4, body={}), "did not answer in time"),
        (Said(pieces=(b"{", b"}"), pause_s=0.6), "fell silent in the middle"),
        (Said(status=302, headers={"location": "http://127.0.0.1:1/"}), "answered with status 302"),
        (Said(body=b"data: [DONE]\n\n", headers={"content-type": "text/event-stream"}), "no reply of its own protocol"),
    ],
)  # fmt: skip
def test_whatever_a_provider_does_the_trial_says_what_it_was(said, sentence):
    """Nothing hangs, nothing is concluded."""
    with standing_in(said) as provider:
        live = Live(provider, timeout_s=0.3 if said.wait_s or said.pause_s else 10)
        live.ask("chat")

    ((kind, found),) = live.issues
    assert kind is IssueKind.PROVIDER_ERROR
    assert sentence in found
    assert live.of(ModelReply) == []


def test_a_provider_that_is_not_there_is_502():
    """With an error in the words of the dialect; a client may try again."""
    with standing_in() as provider:
        pass
    live = Live(provider)

    status, headers, raw = live.ask("messages")

    assert (status, "x-should-retry" in headers) == (502, False)
    assert json.loads(raw)["error"]["type"] == "provider_error"
    assert "cannot be reached (ConnectionRefusedError)" in live.issues[0][1]


def test_a_run_without_a_provider_of_the_dialect_says_so():
    """The agent uses another client than the run was set up for."""
    with standing_in() as provider:
        live = Live(provider, families=(Family.OPENAI,))
        status, _, _ = live.ask("messages")

    assert status == 502
    assert live.issues[0][1] == "this run has no anthropic provider"


def test_without_its_key_no_request_goes_out(monkeypatch):
    """As in a worker on another machine."""
    monkeypatch.delenv(KEY_ENV)
    with standing_in() as provider:
        live = Live(provider)
        live.ask("chat")

    assert provider.asked == []
    assert "no key for the openai provider" in live.issues[0][1]


def test_a_provider_that_sends_for_ever_is_cut_off(monkeypatch):
    """By size, and by the time of the trial."""
    flood = Said(pieces=(b"x" * 1000,) * 4)
    monkeypatch.setattr("workbench.replay.gateway.provider._LIMIT_BYTES", 2000)
    with standing_in(flood) as provider:
        much = Live(provider)
        much.ask("chat")
    monkeypatch.undo()
    monkeypatch.setenv(KEY_ENV, KEY)
    now = [0.0]
    with standing_in(Said(pieces=(b" ", b" ", b"{}"))) as provider:
        late = Live(provider, limits=Limits(seconds=1), clock=lambda: now[0])
        now[0] = 5.0
        late.ask("chat")

    assert much.issues[0][1] == "the provider sends without end"
    assert late.issues[0][1] == "the provider did not finish in time"


def test_limits_hold_for_live_models_too():
    """A client that loops for ever would cost money for ever."""
    with standing_in(Said(a_speech("Hi"))) as provider:
        live = Live(provider, limits=Limits(model_calls=1))
        statuses = [live.ask("chat")[0] for _ in range(3)]

    assert statuses == [200, 424, 424]
    assert live.issues == [
        (IssueKind.MODEL_CALL_LIMIT, "the agent was stopped after 1 model requests")
    ]


# --- the key -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("stream", [False, True])
def test_a_provider_that_repeats_the_key_does_not_hand_it_on(stream):
    """Errors of real providers name the key that was refused."""
    echo = {"error": {"message": f"Incorrect API key provided: {KEY}."}}
    data = json.dumps({"id": KEY, "choices": [{"delta": {"content": KEY}}]}).encode()
    said = (
        Said(
            pieces=(b"data: " + data[:20], data[20:] + b"\n\n"),
            headers={"content-type": "text/event-stream"},
        )
        if stream
        else Said(status=401, body=echo, headers={"x-echo": f"Bearer {KEY}"})
    )
    with standing_in(said) as provider:
        live = Live(provider)
        _, headers, raw = live.ask("chat", stream=stream)

    assert b"***" in raw
    assert KEY not in raw.decode() + str(headers) + repr(live.trial.finish())


def test_the_upstream_is_a_value_that_names_the_key_only():
    """It is sent to workers and could be printed."""
    with standing_in() as provider:
        upstream = provider.upstream()

    assert pickle.loads(pickle.dumps(upstream)) == upstream  # noqa: S301
    assert KEY not in repr(upstream)


# --- beside replies ------------------------------------------------------------------------------------


def test_what_clients_ask_beside_replies_goes_on_too():
    """Which models there are, how long a prompt is; nothing of it is recorded."""
    with standing_in(
        Said(body={"data": []}), Said(body={"data": []}), Said(body={"input_tokens": 3})
    ) as provider:
        live = Live(provider)
        one = live.send("v1/models", None, method="GET")
        two = live.send("anthropic/v1/models", None, method="GET")
        three = live.send("anthropic/v1/messages/count_tokens", {"messages": []})

    assert [status for status, _, _ in (one, two, three)] == [200, 200, 200]
    assert [(m, p) for m, p, _, _ in provider.asked] == [
        ("GET", "/v1/models"), ("GET", "/v1/models"), ("POST", "/v1/messages/count_tokens"),
    ]  # fmt: skip
    assert ["x-api-key" in headers for _, _, headers, _ in provider.asked] == [False, True, True]
    assert live.trial.finish().trace.events[1:] == ()
    assert live.send("v1/models", None, method="GET")[0] == 502


# --- POST /model ----------------------------------------------------------------------------------------------


HISTORY = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Pause my plan"},
    {
        "role": "assistant",
        "content": "One moment",
        "tool_calls": [{"id": "c1", "name": "customer.lookup", "args": {"a": 1}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": {"id": 7}},
    {"role": "tool", "tool_call_id": "c2", "content": "no"},
    {"role": "user", "content": None},
    {"role": "assistant", "content": ""},
]


def test_an_agent_that_knows_no_api_asks_in_the_words_of_openai():
    """With the case's tools; names come back as the case has them."""
    case = a_case(
        tools=(
            CaseTool(name="customer.lookup", wire="lookup", effect=Effect.READ, description="Look", schema={"type": "object"}),
            CaseTool(name="x.y", effect=Effect.READ),
        ),
    )  # fmt: skip
    call = SpokenCall(id="call_1", name="x_y", args={}, args_text="")
    with standing_in(Said(a_speech("Hi", call))) as provider:
        live = Live(provider, model="gpt-x", case=case)
        status, _, raw = live.send("model", {"messages": HISTORY})

    assert (status, json.loads(raw)) == (
        200,
        {
            "text": "Hi",
            "tool_calls": [{"id": "call_1", "name": "x.y", "args": {}}],
            "finish_reason": "stop",
            "usage": {"input_tokens": 11, "output_tokens": 5, "cached_tokens": 0},
        },
    )
    ((_, path, headers, body),) = provider.asked
    assert (path, headers["content-type"]) == ("/v1/chat/completions", "application/json")
    assert body == {
        "model": "gpt-x",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Pause my plan"},
            {
                "role": "assistant",
                "content": "One moment",
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "lookup", "arguments": '{"a": 1}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"id": 7}'},
            {"role": "tool", "tool_call_id": "c2", "content": "no"},
            {"role": "user", "content": ""},
            {"role": "assistant", "content": ""},
        ],
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": "lookup",
                    "description": "Look",
                    "parameters": {"type": "object"},
                },
            },
            {
                "type": "function",
                "function": {
                    "name": "x_y",
                    "parameters": {"type": "object", "additionalProperties": True},
                },
            },
        ],
    }
    assert live.of(ModelRequest)[0].model == "gpt-x"
    assert live.of(ModelReply)[0].call_ids == ("call_1",)


def test_an_agent_that_knows_no_api_asks_in_the_words_of_anthropic():
    """Results in a row are one turn of the user; the tools are those that the agent states."""
    offered = [
        "customer.lookup",
        {"name": "own", "description": "Its own", "parameters": {"type": "object", "x": 1}},
        {"function": {"name": "billing.pause"}},
        7,
    ]
    with standing_in(Said(a_speech("Hi", LOOKUP))) as provider:
        live = Live(provider, model="claude-x", families=(Family.ANTHROPIC,))
        _, _, raw = live.send("model", {"messages": HISTORY, "tools": offered})

    assert json.loads(raw)["tool_calls"][0]["name"] == "customer.lookup"
    ((_, path, headers, body),) = provider.asked
    assert (path, headers["anthropic-version"]) == ("/v1/messages", "2023-06-01")
    assert body["system"] == "Be kind."
    assert [tool["name"] for tool in body["tools"]] == ["customer_lookup", "own", "billing_pause"]
    assert body["tools"][1] == {
        "name": "own",
        "description": "Its own",
        "input_schema": {"type": "object", "x": 1},
    }
    assert body["messages"] == [
        {"role": "user", "content": [{"type": "text", "text": "Pause my plan"}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "One moment"},
                {"type": "tool_use", "id": "c1", "name": "customer_lookup", "input": {"a": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": '{"id": 7}'},
                {"type": "tool_result", "tool_use_id": "c2", "content": "no"},
            ],
        },
    ]


def test_replies_that_an_agent_leaves_out_of_its_history_are_put_in():
    """Providers want every result to follow the call; those of one reply stay together."""
    second = replace(LOOKUP, id="call_2")
    third = replace(LOOKUP, id="call_3")
    answers = [a_speech("", LOOKUP, second), a_speech("", third), a_speech("Hi")]
    history = [
        {"role": "user", "content": "a"},
        *(
            {"role": "tool", "tool_call_id": f"call_{n}", "content": "x", "error": True}
            for n in (9, 2, 3, 7)
        ),
    ]
    with standing_in(*map(Said, answers)) as provider:
        live = Live(provider, model="m")
        for _ in range(2):
            live.send("model", {"messages": history[:1]})
        live.send("model", {"messages": history})

    (_, _, _, body) = provider.asked[2]
    asked = [[c["id"] for c in m["tool_calls"]] for m in body["messages"] if "tool_calls" in m]
    assert [m["role"] for m in body["messages"]] == [
        "user", "assistant", "tool", "tool", "assistant", "tool", "tool",
    ]  # fmt: skip
    assert asked == [["call_9", "call_2"], ["call_3"]]


@pytest.mark.parametrize("families", [(Family.OPENAI,), (Family.ANTHROPIC,)])
def test_without_tools_and_instructions_none_are_sent(families):
    """Providers refuse empty lists."""
    with standing_in(Said(a_speech("Hi"))) as provider:
        live = Live(provider, model="m", families=families)
        live.send("model", {"messages": [{"role": "user", "content": "a"}], "tools": []})

    ((_, _, _, body),) = provider.asked
    assert not {"tools", "system"} & set(body)


def test_arguments_that_are_no_json_reach_the_agent_as_text():
    """As from the script."""
    broken = SpokenCall(id="c", name="billing_pause", args="{", args_text="{")
    with standing_in(Said(a_speech("", broken))) as provider:
        live = Live(provider, model="m")
        _, _, raw = live.send("model", {"messages": [], "tools": ["billing_pause"]})

    assert json.loads(raw)["tool_calls"] == [{"id": "c", "name": "billing_pause", "args": "{"}]


def test_a_model_has_to_be_named():
    """`POST /model` names none, and a guess would cost money."""
    with standing_in() as provider:
        live = Live(provider)
        status, _, raw = live.send("model", {"messages": []})

    assert status == 400
    assert "WORKBENCH_LIVE_MODEL" in json.loads(raw)["error"]["message"]


def test_failures_reach_an_agent_that_knows_no_api_too():
    """With the provider's status and body."""
    with standing_in(Said(status=503, body={"error": {"message": "busy"}})) as provider:
        live = Live(provider, model="m", limits=Limits(model_calls=1))
        status, _, raw = live.send("model", {"messages": []})
        stopped, _, _ = live.send("model", {"messages": []})

    assert (status, json.loads(raw), stopped) == (503, {"error": {"message": "busy"}}, 424)


# --- connections --------------------------------------------------------------------------------------------------


def test_connections_are_used_again_unless_the_provider_has_closed_them():
    """A handshake for each request would cost more than we do."""
    with standing_in(*[Said(a_speech("Hi"))] * 3) as provider:
        live = Live(provider)
        for _ in range(2):
            live.ask("chat")
        assert len(provider.connections) == 1
        ((_, (idle,)),) = live.gateway._connections._idle.items()
        idle.sock.shutdown(socket.SHUT_RDWR)
        live.ask("chat")

        assert len(provider.connections) == 2
        assert live.issues == []
        live.gateway.hang_up()
        assert live.gateway._connections._idle == {}


def test_only_so_many_connections_are_kept(monkeypatch):
    """A burst of sub-agents must not leave a hundred behind."""
    monkeypatch.setattr("workbench.replay.gateway.provider._IDLE", 0)
    with standing_in(Said(a_speech("Hi"))) as provider:
        live = Live(provider)
        live.ask("chat")

    assert live.gateway._connections._idle == {("http", f"127.0.0.1:{provider.port}"): []}


def carry(one, other):
    """Carry bytes until one side closes."""
    with suppress(OSError):
        while piece := one.recv(65_536):
            other.sendall(piece)
        other.shutdown(socket.SHUT_RDWR)


def tunnel(listener, port, seen):
    """Be a proxy: connect as asked, whatever name was asked for, and carry bytes."""
    client, _ = listener.accept()
    with client, socket.create_connection(("127.0.0.1", port)) as onward:
        seen.append(client.recv(65_536))
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        threading.Thread(target=carry, args=(client, onward), daemon=True).start()
        carry(onward, client)


def test_a_provider_is_reached_through_the_machines_proxy(monkeypatch):
    """CI machines often have no other way out; no proxy leads to this machine itself."""
    seen: list[bytes] = []
    with (
        socket.create_server(("127.0.0.1", 0)) as listener,
        standing_in(Said(a_speech("Hi"))) as provider,
    ):
        monkeypatch.setenv("http_proxy", f"http://user:word@127.0.0.1:{listener.getsockname()[1]}")
        monkeypatch.delenv("no_proxy", raising=False)
        upstream = provider.upstream()
        (openai, _) = upstream.providers
        far = replace(upstream, providers=(replace(openai, base_url="http://far.invalid/v1"),))
        thread = threading.Thread(target=tunnel, args=(listener, provider.port, seen), daemon=True)
        thread.start()
        live = Live(provider)
        live.trial.upstream = far
        status, _, _ = live.ask("chat")
        live.gateway.hang_up()
        thread.join(5)

    assert status == 200
    assert seen[0].startswith(b"CONNECT far.invalid:80 HTTP/1.")
    assert KEY.encode() not in seen[0]


def test_a_last_event_without_an_empty_line_counts():
    """Some servers end so."""
    raw = chat.stream(a_speech("Hi"), {}).removesuffix(b"\n\n")
    said = Said(
        pieces=(raw.replace(b"\n", b"\r\n"),), headers={"content-type": "text/event-stream"}
    )
    with standing_in(said) as provider:
        live = Live(provider)
        _, _, passed = live.ask("chat", stream=True)

    assert passed == raw
    assert live.of(ModelReply)[0].text == "Hi"


def test_a_reply_without_an_id_is_recorded():
    """Servers that speak the protocol in part leave it out."""
    body = {"choices": [{"message": {"role": "assistant", "content": "Hi"}}]}
    with standing_in(Said(body=body)) as provider:
        live = Live(provider)
        live.ask("chat")

    assert (live.trial.finish().reply_ids, live.of(ModelReply)[0].text) == ((), "Hi")


def test_a_live_model_call_costs_little_more_than_the_provider_itself():
    """The page allows 5 ms a trial; a busy machine gets some more."""
    answers = [Said(a_speech("Hi", LOOKUP))] * 120
    body = json.dumps({"messages": [{"role": "user", "content": "x" * 2000}]})

    def timed(port, path, headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        taken = []
        with closing(connection):
            for _ in range(60):
                started = time.perf_counter()
                connection.request("POST", path, body, headers)
                connection.getresponse().read()
                taken.append(time.perf_counter() - started)
        return statistics.median(taken)

    with standing_in(*answers) as provider, serve() as server:
        live = Live(provider)
        server.gateway.open(live.trial)
        direct = timed(provider.port, "/v1/chat/completions", {})
        through = timed(server.port, "/r/t/v1/chat/completions", {})

    assert (through - direct) * 1_000 < 25
