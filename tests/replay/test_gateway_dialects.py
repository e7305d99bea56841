"""The dialects of model APIs: what they read of requests and say of replies."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.replay.builders import a_call, a_case, a_fixture, asks
from workbench.model.case import CaseTool, Turn
from workbench.model.event import CallError, ModelRequest, Usage
from workbench.model.trace import Effect
from workbench.replay.exchange import SeenCall, SeenReply
from workbench.replay.gateway import chat, messages, responses
from workbench.replay.gateway.api import DIALECTS
from workbench.replay.gateway.core import Gateway
from workbench.replay.gateway.dialect import Finish, Speech, SpokenCall, finish_of, pieces
from workbench.replay.issues import IssueKind
from workbench.replay.trial import Limits, Trial

PATHS = {
    "chat": "v1/chat/completions",
    "responses": "v1/responses",
    "messages": "anthropic/v1/messages",
}
PAUSE = a_call("billing.pause", {"a": 1})
EMPTY: dict[str, Any] = {
    "chat": {"messages": []},
    "responses": {"input": []},
    "messages": {"messages": []},
}


def a_trial(*turns, limits=None, **fields):
    """Return a gateway and the one trial that it serves, as `t`."""
    case = a_case(
        *turns, **{"fixtures": (a_fixture(), a_fixture("billing.pause", args={"a": 1}))} | fields
    )
    trial = Trial(case, case.recorded, run_id="t", limits=limits or Limits())
    gateway = Gateway()
    gateway.open(trial)
    return gateway, trial


def send(gateway, path, body, *, method="POST"):
    """Send one request and return the response."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return gateway.handle(method, f"/r/t/{path}", {}, raw)


def ask(gateway, api, **body):
    """Ask for a reply in a dialect and return its document."""
    response = send(gateway, PATHS[api], {**EMPTY[api], **body})
    assert response.headers["content-type"] == "application/json"
    return response.status, json.loads(response.body)


def events(raw):
    """Read server-sent events."""
    found = []
    for block in raw.decode().split("\n\n"):
        data = [line[6:] for line in block.splitlines() if line.startswith("data: ")]
        if data and data != ["[DONE]"]:
            found.append(json.loads(data[0]))
    return found


def issues(trial):
    """Return the kinds of issues."""
    return [issue.kind for issue in trial.finish().issues]


# --- replies ------------------------------------------------------------------------


def test_a_chat_completion_has_what_clients_need():
    """And leaves out what it need not say."""
    turn = asks(PAUSE, text="Wait", usage=Usage(input_tokens=3, output_tokens=2, cached_tokens=1))
    gateway, _ = a_trial(turn, Turn(text="Done."))

    _, first = ask(gateway, "chat", model="gpt-x")
    _, second = ask(gateway, "chat")

    assert first == {
        "id": "chatcmpl-000001",
        "object": "chat.completion",
        "created": 0,
        "model": "gpt-x",
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "Wait",
                    "tool_calls": [
                        {
                            "id": "c1",
                            "type": "function",
                            "function": {"name": "billing_pause", "arguments": '{"a":1}'},
                        }
                    ],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {
            "prompt_tokens": 3,
            "completion_tokens": 2,
            "total_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 1},
            "completion_tokens_details": {"reasoning_tokens": 0},
        },
    }
    assert second["choices"][0]["message"] == {"role": "assistant", "content": "Done."}
    assert (second["model"], second["choices"][0]["finish_reason"]) == ("replay", "stop")


def test_a_response_has_what_clients_need():
    """Each item with an id, the calls after the text."""
    gateway, _ = a_trial(asks(PAUSE, text="Wait"), asks(PAUSE), Turn())

    outputs = [ask(gateway, "responses")[1]["output"] for _ in range(3)]

    assert [[item["type"] for item in output] for output in outputs] == [
        ["message", "function_call"], ["function_call"], ["message"],
    ]  # fmt: skip
    assert outputs[0][0]["content"] == [{"type": "output_text", "text": "Wait", "annotations": []}]
    assert outputs[0][1] == {
        "id": "fc_000001_0",
        "type": "function_call",
        "status": "completed",
        "call_id": "c1",
        "name": "billing_pause",
        "arguments": '{"a":1}',
    }


def test_a_message_has_no_null_in_its_blocks():
    """One real client breaks on it."""
    gateway, _ = a_trial(asks(PAUSE, text="Wait"), asks(PAUSE, usage=Usage(cached_tokens=4)))

    _, first = ask(gateway, "messages", model="claude-x")
    _, second = ask(gateway, "messages")

    assert first == {
        "id": "msg_000001",
        "type": "message",
        "role": "assistant",
        "model": "claude-x",
        "content": [
            {"type": "text", "text": "Wait"},
            {"type": "tool_use", "id": "c1", "name": "billing_pause", "input": {"a": 1}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 0, "output_tokens": 0},
    }
    assert len(second["content"]) == 1
    assert second["usage"]["cache_read_input_tokens"] == 4


@pytest.mark.parametrize(
    ("word", "chat_word", "messages_word", "status"),
    [
        ("stop", "stop", "end_turn", "completed"),
        ("end_turn", "stop", "end_turn", "completed"),
        ("max_tokens", "length", "max_tokens", "incomplete"),
        ("length", "length", "max_tokens", "incomplete"),
        ("content_filter", "content_filter", "refusal", "incomplete"),
        ("SAFETY", "content_filter", "refusal", "incomplete"),
        (None, "stop", "end_turn", "completed"),
    ],
)
def test_reasons_to_end_are_said_in_the_words_of_the_dialect(
    word, chat_word, messages_word, status
):
    """The incident may have been recorded from another provider than the agent uses now."""
    gateway, _ = a_trial(*[Turn(text="a", finish_reason=word)] * 3)

    _, one = ask(gateway, "chat")
    _, two = ask(gateway, "messages")
    _, three = ask(gateway, "responses")

    assert one["choices"][0]["finish_reason"] == chat_word
    assert (two["stop_reason"], three["status"]) == (messages_word, status)


def test_a_reply_with_calls_ends_for_them_whatever_was_recorded():
    """Some providers say `stop`; loops of clients go by the word."""
    assert finish_of("stop", calls=[1]) is Finish.CALLS
    assert finish_of("length", calls=[1]) is Finish.LENGTH


def test_long_texts_come_in_at_most_64_pieces():
    """A megabyte in pieces of seven would be an event each."""
    text = "x" * 1_000_001

    cut = list(pieces(text))

    assert "".join(cut) == text
    assert len(cut) <= 64
    assert list(pieces("")) == []


@pytest.mark.parametrize("api", PATHS)
def test_arguments_that_are_not_json_go_out_as_they_were(api):
    """The client has to meet what the incident's met, whole and piece by piece."""
    broken = asks(a_call("billing.pause", raw='{"a": oops'))
    gateway, _ = a_trial(broken, broken)

    _, whole = ask(gateway, api)
    streamed = send(gateway, PATHS[api], {**EMPTY[api], "stream": True})

    assert json.dumps('{"a": oops')[1:-1] in json.dumps(whole)
    seen = DIALECTS[list(DIALECTS)[list(PATHS).index(api)]].joined(events(streamed.body))
    assert seen is not None
    assert seen.calls[0].args_text == '{"a": oops'


# --- the law of both directions -------------------------------------------------------

SPEECHES = st.builds(
    Speech,
    number=st.integers(1, 9),
    model=st.just("m"),
    text=st.text(max_size=30),
    calls=st.lists(
        st.builds(
            lambda name, args: SpokenCall(
                id=f"call_{name}", name=name, args=args, args_text=json.dumps(args)
            ),
            st.text("abc_", min_size=1, max_size=5),
            st.dictionaries(st.text(max_size=4), st.integers() | st.text(max_size=9), max_size=3),
        ),
        max_size=3,
        unique_by=lambda call: call.id,
    ).map(tuple),
    finish=st.sampled_from(Finish),
    usage=st.builds(
        Usage,
        input_tokens=st.integers(0, 9),
        output_tokens=st.integers(0, 9),
        cached_tokens=st.integers(0, 9),
    ),
)


@pytest.mark.parametrize("dialect", [chat, responses, messages])
@settings(max_examples=40, deadline=None)
@given(speech=SPEECHES)
def test_what_is_said_is_what_is_seen(dialect, speech):
    """A reply reads the same in one document, in pieces, and as it was meant."""
    body = {"stream_options": {"include_usage": True}}

    whole = dialect.seen(json.loads(json.dumps(dialect.document(speech))))
    joined = dialect.joined(events(dialect.stream(speech, body)))

    for seen in (whole, joined):
        assert seen is not None
        assert (seen.text, seen.usage) == (speech.text, speech.usage)
        assert [(c.id, c.name, json.loads(c.args_text)) for c in seen.calls] == [
            (c.id, c.name, c.args) for c in speech.calls
        ]
    assert whole.finish_reason == joined.finish_reason


@pytest.mark.parametrize("dialect", [chat, responses, messages])
@settings(max_examples=30, deadline=None)
@given(speech=SPEECHES, cut=st.integers(0, 60))
def test_a_stream_that_is_cut_is_no_reply(dialect, speech, cut):
    """And everything from the first call on may be acted on, so it can be held back."""
    whole = events(dialect.stream(speech, {}))
    acting = [dialect.acts(event) for event in whole]

    assert dialect.joined(whole[: min(cut, len(whole) - 1)]) is None
    assert acting[-1]
    if speech.calls:
        first = acting.index(True)
        assert speech.calls[0].name in json.dumps(whole[first])


# --- requests ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("chat", {"messages": [{"role": "tool", "tool_call_id": "c1", "content": "paused"}]}),
        (
            "chat",
            {
                "messages": [
                    {
                        "role": "tool",
                        "tool_call_id": "c1",
                        "content": [{"type": "text", "text": "paused"}],
                    }
                ]
            },
        ),
        ("chat", {"messages": [{"role": "function", "name": "billing_pause", "content": "ok"}]}),
        ("responses", {"input": [{"type": "function_call_output", "call_id": "c1", "output": "ok"}]}),
        (
            "responses",
            {
                "input": [
                    {
                        "type": "custom_tool_call_output",
                        "call_id": "c1",
                        "output": [{"type": "input_text", "text": '{"status": "done"}'}],
                    }
                ]
            },
        ),
        (
            "messages",
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {"type": "text", "text": "x"},
                            {"type": "tool_result", "tool_use_id": "c1", "content": "paused"},
                        ],
                    }
                ]
            },
        ),
        (
            "messages",
            {"messages": [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1"}]}]},
        ),
    ],
)  # fmt: skip
def test_a_result_from_nowhere_is_caught(api, body):
    """The history says that the agent's own tool answered."""
    gateway, trial = a_trial(asks(PAUSE), Turn(text="Done."))
    ask(gateway, api)

    ask(gateway, api, **body)

    assert issues(trial) == [IssueKind.UNOBSERVED_TOOL]


@pytest.mark.parametrize(
    ("api", "body"),
    [
        ("chat", {"messages": [{"role": "tool", "tool_call_id": "c1", "content": "Error: no"}]}),
        (
            "messages",
            {
                "messages": [
                    {
                        "role": "user",
                        "content": [
                            {
                                "type": "tool_result",
                                "tool_use_id": "c1",
                                "content": "we do not do that",
                                "is_error": True,
                            }
                        ],
                    }
                ]
            },
        ),
        (
            "responses",
            {
                "input": [
                    {
                        "type": "function_call_output",
                        "call_id": "c1",
                        "output": '{"outcome": "denied"}',
                    }
                ]
            },
        ),
    ],
)
def test_a_local_refusal_is_none(api, body):
    """Code that stops a call tells the model so itself."""
    gateway, trial = a_trial(asks(PAUSE), Turn(text="Done."))
    ask(gateway, api)

    ask(gateway, api, **body)

    assert issues(trial) == []


@pytest.mark.parametrize("api", PATHS)
def test_a_result_that_passed_the_gateway_is_none(api):
    """Nor is one of a call that nobody asked for."""
    gateway, trial = a_trial(asks(PAUSE), Turn(text="Done."))
    ask(gateway, api)
    send(gateway, "tools/billing_pause", {"a": 1})
    shown = {
        "chat": [{"role": "tool", "tool_call_id": i, "content": "ok"} for i in ("c1", "c9")],
        "responses": [
            {"type": "function_call_output", "call_id": i, "output": "ok"} for i in ("c1", "c9")
        ],
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "tool_result", "tool_use_id": i, "content": "ok"} for i in ("c1", "c9")
                ],
            }
        ],
    }[api]

    ask(gateway, api, **{"input" if api == "responses" else "messages": shown})

    assert issues(trial) == []


OFFERS = {
    "chat": lambda name: {"type": "function", "function": {"name": name}},
    "responses": lambda name: {"type": "function", "name": name},
    "messages": lambda name: {"name": name, "input_schema": {}},
}


@pytest.mark.parametrize("api", PATHS)
def test_a_tool_that_is_not_offered_any_more_is_a_stale_case(api):
    """Read off the dialect's own list of tools; others in it do no harm."""
    gateway, trial = a_trial(asks(PAUSE), Turn(text="Done."))
    tools = [OFFERS[api]("customer_lookup"), {"type": "web_search"}, {"type": "custom"}, 7]

    ask(gateway, api, tools=tools)

    assert issues(trial) == [IssueKind.TOOL_NOT_OFFERED]
    (request,) = [e for e in trial.finish().trace.events if isinstance(e, ModelRequest)]
    assert request.offered_tools == ("customer.lookup",)


def test_custom_tools_of_chat_completions_are_offered_too():
    """Their names stand under their own key."""
    gateway, trial = a_trial(asks(PAUSE))

    ask(gateway, "chat", tools=[{"type": "custom", "custom": {"name": "billing_pause"}}])

    assert issues(trial) == []


@pytest.mark.parametrize("api", PATHS)
@pytest.mark.parametrize(
    ("offered", "name"), [("billing.pause", "billing.pause"), ("billing_pause", "billing_pause")]
)
def test_tools_are_called_by_the_name_under_which_they_are_offered(api, offered, name):
    """Model APIs take no dots; a server in between may."""
    gateway, trial = a_trial(asks(PAUSE))

    _, reply = ask(gateway, api, tools=[OFFERS[api](offered)])

    assert f'"{name}"' in json.dumps(reply)
    assert issues(trial) == []


def test_a_tool_without_wire_name_is_called_without_dots():
    """Cases written by hand may state none; results come back under the made-up name too."""
    tool = CaseTool(name="plan.show", effect=Effect.READ)
    gateway, trial = a_trial(
        asks(a_call("plan.show"), a_call("gone.tool", call_id="c2")),
        tools=(tool,),
        fixtures=(a_fixture("plan.show"),),
    )

    _, reply = ask(gateway, "messages")
    answer = send(gateway, "tools/plan_show", {})

    assert [block["name"] for block in reply["content"]] == ["plan_show", "gone_tool"]
    assert answer.status == 200
    tools = {e.tool for e in trial.finish().trace.events if e.kind == "tool_call"}
    assert tools == {"plan.show", "gone.tool"}


def test_what_is_asked_for_is_recorded():
    """Model, settings, tools and length of the history; long or deep settings are left out."""
    gateway, trial = a_trial(Turn(text="a"), Turn(text="b"), Turn(text="c"))

    ask(gateway, "chat", model="m", temperature=0.5, seed=7, top_p="x" * 100, messages=[{}, {}])
    ask(gateway, "responses", input="Pause my plan", model=5, max_output_tokens=9)
    ask(gateway, "messages", messages=[{"role": "user", "content": "a"}], top_k=[1])

    found = [
        (e.model, e.settings, e.offered_tools, e.n_messages)
        for e in trial.finish().trace.events
        if isinstance(e, ModelRequest)
    ]
    assert found == [
        ("m", {"temperature": 0.5, "seed": 7}, None, 2),
        (None, {"max_output_tokens": 9}, None, 1),
        (None, {}, None, 1),
    ]


# --- errors -----------------------------------------------------------------------------


@pytest.mark.parametrize("api", PATHS)
def test_recorded_errors_come_back_with_status_headers_and_body(api):
    """And with a word to clients that would wait a minute of nobody's time."""
    error = CallError(status=429, headers={"retry-after": "60"}, body={"error": {"type": "x"}})
    gateway, _ = a_trial(Turn(error=error))

    response = send(gateway, PATHS[api], {**EMPTY[api], "stream": True})

    assert (response.status, json.loads(response.body)) == (429, {"error": {"type": "x"}})
    assert (response.headers["retry-after"], response.headers["retry-after-ms"]) == ("60", "1")


@pytest.mark.parametrize("api", PATHS)
@pytest.mark.parametrize(("status", "sent"), [(None, 500), (200, 500), (529, 529), (999, 500)])
def test_errors_without_a_body_get_one_of_the_dialect(api, status, sent):
    """A client reads type and message where its provider writes them."""
    gateway, _ = a_trial(Turn(error=CallError(status=status, type="overloaded", message="busy")))

    found, body = ask(gateway, api)

    assert found == sent
    assert (body["error"]["type"], body["error"]["message"]) == ("overloaded", "busy")
    assert (body.get("type") == "error") is (api == "messages")


@pytest.mark.parametrize("api", PATHS)
def test_our_own_refusals_are_424_and_final(api):
    """A script that ended, a limit that was reached."""
    gateway, _ = a_trial()
    limited, trial = a_trial(Turn(text="a"), limits=Limits(model_calls=0))

    ended = send(gateway, PATHS[api], EMPTY[api])
    stopped = send(limited, PATHS[api], EMPTY[api])

    assert [r.status for r in (ended, stopped)] == [424, 424]
    assert {r.headers["x-should-retry"] for r in (ended, stopped)} == {"false"}
    assert json.loads(ended.body)["error"]["type"] == "script_exhausted"
    assert json.loads(stopped.body)["error"]["type"] == "stopped"
    assert trial.stopped.is_set()


@pytest.mark.parametrize(
    ("path", "body", "part"),
    [
        ("v1/chat/completions", b"", "`messages` is absent"),
        ("v1/chat/completions", b"{", "is not JSON"),
        ("v1/chat/completions", b"[1]", "expected an object"),
        ("v1/chat/completions", b'{"messages": {}}', "expected a list"),
        ("v1/chat/completions", b'{"messages": [], "tools": "all"}', "expected a list"),
        ("v1/responses", b'{"input": 5}', "expected a text or a list"),
        ("v1/responses", b'{"tools": {}}', "expected a list"),
        ("anthropic/v1/messages", b"{}", "`messages` is absent"),
        ("anthropic/v1/messages", b'{"messages": [], "tools": 1}', "expected a list"),
        ("anthropic/v1/messages", b"\xff", "is not JSON"),
    ],
)
def test_requests_of_no_dialect_are_400(path, body, part):
    """The agent's author reads why; nothing of the script is used up."""
    gateway, trial = a_trial(Turn(text="a"))

    response = send(gateway, path, body)

    assert response.status == 400
    assert part in json.loads(response.body)["error"]["message"]
    assert trial.finish().replies_left == 1


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "type", "name", "function", "tool_call_id", "call_id", "tool"]
            ),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(
    path=st.sampled_from(sorted(PATHS.values())),
    body=st.dictionaries(
        st.sampled_from(
            ["messages", "input", "tools", "stream", "model", "stream_options", "temperature"]
        ),
        JSON | st.lists(JSON, max_size=3),
        max_size=5,
    ),
)
def test_no_request_breaks_a_dialect(path, body):
    """Whatever shape it has, an answer of ours goes back."""
    gateway, _ = a_trial(asks(PAUSE, text="a"))

    assert send(gateway, path, body).status in (200, 400)


@settings(max_examples=50, deadline=None)
@given(document=st.dictionaries(st.sampled_from(
    ["type", "content", "choices", "output", "usage", "status", "item", "delta", "response", "error",
     "message", "content_block", "index", "id", "stop_reason"]), JSON | st.lists(JSON, max_size=3)))  # fmt: skip
def test_no_answer_of_a_provider_breaks_a_dialect(document):
    """A provider may send anything."""
    for dialect in DIALECTS.values():
        assert isinstance(dialect.seen(document), SeenReply | None)
        assert isinstance(dialect.joined([document, document]), SeenReply | None)
        assert isinstance(dialect.acts(document), bool)
        assert isinstance(dialect.is_surplus(document, {}), bool)


# --- what real providers send ---------------------------------------------------------------


def test_a_recorded_chat_stream_is_read():
    """Pieces of two calls, woven into one another; the usage in an event of its own."""

    def chunk(delta, finish=None):
        return {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    def piece(index, **function):
        return {"tool_calls": [{"index": index, "function": function}]}

    stream = [
        chunk({"role": "assistant", "content": None}),
        chunk({"tool_calls": [{"index": 0, "id": "a", "function": {"name": "f", "arguments": ""}}]}),
        chunk({"tool_calls": [{"index": 1, "id": "b", "function": {"name": "g", "arguments": ""}}]}),
        chunk(piece(0, arguments='{"x":')),
        chunk(piece(1, arguments="{}")),
        chunk(piece(0, arguments=" 1}")),
        {"id": "x", "choices": [{"index": 1, "delta": {"content": "another choice"}}]},
        chunk({}, "tool_calls"),
        {"id": "x", "choices": [], "usage": {"prompt_tokens": 5, "completion_tokens": 2}},
    ]  # fmt: skip

    assert chat.joined(stream) == SeenReply(
        calls=(
            SeenCall(id="a", name="f", args_text='{"x": 1}'),
            SeenCall(id="b", name="g", args_text="{}"),
        ),
        finish_reason="tool_calls",
        usage=Usage(input_tokens=5, output_tokens=2),
        id="x",
    )
    assert [chat.acts(event) for event in stream] == [False, *[True] * 5, False, True, False]
    assert chat.joined([*stream, {"error": {"message": "late"}}]) is None


def test_a_recorded_message_stream_is_read():
    """Thinking is nobody's text; what the provider ran itself is named."""
    stream: list[Any] = [
        {"type": "message_start", "message": {"id": "m", "type": "message", "usage": {"input_tokens": 9}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}},
        {"type": "content_block_stop", "index": 0},
        {"type": "ping"},
        {"type": "content_block_start", "index": 1, "content_block": {"type": "server_tool_use", "name": "web_search", "input": {}}},
        {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "Well"}},
        {"type": "content_block_start", "index": 3, "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}}},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "input_json_delta", "partial_json": ""}},
        {"type": "content_block_delta", "index": 3, "delta": {"type": "input_json_delta", "partial_json": '{"a": 1}'}},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 4}},
        {"type": "message_stop"},
    ]  # fmt: skip

    assert messages.joined(stream) == SeenReply(
        text="Well",
        calls=(SeenCall(id="t", name="f", args_text='{"a": 1}'),),
        finish_reason="tool_use",
        usage=Usage(input_tokens=9, output_tokens=4),
        hosted=("web_search",),
        id="m",
    )
    assert not any(map(messages.acts, stream[:5]))
    assert (
        messages.joined([*stream[:5], {"type": "error", "error": {"type": "overloaded_error"}}])
        is None
    )


def test_a_recorded_response_is_read():
    """Refusals are text, reasoning is not, and what the provider ran itself is named."""
    document: Any = {
        "id": "r",
        "status": "incomplete",
        "incomplete_details": {"reason": "max_output_tokens"},
        "output": [
            {"type": "reasoning", "summary": [{"text": "hm"}]},
            {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]},
            {"type": "custom_tool_call", "call_id": "c", "name": "shell", "input": "ls"},
            {"type": "computer_call", "call_id": "d"},
            {"type": "web_search_call", "status": "completed"},
            {"type": "mcp_call", "name": "billing_pause"},
        ],
        "usage": {"input_tokens": 5, "input_tokens_details": {"cached_tokens": 4}},
    }

    assert responses.seen(document) == SeenReply(
        text="No.",
        calls=(SeenCall(id="c", name="shell", args_text="ls"),),
        finish_reason="max_output_tokens",
        usage=Usage(input_tokens=5, cached_tokens=4),
        hosted=("web_search", "billing_pause"),
        id="r",
    )
    assert responses.seen({**document, "status": "failed"}) is None
    assert responses.joined([{"type": "response.failed", "response": {}}]) is None


# --- beside replies -----------------------------------------------------------------------------


def test_clients_may_ask_for_models_and_lengths():
    """Some do before their first request."""
    gateway, trial = a_trial(environment={"model": "gpt-recorded"})
    plain, _ = a_trial()

    listed = json.loads(send(gateway, "v1/models", b"", method="GET").body)
    count = json.loads(send(gateway, "anthropic/v1/messages/count_tokens", b"x" * 40).body)

    assert [model["id"] for model in listed["data"]] == ["gpt-recorded"]
    assert json.loads(send(plain, "models", b"", method="GET").body)["data"][0]["id"] == "replay"
    assert count == {"input_tokens": 10}
    assert [e.kind for e in trial.finish().trace.events] == ["user_message"]


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("POST", "openai/deployments/gpt/chat/completions?api-version=1", 200),
        ("POST", "chat/completions", 200),
        ("POST", "anthropic/v1/chat/completions", 200),
        ("GET", "v1/chat/completions", 405),
        ("DELETE", "v1/models", 405),
        ("POST", "v1/embeddings", 501),
        ("POST", "v1/threads/x/messages", 501),
        ("GET", "v1/responses/resp_1", 405),
    ],
)
def test_an_api_is_known_by_the_end_of_its_path(method, path, status):
    """Clients of one API put different things before it; other APIs are refused."""
    gateway, _ = a_trial(Turn(text="a"))

    assert send(gateway, path, {"messages": []}, method=method).status == status
