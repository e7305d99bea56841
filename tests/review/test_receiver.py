"""`workbench collect` over HTTP: what is taken is stored, what is not is said so, and nothing hangs."""

from __future__ import annotations

import gzip
import http.client
import json
import socket
import threading
import time
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.trace.v1 import trace_pb2

from tests.ingest.otlp.spans import TRACE, a_billing_run, a_document, a_log
from tests.ingest.samples import kinds
from workbench.errors import InputError
from workbench.ingest.received import pieces_of_json, pieces_of_protobuf, runs_of
from workbench.model.event import ToolCall
from workbench.model.trace import Effect, Tool
from workbench.review.collect import Answer, Collector
from workbench.review.receiver import Receiver, receiving
from workbench.review.refusals import LIMIT_BYTES, Refusal
from workbench.store.errors import StoreFull
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.desk

JSON = "application/json"
PROTOBUF = "application/x-protobuf"


class Client:
    """Sends requests to a receiver."""

    def __init__(self, port: int, collector: Collector, said: list[str]) -> None:
        self.port, self.collector, self.said = port, collector, said

    def post(
        self,
        body: bytes,
        *,
        kind: str = JSON,
        path: str = "/v1/traces",
        method: str = "POST",
        headers: dict[str, str] | None = None,
    ) -> tuple[int, bytes, dict[str, str]]:
        """Send one request; return status, body and headers of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request(method, path, body, {"content-type": kind, **(headers or {})})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, answer.read(), found
        finally:
            connection.close()


@contextmanager
def collecting(
    folder: Path, *, limit_bytes: int = 1 << 20, tools: tuple[Tool, ...] = ()
) -> Iterator[Client]:
    """A receiver on a free port with a store of its own."""
    said: list[str] = []
    with open_store(folder / "store") as store:
        collector = Collector(store, tools=tools, limit_bytes=limit_bytes, on_failure=said.append)
        with receiving(collector, port=0) as receiver:
            yield Client(receiver.port, collector, said)


def stored(folder: Path) -> dict[str, Any]:
    """The stored runs by id."""
    with open_store(folder / "store", create=False) as store:
        return {run_id: store.fetch(run_id) for run_id in store.run_ids()}


def a_body(*spans: Any, trace: str = TRACE) -> bytes:  # noqa: ANN401
    """A request in JSON."""
    found = spans or tuple(a_billing_run())
    return json.dumps(a_document(*({**span, "traceId": trace} for span in found))).encode()


def in_protobuf(*spans: Any) -> bytes:  # noqa: ANN401
    """The same request as the SDK's exporter writes it."""
    from google.protobuf.json_format import ParseDict

    document: Any = json.loads(a_body(*spans))
    for span in document["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        for name in ("traceId", "spanId", "parentSpanId"):
            if name in span:
                import base64

                span[name] = base64.b64encode(bytes.fromhex(span[name])).decode()
    message = ParseDict(document, trace_pb2.TracesData(), ignore_unknown_fields=True)
    return bytes(message.SerializeToString())


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
@pytest.mark.parametrize("kind", [JSON, PROTOBUF])
def test_what_is_acknowledged_is_stored(tmp_path: Path, kind: str, encoding: str) -> None:
    """In both encodings, packed or not, the answer comes after the commit."""
    body = a_body() if kind == JSON else in_protobuf()
    sent = gzip.compress(body) if encoding == "gzip" else body
    headers = {"content-encoding": encoding}

    with collecting(tmp_path) as client:
        answer = client.post(sent, kind=kind, headers=headers)
        found = stored(tmp_path)  # while the receiver still runs

    assert answer[0] == 200
    assert answer[1] == (b"{}" if kind == JSON else b"")
    assert answer[2]["content-type"] == kind
    assert list(found) == [TRACE]
    assert "tool_result" in kinds(found[TRACE])


def test_late_spans_complete_their_run(tmp_path: Path) -> None:
    """An exporter sends every few seconds; the parts of a run come in several requests."""
    spans = a_billing_run()

    with collecting(tmp_path) as client:
        for start in range(0, len(spans), 2):
            assert client.post(a_body(*spans[start : start + 2]))[0] == 200
        assert client.post(in_protobuf(*spans), kind=PROTOBUF)[0] == 200  # all of it once more

    found = stored(tmp_path)[TRACE]
    assert kinds(found).count("tool_call") == kinds(found).count("tool_result") == 1


def test_log_records_join_the_spans_of_their_trace(tmp_path: Path) -> None:
    """Old instrumentations write the messages into logs, which another exporter sends."""
    log = a_log("gen_ai.user.message", {"content": "Pause my plan."}, span=1)
    scopes = [{"scope": {"name": "demo"}, "logRecords": [log]}]
    request = {"resourceLogs": [{"resource": {}, "scopeLogs": scopes}]}

    with collecting(tmp_path) as client:
        first = client.post(a_body())
        second = client.post(json.dumps(request).encode(), path="/v1/logs")

    assert (first[0], second[0]) == (200, 200)
    assert len(stored(tmp_path)) == 1


def test_declared_effects_travel_with_the_runs(tmp_path: Path) -> None:
    """As with `ingest --tools`."""
    with collecting(tmp_path) as client:
        client.post(a_body())
    (trace,) = stored(tmp_path).values()
    name = next(e.tool for e in trace.events if isinstance(e, ToolCall))

    with collecting(tmp_path / "2", tools=(Tool(name=name, effect=Effect.READ),)) as client:
        client.post(a_body())
    (declared,) = stored(tmp_path / "2").values()

    assert {tool.name: tool.effect for tool in declared.tools}[name] is Effect.READ


def test_many_exporters_at_once_share_batches(tmp_path: Path) -> None:
    """What comes during a commit waits and is one batch."""
    traces = [f"{number:032x}" for number in range(1, 41)]
    statuses: list[int] = []

    with collecting(tmp_path, limit_bytes=64 << 20) as client:
        threads = [
            threading.Thread(target=lambda t=t: statuses.append(client.post(a_body(trace=t))[0]))
            for t in traces
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        tally = client.collector.tally

    assert statuses == [200] * 40
    assert set(stored(tmp_path)) == set(traces)
    assert tally.requests == 40
    assert tally.batches < 40


EMPTY = [b"{}", b'{"resourceSpans": []}', b'{"resourceSpans": [{"scopeSpans": [{"spans": []}]}]}']


@pytest.mark.parametrize("body", EMPTY)
def test_an_empty_request_is_taken_and_adds_nothing(tmp_path: Path, body: bytes) -> None:
    """Exporters send one to see whether somebody listens."""
    with collecting(tmp_path) as client:
        assert client.post(body)[0] == 200
        assert client.post(b"", kind=PROTOBUF)[0] == 200
        assert client.collector.tally.batches == 0


HOSTILE = {
    "no JSON": (b"hello", 400),
    "cut": (a_body()[:-40], 400),
    "binary": (bytes(range(256)) * 4, 400),
    "deep": (b'{"resourceSpans":' + b"[" * 100_000, 400),
    "deep value": (
        b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"' + TRACE.encode()
        + b'","spanId":"0000000000000001","attributes":' + b"[" * 50_000 + b"]" * 50_000
        + b"}]}]}]}",
        400,
    ),
    "a list": (b"[]", 400),
    "something else": (b'{"events": []}', 400),
    "no spans": (b'{"resourceSpans": [5]}', 400),
    "no ids": (b'{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}', 400),
    "utf-16": (a_body().decode().encode("utf-16"), 400),
    "markup": (b"<html></html>", 400),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_body_that_is_no_request_is_refused_and_stores_nothing(tmp_path: Path, name: str) -> None:
    """The next request is served, and no text of the body comes back."""
    body, wanted = HOSTILE[name]

    with collecting(tmp_path) as client:
        status, answer, _ = client.post(body)
        binary = client.post(body, kind=PROTOBUF)
        after = client.post(a_body())

    assert status == wanted
    assert json.loads(answer)["message"]
    assert (binary[0], binary[1][:1]) == (400, b"\x12")
    assert after[0] == 200
    assert list(stored(tmp_path)) == [TRACE]


REFUSED = {
    "path": ({"path": "/v1/metrics"}, 404, Refusal.PATH),
    "method": ({"method": "GET"}, 405, Refusal.METHOD),
    "media type": ({"kind": "text/plain"}, 415, Refusal.MEDIA_TYPE),
    "no media type": ({"kind": ""}, 415, Refusal.MEDIA_TYPE),
    "encoding": ({"headers": {"content-encoding": "br"}}, 415, Refusal.ENCODING),
    "no gzip": ({"headers": {"content-encoding": "gzip"}}, 400, Refusal.DAMAGED),
    "web page": ({"headers": {"origin": "https://example.com"}}, 403, Refusal.FOREIGN),
    "rebound name": ({"headers": {"host": "evil.example:80"}}, 403, Refusal.FOREIGN),
    "too large": ({"headers": {"content-length": str(LIMIT_BYTES + 1)}}, 413, Refusal.TOO_LARGE),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_no_exporter_sends_is_refused(tmp_path: Path, name: str) -> None:
    """A web page can send to loopback too, and must not write traces."""
    options, wanted, reason = REFUSED[name]

    with collecting(tmp_path) as client:
        status, answer, headers = client.post(a_body(), **options)  # type: ignore[arg-type]
        after = client.post(a_body())

    assert status == wanted
    assert client.collector.tally.refusals == {reason: 1}
    (said,) = client.said
    assert f"({wanted}); more of them are counted\n  Fix: " in said
    assert headers["connection"] == "close"
    assert json.loads(answer)["message"]
    assert after[0] == 200


def test_the_first_refusal_of_a_kind_is_said_and_all_are_counted(tmp_path: Path) -> None:
    """Only the client sees the answer; a metrics exporter sends to the wrong path all day long."""
    hostile = "/v1/rachel.rivera@fabrikam.com"

    with collecting(tmp_path) as client:
        for _ in range(3):
            client.post(a_body(), path=hostile)
        client.post(b"rachel.rivera@fabrikam.com")
        client.post(a_body())

    assert client.collector.tally.refusals == {Refusal.PATH: 3, Refusal.NO_OTLP: 1}
    assert client.collector.tally.refused == 4
    assert [text.partition(" (")[0] for text in client.said] == [
        "a request was refused for another path than /v1/traces and /v1/logs",
        "a request was refused for a body that is no OTLP of spans or log records",
    ]
    assert "rachel" not in "".join(client.said)


def test_an_exporter_that_speaks_grpc_or_tls_is_told_apart(tmp_path: Path) -> None:
    """The default of several SDKs; nothing else would say why no run comes."""
    with collecting(tmp_path) as client:
        grpc = raw_answer(client.port, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        odd = raw_answer(client.port, b"rachel HTTP/1.1\r\n\r\n")
        method = raw_answer(client.port, b"TRACE /v1/traces HTTP/1.1\r\nhost: localhost\r\n\r\n")

    assert grpc.startswith(b"HTTP/1.1 400")
    assert odd.endswith(b'{"message": "expected POST in HTTP/1.1"}')
    assert method.startswith(b"HTTP/1.1 405")
    assert b"rachel" not in odd
    assert client.collector.tally.refusals == {Refusal.NO_HTTP: 2, Refusal.METHOD: 1}
    assert "Fix: set OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf" in client.said[0]


def test_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    """Neither a long body nor a small one that unpacks to a long one takes the memory."""
    bomb = zlib.compress(b" " * (LIMIT_BYTES + 1), wbits=31)
    headers = {"content-length": str(LIMIT_BYTES + 1)}

    with collecting(tmp_path, limit_bytes=64 << 20) as client:
        long = client.post(b"", headers=headers)
        packed = client.post(bomb, headers={"content-encoding": "gzip"})

    assert (long[0], packed[0]) == (413, 413)


def test_gzip_that_ends_early_is_refused(tmp_path: Path) -> None:
    """Half a request would be half a run."""
    with collecting(tmp_path) as client:
        body = gzip.compress(a_body())[:-9]
        assert client.post(body, headers={"content-encoding": "gzip"})[0] == 400


def raw_answer(port: int, *parts: bytes) -> bytes:
    """What a client gets that writes these bytes itself."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        for part in parts:
            connection.sendall(part)
        connection.shutdown(socket.SHUT_WR)
        return connection.makefile("rb").read()


HEAD = b"POST /v1/traces HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"


def test_a_body_in_chunks_is_read(tmp_path: Path) -> None:
    """Some exporters stream; chunks that are none are refused."""
    body = a_body()
    chunks = b"%x\r\n%b\r\n0\r\n\r\n" % (len(body), body)
    head = HEAD + b"transfer-encoding: chunked\r\n\r\n"

    with collecting(tmp_path) as client:
        good = raw_answer(client.port, head, chunks)
        bad = raw_answer(client.port, head, b"-5\r\nxx\r\n")
        large = raw_answer(client.port, head, b"fffffff\r\n")

    assert good.startswith(b"HTTP/1.1 200")
    assert bad.startswith(b"HTTP/1.1 400")
    assert large.startswith(b"HTTP/1.1 413")
    assert list(stored(tmp_path)) == [TRACE]


def test_a_client_that_goes_away_leaves_nothing(tmp_path: Path) -> None:
    """A body that ends before its length is refused; no length is, too."""
    with collecting(tmp_path) as client:
        early = raw_answer(client.port, HEAD + b"content-length: 500\r\n\r\n", b'{"resource')
        none = raw_answer(client.port, HEAD + b"\r\n")
        odd = raw_answer(client.port, b"\x00\xff\r\n\r\n")
        after = client.post(a_body())

    assert early.startswith(b"HTTP/1.1 400")
    assert none.startswith(b"HTTP/1.1 411")
    assert b"200" not in odd[:20]
    assert after[0] == 200


def test_too_much_that_waits_is_told_to_come_again(tmp_path: Path) -> None:
    """Back-pressure: memory has a limit, and the exporter keeps what was not taken."""
    with collecting(tmp_path, limit_bytes=1000) as client:
        assert client.collector.reserve(900, held=0) is None  # another request is being read
        status, answer, headers = client.post(a_body())
        client.collector.release(900)
        after = client.post(a_body())

    assert (status, headers["retry-after"]) == (429, "1")
    assert json.loads(answer)["message"] == "too much waits to be stored; send again"
    assert after[0] == 200
    assert client.collector.tally.refusals == {Refusal.BUSY: 1}


def test_a_store_that_fails_is_told_to_come_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk is no reason to lose a trace: nothing is acknowledged, and once there is room it is."""
    with collecting(tmp_path) as client:
        store = client.collector._store
        real = type(store).append

        def full(*_: object, **__: object) -> None:
            raise StoreFull

        monkeypatch.setattr(type(store), "append", full)
        first = client.post(a_body())
        monkeypatch.setattr(type(store), "append", real)
        second = client.post(a_body())

    assert (first[0], first[2]["retry-after"]) == (503, "1")
    assert client.collector.tally.refusals == {Refusal.STORE_FAILED: 1}
    assert len(client.said) == 1, "what the store says is not said again as a refusal"
    assert "no room" in client.said[0]
    assert second[0] == 200
    assert list(stored(tmp_path)) == [TRACE]


def test_a_bug_in_one_request_does_not_take_the_others_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch that fails as a whole is tried request by request."""

    def fails(pieces: Any) -> Any:  # noqa: ANN401
        if any(b"f" * 32 in piece.raw for piece in pieces):
            message = "text of a trace"
            raise RuntimeError(message)
        return runs_of(pieces)

    monkeypatch.setattr("workbench.review.collect.runs_of", fails)
    statuses: dict[str, int] = {}
    with collecting(tmp_path, limit_bytes=64 << 20) as client:
        ids = ["f" * 32, *(f"{number:032x}" for number in range(1, 12))]
        threads = [
            threading.Thread(
                target=lambda t=t: statuses.update({t: client.post(a_body(trace=t))[0]})
            )
            for t in ids
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    assert statuses == {"f" * 32: 500, **dict.fromkeys(ids[1:], 200)}
    assert set(stored(tmp_path)) == set(ids[1:])
    assert client.said
    assert not any("text of a trace" in text for text in client.said)


def test_the_end_refuses_what_comes_and_stores_what_was_taken(tmp_path: Path) -> None:
    """Between the signal and the end a client is told to come again."""
    with collecting(tmp_path) as client:
        assert client.post(a_body())[0] == 200
        client.collector.stop()
        status, _, headers = client.post(a_body(trace="e" * 32))

    assert (status, headers["retry-after"]) == (503, "1")
    assert list(stored(tmp_path)) == [TRACE]


def test_a_port_that_is_taken_is_named(tmp_path: Path) -> None:
    """Two receivers on one port would each lose half."""
    with collecting(tmp_path) as client, pytest.raises(InputError, match="cannot be used") as told:
        Receiver(client.collector, port=client.port)

    assert "--port" in str(told.value)
    with pytest.raises(InputError, match="port 99999"):
        Receiver(client.collector, port=99_999)


def test_a_message_of_another_trace_stays_apart(tmp_path: Path) -> None:
    """One trace id is one run, also in one request."""
    spans = [*a_billing_run(), *({**span, "traceId": "d" * 32} for span in a_billing_run())]

    with collecting(tmp_path) as client:
        assert client.post(json.dumps(a_document(*spans)).encode())[0] == 200

    assert set(stored(tmp_path)) == {TRACE, "d" * 32}


def test_a_batch_that_fails_is_tried_request_by_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where both requests waited from the start."""

    def fails(pieces: Any) -> Any:  # noqa: ANN401
        if any(b"f" * 32 in piece.raw for piece in pieces):
            raise RuntimeError
        return runs_of(pieces)

    monkeypatch.setattr("workbench.review.collect.runs_of", fails)
    said: list[str] = []
    answers: dict[str, Answer] = {}
    with open_store(tmp_path / "store") as store:
        collector = Collector(store, limit_bytes=1 << 20, on_failure=said.append)

        def deliver(trace: str) -> None:
            body = a_body(trace=trace)
            answers[trace] = collector.deliver(pieces_of_json(body), body)

        threads = [threading.Thread(target=deliver, args=(t,)) for t in ("f" * 32, "a" * 32)]
        for thread in threads:
            thread.start()
        while len(collector._waiting) < 2:
            time.sleep(0.001)
        collector.stop()
        collector.work()
        for thread in threads:
            thread.join()

        assert answers == {"f" * 32: Answer.FAILED, "a" * 32: Answer.STORED}
        assert store.run_ids() == {"a" * 32}
        assert collector.deliver(pieces_of_json(a_body()), b"") is Answer.STOPPING
    assert len(said) == 1


def test_json_and_protobuf_of_one_run_in_one_batch_are_one_run() -> None:
    """Two exporters of one process may speak differently."""
    spans = a_billing_run()
    pieces = (*pieces_of_json(a_body(*spans[:2])), *pieces_of_protobuf(in_protobuf(*spans[2:])))

    (run,) = runs_of(pieces)

    assert run.trace is not None
    assert "tool_result" in kinds(run.trace)
