"""Texts inside CrewAI's events, which were written with `repr` below a certain depth.

A serialised value is quoted twice there: `"'lookup_account'"`. Whether that happened is told by
a name next to it (a role, a tool), which never begins with a quote of its own.
"""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Final

from workbench.ingest.events.transcript import Asked, compact
from workbench.ingest.records.shapes import map_in, text_in
from workbench.model.event import CallError
from workbench.model.jsonvalue import ABSENT, Absent, parse_text

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["args_of", "error_of", "message_of", "reply_calls", "tools_of", "unquoted"]

_QUOTES: Final = ("'", '"')
_LIMIT_CHARS: Final = 1_000_000
_ERROR: Final = re.compile(r"([A-Za-z_][\w.]{0,80}(?:Error|Exception))[(:]")


def unquoted(text: str) -> str:
    r"""Return what a text in `repr` says; any other text as it is.

    >>> unquoted("'op\\n1'"), unquoted("plain")
    ('op\n1', 'plain')
    """
    if len(text) < 2 or len(text) > _LIMIT_CHARS or text[0] not in _QUOTES or text[-1] != text[0]:
        return text
    try:
        found = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
    return found if isinstance(found, str) else text


def message_of(item: Json) -> tuple[str, str | None]:
    """Return role and text of a message; a bare text is the user's."""
    if isinstance(item, str):
        return "user", item
    role, content = text_in(item, "role") or "", text_in(item, "content")
    if role[:1] in _QUOTES:
        return unquoted(role), None if content is None else unquoted(content)
    return role, content


def reply_calls(ref: str, response: Json) -> list[Asked]:
    """Return the calls that a reply lists; none for a reply in text."""
    found = []
    for n, call in enumerate(response if isinstance(response, list) else ()):
        function = map_in(call, "function")
        name, text = text_in(function, "name"), text_in(function, "arguments")
        if not name:
            continue
        if name[:1] in _QUOTES:
            name, text = unquoted(name), None if text is None else unquoted(text)
        value = function.get("arguments")
        found.append(
            Asked(
                ref=f"{ref}.{n}",
                id=text_in(call, "id"),
                tool=name,
                text=text,
                value=ABSENT if value is None or isinstance(value, str) else value,
            )
        )
    return found


def tools_of(tools: Json) -> Json:
    """Return a request's tools with names and descriptions as they were."""
    if not isinstance(tools, list):
        return None
    return [_plain_tool(tool) for tool in tools]


def _plain_tool(tool: Json) -> Json:
    body = map_in(tool, "function") or map_in(tool)
    plain: JsonMap = {
        key: unquoted(value)
        for key in ("name", "description")
        if (value := text_in(body, key)) is not None
    }
    return plain


def args_of(args: Json) -> Json | Absent:
    """Return arguments as a structure, to find the call that a result belongs to."""
    if args is None:
        return ABSENT
    return parse_text(args).value if isinstance(args, str) else args


def error_of(error: Json) -> CallError:
    """Return an error, which is an exception's `repr` or text."""
    text = error if isinstance(error, str) else compact(error)
    found = _ERROR.match(text)
    return CallError(type=None if found is None else found[1], message=text)
