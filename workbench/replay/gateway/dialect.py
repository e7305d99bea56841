"""What a dialect of a model API is: a module that reads requests and writes replies of one API.

A dialect module knows one protocol and nothing of trials, sockets or providers. Everything that
the protocols share is here or in `scripted_model` and `live_model`, so that a new dialect is one
more module in the table of `api`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Protocol

from workbench.casefile.place import describe
from workbench.errors import InputError
from workbench.model.event import Usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.replay.exchange import ModelAsk, SeenReply
    from workbench.replay.live import Family

__all__ = [
    "Dialect",
    "Finish",
    "Speech",
    "SpokenCall",
    "finish_of",
    "items_of",
    "list_of",
    "map_of",
    "pieces",
    "settings_of",
    "sse",
    "text_of",
    "usage_of",
]

_PIECE_CHARS: Final = 7
_PIECES: Final = 64


class Finish(StrEnum):
    """Why a reply ended; each dialect has its own word for it."""

    STOP = "stop"
    CALLS = "calls"
    LENGTH = "length"
    REFUSAL = "refusal"


_FINISHES: Final = {
    "length": Finish.LENGTH,
    "max_tokens": Finish.LENGTH,
    "max_output_tokens": Finish.LENGTH,
    "model_context_window_exceeded": Finish.LENGTH,
    "content_filter": Finish.REFUSAL,
    "refusal": Finish.REFUSAL,
    "safety": Finish.REFUSAL,
}
"""Words of all dialects that do not follow from the reply itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenCall:
    """A tool call to put into words."""

    id: str
    name: str
    """As the agent offers the tool."""
    args: Json
    """A text when the arguments are not JSON."""
    args_text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Speech:
    """A reply to put into the words of a dialect."""

    number: int
    """Of the request in its trial, from 1; ids are made of it."""
    model: str
    text: str
    calls: tuple[SpokenCall, ...]
    finish: Finish
    usage: Usage


class Dialect(Protocol):
    """What a dialect module has."""

    @property
    def FAMILY(self) -> Family:  # noqa: N802  a constant of the module
        """Whose protocol it is."""

    @property
    def PATH(self) -> str:  # noqa: N802
        """Where a provider serves it, below its version."""

    def read(self, body: JsonMap, /) -> ModelAsk:
        """Read a request.

        Raises:
            InputError: it is none of this dialect.
        """

    def document(self, speech: Speech, /) -> JsonMap:
        """Return a reply as one document."""

    def stream(self, speech: Speech, body: JsonMap, /) -> bytes:
        """Return a reply as server-sent events, as the request's body wants them."""

    def error(self, kind: str, message: str, /) -> JsonMap:
        """Return the body of an error."""

    def seen(self, document: JsonMap, /) -> SeenReply | None:
        """Read a provider's reply; None: it is none."""

    def joined(self, events: Sequence[JsonMap], /) -> SeenReply | None:
        """Read a provider's streamed reply; None: it ended before its end, or in an error."""

    def outgoing(self, body: JsonMap, /) -> JsonMap:
        """Return a request's body as a provider shall get it, so that it tells its usage."""

    def is_surplus(self, event: JsonMap, body: JsonMap, /) -> bool:
        """Whether an event comes only because of `outgoing`: the agent did not ask for it."""

    def acts(self, event: JsonMap, /) -> bool:
        """Whether an agent may act on an event of a stream: a tool call, or the reply's end."""


def finish_of(word: str | None, *, calls: Iterable[object]) -> Finish:
    """Return why a reply ended, from the recorded word of any dialect.

    >>> finish_of("max_tokens", calls=())
    <Finish.LENGTH: 'length'>
    """
    plain = Finish.CALLS if any(True for _ in calls) else Finish.STOP
    return _FINISHES.get((word or "").lower(), plain)


def pieces(text: str) -> Iterator[str]:
    """Cut a text as a model would send it; a long one into at most 64 pieces.

    >>> list(pieces("It is paused"))
    ['It is p', 'aused']
    """
    size = max(_PIECE_CHARS, -(-len(text) // _PIECES))
    return (text[start : start + size] for start in range(0, len(text), size))


def sse(events: Iterable[tuple[str | None, Json]]) -> bytes:
    """Write server-sent events: a name, or None, and the data of each."""
    return b"".join(
        (f"event: {name}\n" if name else "").encode()
        + b"data: "
        + json.dumps(data, separators=(",", ":")).encode()
        + b"\n\n"
        for name, data in events
    )


def items_of(body: JsonMap, key: str) -> list[JsonMap]:
    """Return the objects of a list that a request has to have.

    Raises:
        InputError: there is no such list.
    """
    found = body.get(key)
    if not isinstance(found, list):
        what = "absent" if key not in body else describe(found)
        raise InputError(f"`{key}` is {what}; expected a list", fix=f"send a list `{key}`")
    return [item for item in found if isinstance(item, dict)]


def list_of(value: Json) -> list[JsonMap]:
    """Return the objects of a list; none of anything else."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def map_of(value: Json) -> JsonMap:
    """Return an object; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def text_of(value: Json) -> str | None:
    """Return a text; None for anything else."""
    return value if isinstance(value, str) else None


def settings_of(body: JsonMap, names: Iterable[str]) -> JsonMap:
    """Return the settings of a request that are plain numbers, words or switches."""
    return {
        name: body[name]
        for name in names
        if isinstance(body.get(name), int | float | str) and len(str(body[name])) <= _SETTING_CHARS
    }


_SETTING_CHARS: Final = 64


def usage_of(usage: JsonMap, *, given: str, made: str, cached: Json = None) -> Usage | None:
    """Read what a provider says of tokens.

    Args:
        usage: its `usage`.
        given: name of the count of input tokens.
        made: name of the count of output tokens.
        cached: the count of cached input tokens.
    """
    counts = {
        "input_tokens": _count(usage.get(given)),
        "output_tokens": _count(usage.get(made)),
        "cached_tokens": _count(cached),
    }
    return Usage(**counts) if any(count is not None for count in counts.values()) else None


def _count(value: Json) -> int | None:
    plain = isinstance(value, int) and not isinstance(value, bool)
    return value if plain and value >= 0 else None  # type: ignore[operator,return-value]
