"""OpenAI chat messages: a list of them, a request, or a request with its response.

Forms read: `[message, ...]`; `{"messages": [...], "tools"?, "model"?}`; the same under
`request` or `body`; each with the answer beside it under `response` or `choices`.

Source:
    formats page 2.3, row "OpenAI chat messages".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.content import read_content, read_result
from workbench.ingest.events.finish import RunFacts, finished
from workbench.ingest.events.toollist import listed_tools
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.events.usage import usage_of
from workbench.ingest.events.wrapped import REQUEST_KEYS, Wrapped, unwrap
from workbench.ingest.importers.chat_shape import chat_id, is_openai, is_surely_openai
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import ModelRequest, ToolResult, Usage
from workbench.model.jsonvalue import ABSENT, Absent
from workbench.model.trace import Loss

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "add_messages", "read_openai_chat"]

_ROLES: Final = ("system", "developer", "user", "assistant", "tool", "function")


def read_openai_chat(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one conversation.

    Raises:
        TraceFormatError: a message has another form than the API's.
    """
    chat = unwrap(record)
    listed = listed_tools(chat.request.get("tools") or chat.request.get("functions"))
    script = Transcript()
    add_messages(script, map_items(chat.messages, key=chat.path, origin=place), origin=place)
    _add_response(script, chat, tuple(tool.name for tool in listed), place)
    facts = RunFacts(
        own_id=chat.own_id,
        session=chat.session,
        model=text_in(chat.response, "model") or text_in(chat.request, "model"),
        listed=listed,
        losses=tuple(_unmarked(script)),
    )
    return finished(script, facts, origin=place, tools=tools)


def _unmarked(script: Transcript) -> Iterator[Loss]:
    """Yield that the API's results have no mark of errors: a failed call looks like any other."""
    results = sum(isinstance(event, ToolResult) for event in script.events())
    if results:
        yield Loss(
            kind="errors_unmarked",
            count=results,
            note="results without any mark of errors",
            fix="rules under `[[outcomes]]` in workbench.toml tell failed ones by their content"
            " (docs/settings.md)",
        )


def add_messages(
    script: Transcript, messages: Iterable[tuple[str, JsonMap]], *, origin: Origin
) -> None:
    """Add chat messages, each given with its place in the record."""
    for ref, message in messages:
        match message.get("role"):
            case "system" | "developer":
                script.system(_said(ref, message, origin))
            case "user":
                script.user(_said(ref, message, origin))
            case "assistant":
                _add_reply(script, ref, message, origin=origin)
            case "tool" | "function":
                _add_result(script, ref, message, origin)
            case role:
                expected = ", ".join(_ROLES)
                raise origin.error(
                    step_key(ref, "role"), f"is {describe(role)}; expected one of {expected}"
                )


def _said(ref: str, message: JsonMap, origin: Origin) -> Said:
    content = read_content(message.get("content"), key=step_key(ref, "content"), origin=origin)
    return Said(ref=ref, text=content.text, dropped=content.dropped, actor=text_in(message, "name"))


def _add_reply(
    script: Transcript,
    ref: str,
    message: JsonMap,
    *,
    origin: Origin,
    finish_reason: str | None = None,
    usage: Usage | None = None,
) -> None:
    content = read_content(message.get("content"), key=step_key(ref, "content"), origin=origin)
    said = Said(
        ref=ref,
        text=content.text or text_in(message, "refusal") or None,
        dropped=content.dropped,
        agent=text_in(message, "name"),
        finish_reason=finish_reason,
        usage=usage,
    )
    calls = [
        _asked(place, call, origin)
        for place, call in map_items(
            message.get("tool_calls"), key=step_key(ref, "tool_calls"), origin=origin
        )
    ]
    if message.get("function_call") is not None:  # the form of 2023
        place = step_key(ref, "function_call")
        function = as_map(message["function_call"], key=place, origin=origin)
        calls.append(_call(place, None, function, origin))
    script.reply(said, calls)


def _asked(ref: str, call: JsonMap, origin: Origin) -> Asked:
    given = text_in(call, "id")
    if "custom" in call:  # a tool that takes free text
        body = as_map(call["custom"], key=step_key(ref, "custom"), origin=origin)
        return Asked(ref=ref, id=given, tool=_name(ref, body, origin), text=text_in(body, "input"))
    body = as_map(call.get("function"), key=step_key(ref, "function"), origin=origin)
    return _call(ref, given, body, origin)


def _call(ref: str, given: str | None, function: JsonMap, origin: Origin) -> Asked:
    arguments = function.get("arguments")
    value: Json | Absent = ABSENT if arguments is None or isinstance(arguments, str) else arguments
    return Asked(
        ref=ref,
        id=given,
        tool=_name(ref, function, origin),
        text=arguments if isinstance(arguments, str) else None,
        value=value,
    )


def _name(ref: str, function: JsonMap, origin: Origin) -> str:
    name = function.get("name")
    if not isinstance(name, str) or not name:
        raise origin.error(step_key(ref, "name"), f"is {describe(name)}; expected a tool's name")
    return name


def _add_result(script: Transcript, ref: str, message: JsonMap, origin: Origin) -> None:
    content = read_result(message.get("content"), key=step_key(ref, "content"), origin=origin)
    script.result(
        Answered(
            ref=ref,
            id=text_in(message, "tool_call_id"),
            tool=text_in(message, "name"),
            text=content.text,
            value=content.value,
            dropped=content.dropped,
        )
    )


def _add_response(
    script: Transcript, chat: Wrapped, offered: tuple[str, ...], origin: Origin
) -> None:
    """Add the recorded request and the reply to it."""
    where = step_key(chat.response_path, "choices") if chat.response_path else "choices"
    for ref, choice in list(map_items(chat.response.get("choices"), key=where, origin=origin))[:1]:
        key = step_key(ref, "message")
        message = as_map(choice.get("message"), key=key, origin=origin)
        script.request(
            ModelRequest(
                model=text_in(chat.request, "model"),
                settings=chat.settings,
                offered_tools=offered or None,
                n_messages=len(chat.messages) if isinstance(chat.messages, list) else None,
                source_ref=key,
            )
        )
        _add_reply(
            script,
            key,
            message,
            origin=origin,
            finish_reason=text_in(choice, "finish_reason"),
            usage=usage_of(map_in(chat.response, "usage")),
        )


FORMAT: Final = Format(
    name="openai_chat",
    recognises=is_openai,
    owns=is_surely_openai,
    keys=REQUEST_KEYS,
    own_id=chat_id,
    read=read_openai_chat,
    general=True,
)
