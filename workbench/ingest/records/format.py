"""What the reader has to know of a format; each importer's module exports one as `FORMAT`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from workbench.model.trace import Losses, Trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["Format", "Importer", "no_id"]

Importer: TypeAlias = Callable[..., tuple[Trace, Losses]]
"""`(record: Json, *, place: Origin, tools: Sequence[Tool]) -> (Trace, Losses)`.

For a grouped format `record` is the list of the run's records, in the order of the file, and a
`source_ref` starts with the position in that list: `4.message.content.0`. Calls whose arguments'
text the importer wrote are the loss `args_not_exact`: their exact text is then taken from the record.
"""


def no_id(_: Json) -> Json:
    """Say that the source has no id of its own."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One format.

    A *record* is a JSON document, a line, an item of a list, or what a decoder makes of binary
    data. It is one run, unless the format is *grouped* (`run_of`): then a run is spread over
    several records, and other records may stand between them.
    """

    name: str
    recognises: Callable[[Json], bool]
    """Whether a record may be one of this format."""
    owns: Callable[[Json], bool]
    """Whether it is surely of this format: it shows a mark that only this format has."""
    read: Importer
    own_id: Callable[[Json], Json] = no_id
    """The source's own id of what `read` is given; None: it has none."""
    keys: frozenset[str] | None = None
    """A mapping without any of these keys is neither owned nor recognised, and then not asked
    about; None: it may have any keys."""
    run_of: Callable[[Json], str | tuple[str, ...] | None] | None = None
    """For a grouped format, the key of the run that a record belongs to, `""` for all records
    of the file; several keys: all are of one run; None: it goes with the record before it, or
    with the first that has a key."""
    joins: bool = False
    """Whether records of a grouped run may come in several files, in any order."""
    general: bool = False
    """Whether the shape is so common that any other format that owns a record comes first."""
    located: bool = True
    """Whether `source_ref` points into this record; ours keeps that of the first recorder."""
