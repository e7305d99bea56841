"""An MCP server on standard input and output that hands every message to the gateway.

For agents that spawn their MCP servers: `$REPLAY_MCP_COMMAND` is the command to spawn instead. It
runs as a file, `python -I FILE`, and needs nothing but the standard library.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import urllib.error
import urllib.request
from typing import IO, Final

__all__ = ["main", "relay"]

_TIMEOUT_S: Final = 120
_PARSE_ERROR: Final = -32700
_INTERNAL_ERROR: Final = -32603
_NO_PROXY: Final = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def main() -> int:  # pragma: no cover  another process
    """Serve the run that the environment names, until standard input ends."""
    url = os.environ.get("REPLAY_MCP_URL")
    if url is None:
        sys.stderr.write("REPLAY_MCP_URL is not set. Fix: start it from an agent in a replay\n")
        return 4
    relay(url, sys.stdin.buffer, sys.stdout.buffer)
    return 0


def relay(url: str, incoming: IO[bytes], outgoing: IO[bytes]) -> None:
    """Answer each line of `incoming` on `outgoing`; messages do not wait for one another."""
    lock = threading.Lock()

    def answer(line: bytes) -> None:
        reply = _answer(url, line)
        if reply:
            with lock:
                outgoing.write(reply + b"\n")
                outgoing.flush()

    threads = []
    for line in incoming:
        if line.strip():
            threads.append(threading.Thread(target=answer, args=(line,)))
            threads[-1].start()
            threads = [thread for thread in threads if thread.is_alive()]
    for thread in threads:
        thread.join()


def _answer(url: str, line: bytes) -> bytes:
    try:
        message = json.loads(line)
    except (ValueError, RecursionError):
        return _error(None, _PARSE_ERROR, "the line is not JSON")
    request = urllib.request.Request(  # noqa: S310  the gateway's own address
        url, line, {"content-type": "application/json"}, method="POST"
    )
    try:
        with _NO_PROXY.open(request, timeout=_TIMEOUT_S) as response:
            reply: bytes = response.read().replace(b"\n", b" ")
            return reply
    except urllib.error.HTTPError as error:
        body: bytes = error.read().replace(b"\n", b" ")
        if b'"jsonrpc"' in body:
            return body
    except OSError:
        pass
    wanted = message.get("id") if isinstance(message, dict) else None
    return b"" if wanted is None else _error(wanted, _INTERNAL_ERROR, "the run has ended")


def _error(request_id: object, code: int, message: str) -> bytes:
    error = {"code": code, "message": message}
    return json.dumps({"jsonrpc": "2.0", "id": request_id, "error": error}).encode()


if __name__ == "__main__":  # pragma: no cover  another process
    raise SystemExit(main())
