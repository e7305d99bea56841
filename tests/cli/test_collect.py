"""`workbench collect` as a process: it starts, stops when asked, and survives being killed."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.ingest.otlp.spans import a_billing_run, a_document
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk


class Process:
    """A receiver in a process of its own."""

    def __init__(self, folder: Path, *words: str) -> None:
        command = [sys.executable, "-m", "workbench", "collect", "--port", "0", *words]
        self.child = subprocess.Popen(
            command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        assert self.child.stderr is not None
        self.invitation = self.child.stderr.readline() + self.child.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:(\d+)", self.invitation)
        assert found, self.invitation
        self.port = int(found[1])

    def post(self, trace: str, *, path: str = "/v1/traces") -> int:
        """Send one run; return the status."""
        spans = [{**span, "traceId": trace} for span in a_billing_run()]
        body = json.dumps(a_document(*spans))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("POST", path, body, {"content-type": "application/json"})
            return connection.getresponse().status
        finally:
            connection.close()

    def end(self, number: int) -> tuple[int, str, str]:
        """Send a signal and wait; return exit code and what was printed."""
        self.child.send_signal(number)
        out, err = self.child.communicate(timeout=30)
        return self.child.returncode, out, err


@pytest.fixture
def started(folder: Path) -> Any:  # noqa: ANN401
    """Start receivers that do not outlive the test."""
    running: list[Process] = []

    def start(*words: str) -> Process:
        running.append(Process(folder, *words))
        return running[-1]

    yield start
    for process in running:
        process.child.kill()
        process.child.communicate()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_what_came(folder: Path, started: Any, number: int) -> None:  # noqa: ANN401
    """Ctrl-C is how it is meant to end: that is no failure."""
    process = started()
    assert process.post("a" * 32) == 200
    assert process.post("b" * 32) == 200

    status, out, err = process.end(number)

    assert (status, err.strip()) == (0, "")
    assert "2 requests with 8 records stored in 2 batches: 2 runs" in out
    assert f"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{process.port}" in process.invitation
    with open_store(folder / "parquet_store", create=False) as store:
        assert store.run_ids() == {"a" * 32, "b" * 32}


def test_what_was_refused_is_said_at_once_and_counted_at_the_end(started: Any) -> None:  # noqa: ANN401
    """Whoever starts it sees why nothing comes, and does not take two stored runs for all of them."""
    process = started()
    assert process.post("a" * 32, path="/v1/metrics") == 404
    assert process.child.stderr is not None
    first = process.child.stderr.readline() + process.child.stderr.readline()
    assert process.post("b" * 32, path="/v1/metrics") == 404
    assert process.post("c" * 32) == 200

    status, out, err = process.end(signal.SIGTERM)

    assert first.startswith("workbench: a request was refused for another path than /v1/traces")
    assert "\n  Fix: give OTEL_EXPORTER_OTLP_ENDPOINT without a path" in first
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == (
        "1 request with 4 records stored in 1 batch: 1 run; "
        "2 refused: 2 for another path than /v1/traces and /v1/logs (404)"
    )


def test_the_document_says_what_came(started: Any) -> None:  # noqa: ANN401
    """Scripts read it; nothing else is on stdout."""
    process = started("--json")
    process.post("a" * 32)
    process.post("a" * 32, path="/elsewhere")

    status, out, _ = process.end(signal.SIGTERM)

    document = json.loads(out)
    assert status == 0
    assert {name: document[name] for name in ("requests", "refused", "records", "runs")} == {
        "requests": 1,
        "refused": 1,
        "records": 4,
        "runs": 1,
    }
    assert document["refused_by_reason"] == {"path": 1}
    assert isinstance(document["losses"], list)


def test_killed_in_the_middle_nothing_acknowledged_is_lost(folder: Path, started: Any) -> None:  # noqa: ANN401
    """An acknowledged span is dropped by the exporter: there is no second copy of it."""
    process = started()
    acknowledged: list[str] = []

    def send(worker: int) -> None:
        for number in range(1, 200):
            trace = f"{worker * 1000 + number:032x}"
            try:
                if process.post(trace) == 200:
                    acknowledged.append(trace)
            except (OSError, http.client.HTTPException):
                return

    threads = [threading.Thread(target=send, args=(worker,)) for worker in range(1, 5)]
    for thread in threads:
        thread.start()
    deadline = time.monotonic() + 30
    while len(acknowledged) < 12 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.kill(process.child.pid, signal.SIGKILL)
    for thread in threads:
        thread.join()

    with open_store(folder / "parquet_store", create=False) as store:
        assert len(acknowledged) >= 12
        assert set(acknowledged) <= store.run_ids()
        assert all(len(store.fetch(trace).events) > 0 for trace in acknowledged[-3:])
        assert store.verify(deep=True).ok
    again = started()
    assert again.post("f" * 32) == 200


def test_a_port_that_is_taken_is_a_usage_error(folder: Path, shell: Any) -> None:  # noqa: ANN401
    """With the flag that helps; the store is not made half."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        said = shell("collect", "--port", taken.getsockname()[1])

    assert said.status == 4
    assert "--port" in said.err
    assert "Fix: " in said.err
