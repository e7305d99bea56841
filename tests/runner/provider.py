"""A stand-in for a model provider on loopback: OpenAI chat completions, from scripts."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from workbench.replay.live import Family, Provider, Upstream

__all__ = ["call", "provider", "say"]

KEY = "STAND_IN_KEY"


def say(text):
    """Return a reply that is a text."""
    return {"role": "assistant", "content": text}


def call(name, **args):
    """Return a reply that asks for one call."""
    function = {"name": name, "arguments": json.dumps(args)}
    asked = {"id": "c", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [asked]}


@contextmanager
def provider(*trials, usage=(80, 20), cached=False):
    """Serve one list of replies a trial, in order; an int is an error of that HTTP status.

    Args:
        trials: replies of each trial; a conversation that begins anew takes the next one.
        usage: tokens of each reply.
        cached: give every reply of a trial the id that the same reply had before.
    """
    state = _State(trials, usage, cached=cached)
    server = _Server(("127.0.0.1", 0), _Handler)
    server.state = state
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
        known = Provider(family=Family.OPENAI, base_url=base_url, key_env=KEY)
        state.upstream = Upstream(providers=(known,), model="stand-in-1", timeout_s=5)
        yield state
    finally:
        server.shutdown()
        server.server_close()


class _State:
    def __init__(self, trials, usage, *, cached):
        self.trials = [list(replies) for replies in trials]
        self.usage = usage
        self.cached = cached
        self.requests = 0
        self.begun = 0
        self.at = 0
        self.upstream: Upstream
        self.lock = threading.Lock()

    def answer(self, body):
        """Return status and document of the next reply."""
        with self.lock:
            self.requests += 1
            if _begins(body["messages"]):
                self.begun, self.at = self.begun + 1, 0
            replies = self.trials[min(self.begun, len(self.trials)) - 1]
            reply = replies[min(self.at, len(replies) - 1)]
            self.at += 1
            number = f"{self.at}" if self.cached else f"{self.requests}"
        if isinstance(reply, int):
            return reply, {"error": {"message": "stand-in"}}
        asks = "tool_calls" in reply
        choice = {"index": 0, "message": reply, "finish_reason": "tool_calls" if asks else "stop"}
        usage = {"prompt_tokens": self.usage[0], "completion_tokens": self.usage[1]}
        return 200, {
            "id": f"reply-{number}",
            "object": "chat.completion",
            "created": 1,
            "model": "stand-in-1",
            "choices": [choice],
            "usage": {**usage, "total_tokens": sum(self.usage)},
        }


def _begins(messages):
    """Whether a request is the first of a trial: the person has spoken once, and last."""
    roles = [message["role"] for message in messages]
    return roles[-1] == "user" and roles.count("user") == 1


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    state: _State


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def log_message(self, format, *args):  # noqa: A002
        """Say nothing."""

    def do_POST(self):
        """Answer a request."""
        raw = self.rfile.read(int(self.headers["content-length"]))
        status, document = self.server.state.answer(json.loads(raw))
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)
