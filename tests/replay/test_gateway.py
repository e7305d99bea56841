"""The gateway: bytes in, bytes out, and nothing that an agent sends can break it."""

from __future__ import annotations

import http.client
import json
import socket

import pytest
from hypothesis import given, settings, strategies as st

from tests.replay.builders import a_call, a_case, a_fixture, asks
from workbench.errors import InputError
from workbench.model.case import Turn
from workbench.model.event import CallError, Outcome, Usage
from workbench.replay.gateway.core import Gateway
from workbench.replay.gateway.http import serve
from workbench.replay.gateway.wire import LIMIT_BYTES, read_json
from workbench.replay.trial import Limits, Trial

CALL = a_call("billing.pause", {"a": 1})
PAUSE = a_fixture(
    "billing.pause", id="f2", args={"a": 1}, outcome=Outcome.UNKNOWN, detail="timeout",
    operation_id="op", error=CallError(status=504, body="late"),
)  # fmt: skip


def a_gateway(*turns, limits=None, **fields):
    """Return a gateway that serves one trial as `t`."""
    case = a_case(*turns, **{"fixtures": (a_fixture(result={"id": 7}), PAUSE), **fields})
    gateway = Gateway()
    gateway.open(Trial(case, case.recorded, run_id="t", limits=limits or Limits()))
    return gateway


def post(gateway, path, body=None, *, method="POST", headers=None):
    """Send one request; return status and answer."""
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    response = gateway.handle(method, path, headers or {}, raw)
    assert response.headers["content-type"] == "application/json"
    return response.status, json.loads(response.body)


def test_a_reply_as_plain_json():
    """Text always, optional fields only when there is something."""
    gateway = a_gateway(
        asks(CALL, usage=Usage(input_tokens=3)), Turn(text="a", finish_reason="end")
    )

    first = post(gateway, "/r/t/model", {"messages": []})
    second = post(gateway, "/r/t/model?x=1", {"messages": []})

    assert first == (
        200,
        {
            "text": "",
            "tool_calls": [{"id": "c1", "name": "billing.pause", "args": {"a": 1}}],
            "finish_reason": "tool_calls",
            "usage": {"input_tokens": 3},
        },
    )
    assert second == (200, {"text": "a", "tool_calls": [], "finish_reason": "end"})


def test_a_trial_that_is_closed_closes_no_other():
    """One server serves all trials."""
    gateway = a_gateway(Turn(text="a"))
    case = a_case(Turn(text="b"))
    other = Trial(case, case.recorded, run_id="u")
    gateway.open(other)

    gateway.close(other)

    assert post(gateway, "/r/t/model", {"messages": []})[1]["text"] == "a"
    assert post(gateway, "/r/u/model", {"messages": []})[0] == 404


@pytest.mark.parametrize(
    ("offered", "name"),
    [
        (None, "billing.pause"),
        (["billing.pause"], "billing.pause"),
        (["billing_pause"], "billing_pause"),
        ([{"name": "billing_pause"}], "billing_pause"),
        ([{"type": "function", "function": {"name": "billing_pause"}}], "billing_pause"),
        ([{"function": {}}, 7, None], "billing.pause"),
    ],
)
def test_tools_are_called_by_the_name_under_which_they_are_offered(offered, name):
    """Frameworks offer wire names, others the canonical ones."""
    gateway = a_gateway(asks(CALL))

    _, reply = post(gateway, "/r/t/model", {"messages": [], "tools": offered})

    assert reply["tool_calls"][0]["name"] == name


def test_arguments_that_are_not_json_go_out_as_text():
    """The agent's parser has to meet what the incident's met."""
    gateway = a_gateway(asks(a_call("billing.pause", raw="{oops")))

    _, reply = post(gateway, "/r/t/model", {"messages": []})

    assert reply["tool_calls"][0]["args"] == "{oops"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (CallError(status=503, body={"e": 1}), (503, {"e": 1})),
        (CallError(message="m", type="T"), (500, {"error": {"message": "m", "type": "T"}})),
        (CallError(status=200), (500, {"error": {"message": "", "type": "recorded"}})),
    ],
)
def test_recorded_errors_come_back_as_recorded(error, expected):
    """An error is an error also when its status was not."""
    gateway = a_gateway(Turn(error=error))

    assert post(gateway, "/r/t/model", {"messages": []}) == expected


def test_a_script_that_ended_is_424():
    """And no client shall retry."""
    response = a_gateway().handle("POST", "/r/t/model", {}, b'{"messages": []}')

    assert response.status == 424
    assert response.headers["x-should-retry"] == "false"
    assert json.loads(response.body)["error"]["type"] == "script_exhausted"


def test_a_tool_answers_from_its_fixture():
    """By canonical or wire name, with all that was recorded."""
    gateway = a_gateway()

    ok = post(gateway, "/r/t/tools/customer.lookup", b"")
    late = post(gateway, "/r/t/tools/billing_pause", {"a": 1}, headers={"x-call-id": "c1"})

    assert ok == (200, {"outcome": "ok", "result": {"id": 7}})
    assert late == (
        200,
        {
            "outcome": "unknown",
            "detail": "timeout",
            "operation_id": "op",
            "error": {"status": 504, "body": "late"},
        },
    )


def test_a_failure_without_a_recorded_error_still_has_one():
    """Clients read `error` whenever the outcome is not ok."""
    fixture = a_fixture(outcome=Outcome.MISSING)

    status, body = post(a_gateway(fixtures=(fixture,)), "/r/t/tools/customer.lookup", {})

    assert (status, body) == (200, {"outcome": "missing", "error": {"type": "missing"}})


def test_refusals_are_424_with_the_explanation():
    """Default deny, and the author of the agent can see why."""
    gateway = a_gateway()

    status, body = post(gateway, "/r/t/tools/billing.pause", {"a": 2})
    _, unknown = post(gateway, "/r/t/tools/no%2Fsuch", {})

    assert (status, body["outcome"]) == (424, "blocked")
    assert body["error"]["nearest"] == "f2"
    assert body["error"]["differs_at"] == ["args.a"]
    assert set(unknown["error"]) == {"type", "message"}


def test_events_are_recorded():
    """And counted back."""
    events = [{"kind": "claim", "text": "a"}]

    assert post(a_gateway(), "/r/t/events", {"events": events}) == (200, {"recorded": 1})


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/r/t/model", b"{", 400),
        ("POST", "/r/t/model", b"\xff\xfe", 400),
        ("POST", "/r/t/model", b"[" * 100_000, 400),
        ("POST", "/r/t/model", b"[" * 70 + b"]" * 70, 400),
        ("POST", "/r/t/model", b'{"messages": NaN}', 400),
        ("POST", "/r/t/model", b"[]", 400),
        ("POST", "/r/t/model", b'{"messages": 1}', 400),
        ("POST", "/r/t/model", b'{"messages": [], "tools": 1}', 400),
        ("POST", "/r/t/events", b"[]", 400),
        ("POST", "/r/t/events", b'{"events": [1]}', 400),
        ("POST", "/r/t/events", b'{"events": {}}', 400),
        ("GET", "/r/t/model", b"", 405),
        ("POST", "/r/t/v1/chat/completions", b"{}", 400),
        ("POST", "/r/t/v1/embeddings", b"{}", 501),
        ("POST", "/r/t/tools/", b"{}", 501),
        ("POST", "/r/other/model", b"{}", 404),
        ("POST", "/", b"{}", 404),
        ("POST", "/r/t", b"{}", 404),
    ],
)
def test_what_is_not_known_is_refused(method, path, body, status):
    """With one kind of answer, whatever came."""
    found, answer = post(a_gateway(), path, body, method=method)

    assert found == status
    assert set(answer["error"]) == {"type", "message"}


def test_a_trial_that_ended_is_not_served_any_more():
    """What an agent left behind gets nothing."""
    gateway = a_gateway(Turn(text="a"), limits=Limits(model_calls=0))
    stopped = post(gateway, "/r/t/model", {"messages": []})
    later = post(gateway, "/r/t/model", {"messages": []})
    (trial,) = gateway._trials.values()
    gateway.close(trial)
    gateway.close(trial)

    closed = post(gateway, "/r/t/model", {"messages": []})

    assert [found[0] for found in (stopped, later, closed)] == [424, 424, 404]
    assert stopped[1]["error"]["type"] == "stopped"


def test_bodies_have_a_limit():
    """A flood must not fill us."""
    with pytest.raises(InputError, match="at most"):
        read_json(b" " * (LIMIT_BYTES + 1))


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=60), st.text(max_size=12), st.sampled_from(["model", "events", "tools/a"])
)
def test_no_request_breaks_the_gateway(raw, tail, route):
    """Whatever arrives, an answer of ours goes back."""
    gateway = a_gateway(Turn(text="a"))

    for path in (f"/r/t/{route}", f"/r/t/{tail}", tail):
        assert 200 <= gateway.handle("POST", path, {}, raw).status < 600


# --- over HTTP ---------------------------------------------------------------------


@pytest.fixture(scope="module")
def server():
    """A running server with one trial that has many replies."""
    with serve() as running:
        case = a_case(*[Turn(text="é\ud800")] * 50)
        running.gateway.open(Trial(case, case.recorded, run_id="t 1"))
        yield running


def exchange(server, raw):
    """Send bytes and return everything that comes back until the server closes."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=5) as connection:
        connection.sendall(raw)
        connection.shutdown(socket.SHUT_WR)
        found = b""
        while chunk := connection.recv(65_536):
            found += chunk
    return found


def test_one_connection_serves_many_requests(server):
    """Clients keep connections alive; run ids are quoted in the URL."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)
    assert server.base_url("t 1").endswith("/r/t%201")

    texts = []
    for _ in range(3):
        connection.request("POST", "/r/t%201/model", b'{"messages": []}')
        texts.append(json.loads(connection.getresponse().read())["text"])
    connection.close()

    assert texts == ["é\ud800"] * 3


def test_bodies_may_come_in_chunks(server):
    """Some clients stream what they send."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=5)

    connection.request("POST", "/r/t%201/model", iter([b'{"mess', b'ages": []}']), encode_chunked=True,
                       headers={"transfer-encoding": "chunked"})  # fmt: skip
    response = connection.getresponse()
    response.read()
    connection.close()

    assert response.status == 200


@pytest.mark.parametrize(
    "raw",
    [
        b"POST /r/x/model HTTP/1.1\r\ncontent-length: many\r\n\r\n",
        b"POST /r/x/model HTTP/1.1\r\ncontent-length: 99999999\r\n\r\n",
        b"POST /r/x/model HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n",
        b"POST /r/x/model HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n-5\r\n",
        b"POST /r/x/model HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nfffffff\r\n",
    ],
)
def test_bodies_that_cannot_be_read_are_400(server, raw):
    """And the connection is closed, since its rest makes no sense."""
    assert exchange(server, raw).startswith(b"HTTP/1.1 400")


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\x00\xff garbage\r\n\r\n",
        b"POST /r/x/model HTTP/1.1\r\ncontent-length: 9\r\n\r\nhalf",
    ],
)
def test_broken_requests_leave_the_server_alive(server, raw):
    """The next client is served."""
    exchange(server, raw)

    assert b"404" in exchange(server, b"GET / HTTP/1.0\r\n\r\n")


def test_a_recorded_header_cannot_end_the_header_block():
    """Headers come from a stranger's trace."""
    error = CallError(
        status=503, headers={"x-a": "1\r\nx-evil: 1", "x-b": "é\u4e2d", "connection": "x"}
    )
    case = a_case(Turn(error=error))
    with serve() as server:
        server.gateway.open(Trial(case, case.recorded, run_id="t"))
        body = b'{"messages": []}'
        head = b"POST /r/t/model HTTP/1.0\r\ncontent-length: %d\r\n\r\n" % len(body)
        found = exchange(server, head + body)

    assert b"\r\nx-evil" not in found
    assert b"x-a: 1  x-evil: 1" in found


def test_headers_with_names_that_are_none_are_dropped():
    """A name with a line break would be two headers."""
    error = CallError(status=503, headers={"x\r\ny": "1", "x-ok": "2"})
    case = a_case(Turn(error=error))
    with serve() as server:
        server.gateway.open(Trial(case, case.recorded, run_id="t"))
        body = b'{"messages": []}'
        head = b"POST /r/t/model HTTP/1.0\r\ncontent-length: %d\r\n\r\n" % len(body)
        found = exchange(server, head + body)

    assert b"\r\ny: 1" not in found
    assert b"x-ok: 2" in found
