"""Token counts of a reply, in any dialect's names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.ingest.records.shapes import integer_in, map_in
from workbench.model.event import Usage

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["usage_of"]

_CACHED: Final = (
    "cached_tokens",
    "cache_read",
    "cache_read_input_tokens",
    "input_cache_read",
    "prompt_details.cache_read",
    "cacheReadInputTokens",
    "cachedContentTokenCount",
)


def usage_of(usage: Json) -> Usage | None:
    """Read token counts in any dialect's names; None when there are none."""
    if not isinstance(usage, dict) or not usage:
        return None
    details = (
        map_in(usage, name)
        for name in ("input_token_details", "input_tokens_details", "prompt_tokens_details")
    )
    cached = {name: value for found in details for name, value in found.items()}
    found = Usage(
        input_tokens=_first(
            usage, "input_tokens", "prompt_tokens", "input", "inputTokens", "promptTokenCount"
        ),
        output_tokens=_first(
            usage,
            "output_tokens",
            "completion_tokens",
            "output",
            "outputTokens",
            "candidatesTokenCount",
        ),
        cached_tokens=_first({**cached, **usage}, *_CACHED),
    )
    return None if found == Usage() else found


def _first(usage: JsonMap, *names: str) -> int | None:
    values = (integer_in(usage, name) for name in names)
    return next((value for value in values if value is not None), None)
