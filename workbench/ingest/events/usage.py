"""Tokens and cost of a reply, in any dialect's names.

A cost is taken where a record states it in US dollars, never computed from prices. Recorders
that do not know a price write 0, so 0 beside tokens is no cost: what is not known stays absent.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from workbench.ingest.records.shapes import map_in
from workbench.model.event import Usage

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["cost_in", "usage_of"]

_CACHED: Final = "cached_tokens"
_NAMES: Final = {
    "input_tokens": (
        "input_tokens",
        "prompt_tokens",
        "input",
        "inputTokens",
        "promptTokenCount",
    ),
    "output_tokens": (
        "output_tokens",
        "completion_tokens",
        "output",
        "outputTokens",
        "candidatesTokenCount",
    ),
    _CACHED: (
        "cached_tokens",
        "cache_read",
        "cache_read_input_tokens",
        "input_cache_read",
        "prompt_details.cache_read",
        "cacheReadInputTokens",
        "cachedContentTokenCount",
        "input_tokens_cache_read",
    ),
}
"""Our name -> names of dialects; the first of them that has a number counts."""
_RANKED: Final = {
    name: (ours, rank) for ours, names in _NAMES.items() for rank, name in enumerate(names)
}
_DETAILS: Final = ("input_token_details", "input_tokens_details", "prompt_tokens_details")
"""Where a dialect says what of the input came from a cache."""
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
    counts = _counts_in(usage)
    details = [map_in(usage, name) for name in _DETAILS if name in usage]
    if any(details):
        told = {name: value for found in (*details, usage) for name, value in found.items()}
        counts.update((k, n) for k, n in _counts_in(told).items() if k == _CACHED)
    cost = cost_usd if cost_usd is not None else cost_in(usage, *_COSTS)
    if not counts and cost is None:
        return None
    return Usage(cost_usd=cost, **counts)


def _counts_in(usage: JsonMap) -> dict[str, int]:
    """Return the counts of tokens by our names."""
    found: dict[str, int] = {}
    ranks: dict[str, int] = {}
    for name, value in usage.items():
        if name in _RANKED and isinstance(value, int) and not isinstance(value, bool):
            ours, rank = _RANKED[name]
            if rank < ranks.get(ours, len(_RANKED)):
                ranks[ours], found[ours] = rank, value
    return found
