"""Globs of tool and agent names, where `*` is any text, also with dots."""

from __future__ import annotations

from functools import lru_cache

__all__ = ["glob_matches"]


@lru_cache(maxsize=4096)
def glob_matches(pattern: str, name: str) -> bool:
    """Whether a name fits a glob; `*` is the only sign with a meaning.

    >>> glob_matches("billing.*", "billing.account.pause"), glob_matches("a.b", "a-b")
    (True, False)
    """
    first, *rest = pattern.split("*")
    if not rest:
        return name == pattern
    last = rest.pop()
    if len(name) < len(first) + len(last):
        return False
    if not (name.startswith(first) and name.endswith(last)):
        return False
    at, end = len(first), len(name) - len(last)
    for part in rest:
        at = name.find(part, at, end)
        if at < 0:
            return False
        at += len(part)
    return True
