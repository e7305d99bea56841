"""A stand-in for a model provider: a process of its own that says the same at once.

In the process that measures it would take turns with it, and its time would count as ours.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main", "provider"]


class _Replies(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = 65_536

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_POST(self) -> None:
        """Answer one request."""
        self.rfile.read(int(self.headers["content-length"]))
        message = {"role": "assistant", "content": "There are 147."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        found = {"id": f"r-{time.monotonic_ns()}", "object": "chat.completion", "model": "m"}
        raw = json.dumps({**found, "created": 1, "choices": [choice], "usage": usage}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


@contextmanager
def provider() -> Iterator[int]:
    """Start one and return its port; it ends with the block."""
    words = (sys.executable, "-m", "benchmarks.provider")
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None  # noqa: S101  a pipe, as asked for
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


def main() -> None:
    """Serve until killed."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Replies)
    server.daemon_threads = True
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
