"""Clients of `workbench collect` that want its memory, its connections or its time."""

from __future__ import annotations

import gzip
import socket
import threading
import tracemalloc
import zlib
from typing import TYPE_CHECKING

import pytest

from tests.ingest.otlp.spans import a_billing_run
from tests.review.test_receiver import HEAD, PROTOBUF, a_body, collecting, in_protobuf, stored
from workbench.errors import InputError
from workbench.ingest.received import pieces_of_protobuf
from workbench.review.incoming import TimedHandler
from workbench.review.refusals import Refusal

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk

GZIP = {"content-encoding": "gzip"}
ROOM = 64 << 20


def dripped(port: int, head: bytes) -> bytes:
    """What a client gets that sends a head and then, byte by byte, without an end."""
    with socket.create_connection(("127.0.0.1", port), timeout=0.02) as connection:
        connection.sendall(head)
        while True:
            try:
                return connection.recv(1000)
            except TimeoutError:
                connection.sendall(b" ")
            except ConnectionError:
                return b""


ENDLESS = {
    "body": b"content-length: 500\r\n\r\n",
    "chunk": b"transfer-encoding: chunked\r\n\r\nfffff\r\n",
    "length of a chunk": b"transfer-encoding: chunked\r\n\r\n",
    "head": b"content-length: 500\r\nx: ",
}


@pytest.mark.parametrize("name", ENDLESS)
def test_a_client_that_never_ends_is_cut_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Each byte keeps a connection from being idle; its place and its room are for others."""
    monkeypatch.setattr(TimedHandler, "request_s", 0.6)
    got: list[bytes] = []
    with collecting(tmp_path) as client:
        slow = threading.Thread(
            target=lambda: got.append(dripped(client.port, HEAD + ENDLESS[name]))
        )
        slow.start()
        meanwhile = client.post(a_body())[0]
        slow.join(timeout=10)

        assert not slow.is_alive()
        assert client.collector.reserve(1 << 20, held=0) is None  # all of the room is free
        client.collector.release(1 << 20)

    assert meanwhile == 200
    assert got[0].startswith(b"HTTP/1.1 408")
    assert client.collector.tally.refusals == {Refusal.SLOW: 1}
    assert "not here in time (408)" in client.said[0]


def test_a_connection_at_rest_is_no_refusal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exporter that has nothing to send is closed silently, and counted nowhere."""
    monkeypatch.setattr(TimedHandler, "request_s", 0.3)

    with (
        collecting(tmp_path) as client,
        socket.create_connection(("127.0.0.1", client.port), timeout=20) as connection,
    ):
        connection.sendall(HEAD + b"content-length: 2\r\n\r\n{}")
        answer = connection.recv(1000)
        end = connection.recv(1000)

    assert answer.startswith(b"HTTP/1.1 200")
    assert end == b""
    assert client.collector.tally.refused == 0


def test_each_request_of_a_connection_has_its_own_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exporter keeps its connection for as long as the program runs."""
    monkeypatch.setattr(TimedHandler, "request_s", 1.0)
    request = HEAD + b"content-length: 2\r\n\r\n{}"

    with (
        collecting(tmp_path) as client,
        socket.create_connection(("127.0.0.1", client.port), timeout=20) as connection,
    ):
        answers = []
        for _ in range(3):
            connection.sendall(request[:-1])
            threading.Event().wait(0.4)
            connection.sendall(request[-1:])
            answers.append(connection.recv(1000)[:12])

    assert answers == [b"HTTP/1.1 200"] * 3


def test_a_bomb_is_unpacked_up_to_the_limit_only(tmp_path: Path) -> None:
    """A tenth of a megabyte may stand for a hundred."""
    packer = zlib.compressobj(wbits=31)
    packed = [packer.compress(bytes(1 << 20)) for _ in range(100)]
    bomb = b"".join([*packed, packer.flush()])

    with collecting(tmp_path, limit_bytes=ROOM) as client:
        tracemalloc.start()
        try:
            status = client.post(bomb, headers=GZIP)[0]
            peak_bytes = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        after = client.post(a_body())[0]

    assert (status, after) == (413, 200)
    assert peak_bytes < ROOM


def test_protobuf_that_ends_early_is_refused_wherever_it_ends(tmp_path: Path) -> None:
    """The spans behind the end would be missing, and the rest be taken for the run."""
    body = in_protobuf(*a_billing_run())

    for end in range(1, len(body)):
        with pytest.raises(InputError):
            pieces_of_protobuf(body[:end])
    with collecting(tmp_path) as client:
        assert client.post(body[:-1], kind=PROTOBUF)[0] == 400
        assert client.post(body, kind=PROTOBUF)[0] == 200


FOLLOWS = {"nothing": gzip.compress(b""), "blanks": gzip.compress(b" " * 99), "a letter": b"x"}


@pytest.mark.parametrize("name", FOLLOWS)
def test_what_stands_behind_gzip_data_is_refused(tmp_path: Path, name: str) -> None:
    """A second part of a request that nobody reads would be acknowledged and lost."""
    body = gzip.compress(a_body()) + FOLLOWS[name]

    with collecting(tmp_path) as client:
        status = client.post(body, headers=GZIP)[0]

    assert status == 400
    assert not stored(tmp_path)
