"""Tokens and cost of a reply, in any dialect's names.

A cost is taken where a record states it in US dollars, never computed from prices. Recorders
that do not know a price write 0, so 0 beside tokens is no cost: what is not known stays absent.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from workbench.ingest.records.shapes import integer_in, map_in
from workbench.model.event import Usage

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["cost_in", "usage_of"]

_CACHED: Final = (
    "cached_tokens",
    "cache_read",
    "cache_read_input_tokens",
    "input_cache_read",
    "prompt_details.cache_read",
    "cacheReadInputTokens",
    "cachedContentTokenCount",
    "input_tokens_cache_read",
)
_DETAILS: Final = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
_COSTS: Final = ("cost_usd", "total_cost_usd", "total_cost", "cost")
"""Where a record of tokens also says what they cost (OpenRouter, LiteLLM, Inspect)."""


def cost_in(value: Json, *names: str) -> float | None:
    """Return the first of these fields that is a cost in US dollars, as a number or as text.

    >>> cost_in({"total": "0.0125", "cost": 3}, "sum", "total"), cost_in({"total": 0}, "total")
    (0.0125, None)
    """
    if not isinstance(value, dict):
        return None
    for name in names:
        if name in value and (cost := _cost(value[name])) is not None:
            return cost
    return None


def _cost(value: Json) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        cost = float(value)
    except (ValueError, OverflowError):
        return None
    return cost if math.isfinite(cost) and cost > 0 else None


def usage_of(usage: Json, *, cost_usd: float | None = None) -> Usage | None:
    """Read token counts in any dialect's names; None when there are none.

    Args:
        usage: the record's mapping.
        cost_usd: what the record says elsewhere; None: what the mapping says, if anything.
    """
    if not isinstance(usage, dict) or not usage:
        return None if cost_usd is None else Usage(cost_usd=cost_usd)
    cached = usage
    for name in _DETAILS:
        if name in usage:
            cached = {**map_in(usage, name), **cached}
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
        cached_tokens=_first(cached, *_CACHED),
        cost_usd=cost_usd if cost_usd is not None else cost_in(usage, *_COSTS),
    )
    return None if found == Usage() else found


def _first(usage: JsonMap, *names: str) -> int | None:
    for name in names:
        if name in usage and (value := integer_in(usage, name)) is not None:
            return value
    return None
