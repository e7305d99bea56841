"""What goes over the wire: JSON bodies read with care, and answers."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NoReturn

from workbench.casefile.place import describe
from workbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "LIMIT_BYTES",
    "BrokenStream",
    "Request",
    "Response",
    "json_response",
    "read_json",
    "read_object",
    "refusal",
]

LIMIT_BYTES: Final = 32 * 1024 * 1024
"""As much as model providers take: histories may hold pictures."""
_LIMIT_DEPTH: Final = 64


class BrokenStream(Exception):  # noqa: N818  the other side's end, not an error of ours
    """A streamed body ends here without its end: the connection has to break, as it did there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An HTTP request of one run."""

    method: str
    """Upper case."""
    path: str
    """Below the run, percent-encoded, without slashes around it."""
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Lower-case names."""
    raw: bytes = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An HTTP answer."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    stream: Generator[bytes] | None = None
    """Sent after `body`, piece by piece as it comes; may end with `BrokenStream`."""


def read_json(raw: bytes) -> Json:
    """Read a request body; an empty one is an empty mapping.

    Raises:
        InputError: it is not JSON, or larger or deeper than anything an agent sends.
    """
    if len(raw) > LIMIT_BYTES:
        raise InputError(f"the body has {len(raw)} bytes; at most {LIMIT_BYTES} are read")
    if not raw.strip():
        return {}
    try:
        value: Json = json.loads(raw, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise InputError(f"the body of {len(raw)} bytes is not JSON") from error
    if _deeper(value, _LIMIT_DEPTH):
        raise InputError(f"the body nests deeper than {_LIMIT_DEPTH} levels")
    return value


def read_object(raw: bytes) -> JsonMap:
    """Read a request body that has to be a JSON object.

    Raises:
        InputError: as `read_json`, or it is another value.
    """
    body = read_json(raw)
    if not isinstance(body, dict):
        raise InputError(f"the body is {describe(body)}; expected an object")
    return body


def _refuse(_: str) -> NoReturn:
    raise ValueError


def _deeper(value: Json, levels: int) -> bool:
    level: list[Json] = [value]
    for _ in range(levels + 1):
        level = [
            item
            for node in level
            if isinstance(node, dict | list)
            for item in (node.values() if isinstance(node, dict) else node)
        ]
        if not level:
            return False
    return True


def json_response(
    body: Json, *, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    """Return JSON; characters outside ASCII are escaped, so that lone surrogates travel too."""
    return Response(
        status=status,
        body=json.dumps(body, separators=(",", ":")).encode(),
        headers={"content-type": "application/json", **(headers or {})},
    )


def refusal(kind: str, message: str, *, status: int = 424) -> Response:
    """Return an error of ours, which no client should retry."""
    return json_response(
        {"type": "error", "error": {"type": kind, "message": message}},
        status=status,
        headers={"x-should-retry": "false"},
    )
