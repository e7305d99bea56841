"""What a Python agent is given and may return.

An agent is `def agent(task, tools, model) -> str | Answer`, sync or async. Everything here needs
the standard library only, because it is loaded into the process of the agent.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from threading import local
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Answer", "Model", "ModelError", "Reply", "Task", "ToolError", "ToolRequest", "Tools"]

_TIMEOUT_S: Final = 120
_REUSE_S: Final = 30
"""Well below the time after which the gateway closes an idle connection."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the agent shows to a person, and what it claims about the task."""

    text: str
    outcome: str | None = None
    """`success`, `failure` or `unresolved`; None: read off the text."""
    state: Mapping[str, Any] | None = None
    """What the agent knows of the world now: state path -> value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRequest:
    """A tool call that a model asks for."""

    id: str
    name: str
    args: Any
    """Parsed arguments; a string when the model's arguments are not JSON."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered."""

    text: str
    tool_calls: tuple[ToolRequest, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What the agent is asked to do."""

    run_id: str
    messages: list[dict[str, Any]]
    """`{role, content}` so far; the last one is the person's."""


class ToolError(Exception):
    """A tool call did not end `ok`.

    Attributes:
        outcome: `retryable`, `permanent`, `unknown`, `denied`, `missing`, `blocked`, ...
        detail: more exactly, or None.
        error: what came back: `type`, `message`, `status`, `headers`, `body`, as far as recorded.
    """

    def __init__(
        self, outcome: str, detail: str | None = None, error: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(outcome if detail is None else f"{outcome}: {detail}")
        self.outcome = outcome
        self.detail = detail
        self.error = dict(error or {})


class ModelError(Exception):
    """A model request failed.

    Attributes:
        status: HTTP status.
        body: what came back, parsed.
        headers: lower-case names.
    """

    def __init__(self, status: int, body: object, headers: Mapping[str, str]) -> None:
        super().__init__(f"model request failed with status {status}")
        self.status = status
        self.body = body
        self.headers = dict(headers)


class _Connection(HTTPConnection):
    """Closes with the thread or the client that it belongs to."""

    def __del__(self) -> None:
        self.close()


class _Client:
    """One connection a thread: nothing is shared between threads of an agent."""

    def __init__(self, base_url: str) -> None:
        parts = urlsplit(base_url)
        self._host, self._port = parts.hostname or "127.0.0.1", parts.port or 80
        self._path = parts.path
        self._own = local()

    def post(self, path: str, body: object) -> tuple[int, Any, dict[str, str]]:
        """Send JSON and return the status, the parsed answer and the headers."""
        raw = json.dumps(body).encode()
        connection = self._connection()
        try:
            connection.request(
                "POST", f"{self._path}/{path}", raw, {"content-type": "application/json"}
            )
            response = connection.getresponse()
            text = response.read()
        except HTTPException as error:
            connection.close()
            raise ConnectionError(type(error).__name__) from error
        except BaseException:
            connection.close()
            raise
        self._own.used_s = monotonic()
        headers = {name.lower(): value for name, value in response.getheaders()}
        return response.status, json.loads(text or b"null"), headers

    def _connection(self) -> _Connection:
        """Return this thread's connection; one that the gateway may have given up is replaced.

        A request is never sent twice: a tool call that was repeated would count as two.
        """
        known: _Connection | None = getattr(self._own, "connection", None)
        if known is not None and monotonic() - self._own.used_s < _REUSE_S:
            return known
        if known is not None:
            known.close()
        fresh = _Connection(self._host, self._port, timeout=_TIMEOUT_S)
        self._own.connection, self._own.used_s = fresh, monotonic()
        return fresh


class Tools:
    """The case's tools; every call is answered by a fixture or refused."""

    def __init__(self, base_url: str) -> None:
        self._client = _Client(base_url)

    def call(self, name: str, /, **args: Any) -> Any:  # noqa: ANN401  any JSON
        """Call a tool by its name and return the result.

        Raises:
            ToolError: the call did not end `ok`.
        """
        return self.call_with(name, args)

    def call_with(self, name: str, args: Any) -> Any:  # noqa: ANN401  any JSON
        """Call a tool with arguments as a mapping, or as the text that the model gave.

        Raises:
            ToolError: the call did not end `ok`.
        """
        status, body, _ = self._client.post(f"tools/{quote(name, safe='')}", args)
        if not isinstance(body, dict) or "outcome" not in body:
            raise ToolError("permanent", f"http_{status}", body if isinstance(body, dict) else None)
        if body["outcome"] == "ok":
            return body.get("result")
        raise ToolError(body["outcome"], body.get("detail"), body.get("error"))

    def call_for_model(self, name: str, args: Any) -> str:  # noqa: ANN401  any JSON
        """Call a tool and return what a model is shown of it: the result or the failure, as text.

        Args:
            name: of the tool.
            args: a mapping, or the JSON text that the model gave.
        """
        try:
            found = self.call_with(name, _parsed(args))
        except ToolError as failed:
            found = {"outcome": failed.outcome, "detail": failed.detail, "error": failed.error}
        return found if isinstance(found, str) else json.dumps(found)

    def report(
        self,
        *,
        permission: Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
    ) -> None:
        """Report a permission decision, or what the world is now, as the agent sees it."""
        events: list[dict[str, Any]] = []
        if permission is not None:
            events.append({"kind": "permission", **permission})
        events += [
            {"kind": "state_change", "name": name, "after": value}
            for name, value in (state or {}).items()
        ]
        self._send(events)

    def claim(self, text: str, *, outcome: str | None = None) -> None:
        """Report a text that is shown to a person before the answer."""
        event = {"kind": "claim", "text": text}
        self._send([event if outcome is None else {**event, "outcome": outcome}])

    def _send(self, events: Sequence[Mapping[str, Any]]) -> None:
        status, body, _ = self._client.post("events", {"events": events})
        if status != 200:
            message = body.get("error", {}).get("message") if isinstance(body, dict) else None
            raise ValueError(message or f"the report was refused with status {status}")


def _parsed(args: Any) -> Any:  # noqa: ANN401  any JSON
    """Read arguments that came as text; what is no JSON stays as the model wrote it."""
    try:
        return json.loads(args or "{}") if isinstance(args, str) else args
    except (ValueError, RecursionError):
        return args


class Model:
    """The model of the run: scripted or live, the agent cannot tell."""

    def __init__(self, base_url: str) -> None:
        self._client = _Client(base_url)

    def complete(
        self, messages: Sequence[Mapping[str, Any]], tools: Sequence[object] | None = None
    ) -> Reply:
        """Ask the model for its next reply.

        Args:
            messages: the conversation so far, `{role, content, ...}`.
            tools: names or definitions of the tools offered; None: not stated.

        Raises:
            ModelError: the request failed, as recorded, or the script has no reply left.
        """
        body: dict[str, Any] = {"messages": list(messages)}
        if tools is not None:
            body["tools"] = list(tools)
        status, found, headers = self._client.post("model", body)
        if status != 200:
            raise ModelError(status, found, headers)
        return Reply(
            found.get("text") or "",
            tuple(
                ToolRequest(id=call["id"], name=call["name"], args=call["args"])
                for call in found.get("tool_calls", ())
            ),
        )
