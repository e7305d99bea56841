"""MCP: the case's tools for clients that speak the Model Context Protocol, one message at a time.

Handshake revisions (2024-11-05 to 2025-11-25) and the stateless one (2026-07-28, where each
request names its revision) are served side by side; nothing is kept between two messages.

Source:
    Model Context Protocol, revisions 2024-11-05, 2025-03-26, 2025-06-18, 2025-11-25, 2026-07-28:
    lifecycle, tools, streamable HTTP.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.model.event import Outcome
from workbench.model.jsonvalue import Absent, Json, JsonMap
from workbench.replay.gateway.plain import tool_document
from workbench.replay.gateway.wire import Response, json_response
from workbench.replay.matching import Miss

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.model.case import Fixture
    from workbench.replay.trial import Trial

__all__ = ["answer_mcp"]

_HANDSHAKE: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_STATELESS: Final = ("2026-07-28",)
_VERSION_KEY: Final = "io.modelcontextprotocol/protocolVersion"
_SERVER_KEY: Final = "io.modelcontextprotocol/serverInfo"
_SERVER: Final[JsonMap] = {"name": "incident-workbench", "version": "1"}
_CAPABILITIES: Final[JsonMap] = {"tools": {"listChanged": False}}
_INVALID_REQUEST: Final = -32600
_NO_SUCH_METHOD: Final = -32601
_INVALID_PARAMS: Final = -32602
_HEADER_MISMATCH: Final = -32020
_UNSUPPORTED_VERSION: Final = -32022
_UNCACHED: Final[JsonMap] = {"ttlMs": 0, "cacheScope": "private"}


class _Refused(Exception):  # noqa: N818  becomes a JSON-RPC error
    """A message that gets an error."""

    def __init__(self, code: int, message: str, *, data: Json = None) -> None:
        super().__init__(message)
        self.error: JsonMap = {"code": code, "message": message}
        if data is not None:
            self.error["data"] = data


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """A JSON-RPC request."""

    id: Json
    method: str
    params: JsonMap
    stateless: bool
    """It names its revision itself."""


def answer_mcp(trial: Trial, body: Json, headers: Mapping[str, str]) -> Response:
    """Answer the body of one POST: a message, or a batch of them as 2025-03-26 allows."""
    if isinstance(body, list):
        replies: list[Json] = [
            reply for message in body if (reply := _reply(trial, message, headers)) is not None
        ]
        return json_response(replies) if replies else Response(status=202, body=b"")
    found = _reply(trial, body, headers)
    if found is None:
        return Response(status=202, body=b"")
    return json_response(found, status=_status(body, found))


def _status(body: Json, reply: JsonMap) -> int:
    """Return the HTTP status that the stateless revision gives an error; 200 before it."""
    error = reply.get("error")
    code = error["code"] if isinstance(error, dict) else None
    if code in (_INVALID_REQUEST, _HEADER_MISMATCH, _UNSUPPORTED_VERSION):
        return 400
    if code is None or _named_version(_params(body)) is None:
        return 200
    return {_NO_SUCH_METHOD: 404, _INVALID_PARAMS: 400}.get(int(str(code)), 200)


def _params(message: Json) -> JsonMap:
    params = message.get("params") if isinstance(message, dict) else None
    return params if isinstance(params, dict) else {}


def _named_version(params: JsonMap) -> Json:
    meta = params.get("_meta")
    return meta.get(_VERSION_KEY) if isinstance(meta, dict) else None


def _reply(trial: Trial, message: Json, headers: Mapping[str, str]) -> JsonMap | None:
    """Answer one message; None: it is a notification, or an answer to something."""
    request_id = message.get("id") if isinstance(message, dict) else None
    try:
        request = _read(message, headers)
        if request is None:
            return None
        result = _result(trial, request)
    except _Refused as refused:
        return {"jsonrpc": "2.0", "id": request_id, "error": refused.error}
    if request.stateless:
        result["resultType"] = "complete"
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def _read(message: Json, headers: Mapping[str, str]) -> _Request | None:
    if not isinstance(message, dict):
        raise _Refused(_INVALID_REQUEST, "the message is no JSON object")
    method = message.get("method")
    if not isinstance(method, str):
        if "result" in message or "error" in message:
            return None
        raise _Refused(_INVALID_REQUEST, "the message has no `method`")
    if "id" not in message:
        return None
    params = _params(message)
    version = _named_version(params)
    _check_version(version, method, headers)
    return _Request(id=message["id"], method=method, params=params, stateless=version is not None)


def _check_version(version: Json, method: str, headers: Mapping[str, str]) -> None:
    """Refuse a revision that is not served, and headers that say something else."""
    header = headers.get("mcp-protocol-version")
    supported = _HANDSHAKE if version is None else _STATELESS
    wanted = header if version is None else version
    if wanted is not None and wanted not in supported and method != "initialize":
        data: JsonMap = {"supported": list(supported), "requested": wanted}
        raise _Refused(_UNSUPPORTED_VERSION, "Unsupported protocol version", data=data)
    if version is not None and (
        headers.get("mcp-method", method) != method or (header or version) != version
    ):
        raise _Refused(_HEADER_MISMATCH, "the headers name another method or revision")


def _result(trial: Trial, request: _Request) -> JsonMap:
    match request.method:
        case "initialize":
            wanted = request.params.get("protocolVersion")
            return {
                "protocolVersion": wanted if wanted in _HANDSHAKE else _HANDSHAKE[-1],
                "capabilities": _CAPABILITIES,
                "serverInfo": _SERVER,
            }
        case "server/discover":
            return {
                "supportedVersions": [*_HANDSHAKE, *_STATELESS],
                "capabilities": _CAPABILITIES,
                "_meta": {_SERVER_KEY: _SERVER},
                **_UNCACHED,
            }
        case "ping":
            return {}
        case "tools/list":
            return {"tools": _tools(trial), **(_UNCACHED if request.stateless else {})}
        case "tools/call":
            return _called(trial, request.params)
        case _:
            raise _Refused(_NO_SUCH_METHOD, "the replay offers tools and nothing else")


def _tools(trial: Trial) -> list[Json]:
    """Return the case's tools by their wire names, which every model takes."""
    found: list[Json] = []
    for tool in trial.case.tools:
        schema: JsonMap = {"type": "object", **(tool.schema or {})}
        entry: JsonMap = {"name": tool.wire or tool.name, "inputSchema": schema}
        if tool.description is not None:
            entry["description"] = tool.description
        found.append(entry)
    return found


def _called(trial: Trial, params: JsonMap) -> JsonMap:
    name, args = params.get("name"), params.get("arguments", {})
    if not isinstance(name, str) or not isinstance(args, dict):
        raise _Refused(_INVALID_PARAMS, "expected the `name` of a tool and `arguments`, an object")
    answer = trial.tool(name, args)
    document = tool_document(answer)
    if isinstance(answer, Miss) or answer.fixture.outcome is not Outcome.OK:
        if not isinstance(answer, Miss):
            _raise_recorded(answer.fixture)
        return {"content": [_text(document)], "isError": True}
    value = document.get("result")
    found: JsonMap = {"content": [_text(value)], "isError": False}
    if isinstance(value, dict):
        found["structuredContent"] = value
    return found


def _raise_recorded(fixture: Fixture) -> None:
    """Answer with the JSON-RPC error that was recorded, if one was."""
    body = None if fixture.error is None else fixture.error.body
    if isinstance(body, Absent) or not isinstance(body, dict):
        return
    code, message = body.get("code"), body.get("message")
    if isinstance(code, int) and not isinstance(code, bool) and isinstance(message, str):
        raise _Refused(code, message, data=body.get("data"))


def _text(value: Json) -> JsonMap:
    return {"type": "text", "text": value if isinstance(value, str) else json.dumps(value)}
