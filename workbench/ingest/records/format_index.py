"""Which formats a record can have at all, told by the names of its keys.

A recogniser looks closely and costs time; that a mapping lacks all keys of a format is known
without it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from workbench.ingest.records.format import Format
    from workbench.model.jsonvalue import Json

__all__ = ["index_of"]

_HELD: Final = 1024
"""Sets of keys whose formats are held; the records of a file have a few."""


def index_of(formats: Iterable[Format]) -> Callable[[Json], tuple[Format, ...]]:
    """Return a function that says which formats a record may have, in the order given.

    Those left out would neither own nor recognise it. A record that is no mapping may have any.
    """
    everyone = tuple(formats)
    telling = frozenset(key for one in everyone for key in one.keys or ())

    @lru_cache(maxsize=_HELD)
    def of_keys(present: frozenset[str]) -> tuple[Format, ...]:
        return tuple(
            one for one in everyone if one.keys is None or not one.keys.isdisjoint(present)
        )

    def possible(record: Json) -> tuple[Format, ...]:
        return of_keys(telling.intersection(record)) if isinstance(record, dict) else everyone

    return possible
