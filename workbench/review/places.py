"""Places of a draft's ledger, rewritten to places of the case.

`#17.args.account_id` (event 17 of the raw trace) becomes `paths.recorded.turns.1.tool_calls.0.
args.account_id` and `f2.args.account_id`. A place whose value did not reach the case is dropped,
and an entry without places with it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from workbench.casefile.build import case_places
from workbench.casefile.case_document import case_document
from workbench.casefile.codec import encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from workbench.model.case import Case
    from workbench.model.jsonvalue import Json
    from workbench.model.ledger import LedgerEntry, TriggerNote
    from workbench.model.trace import Trace
    from workbench.redact.residue import Hit, Needle

__all__ = ["case_parts", "hit_places", "in_case", "ledger_in_case", "trigger_in_case"]


def in_case(place: str, places: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Return where in the case a place of the draft is.

    Args:
        place: e.g. `#17.args.account_id`; anything that is no event's place stays as it is.
        places: what `case_places` says.

    >>> in_case("#17.args.email", {"#17.args": ("f1.args", "paths.recorded.turns.0.args")})
    ('f1.args.email', 'paths.recorded.turns.0.args.email')
    """
    if not place.startswith("#"):
        return (place,)
    event, _, rest = place.partition(".")
    field, _, below = rest.partition(".")
    tail = f".{below}" if below else ""
    return tuple(target + tail for target in places.get(f"{event}.{field}", ()))


def ledger_in_case(ledger: Iterable[LedgerEntry], trace: Trace) -> tuple[LedgerEntry, ...]:
    """Return the entries whose value reached the case of `trace`, at their places there."""
    places = case_places(trace)
    moved = (replace(entry, at=_all_in_case(entry.at, places)) for entry in ledger)
    return tuple(entry for entry in moved if entry.at)


def trigger_in_case(trigger: Iterable[TriggerNote], trace: Trace) -> tuple[TriggerNote, ...]:
    """Return the trigger values that reached the case, each at one place: in a fixture if it can."""
    places = case_places(trace)
    found = []
    for note in trigger:
        there = in_case(note.at, places)
        in_fixtures = [p for p in there if p.partition(".")[0] not in ("paths", "input")]
        found += [replace(note, at=place) for place in (*in_fixtures, *there)[:1]]
    return tuple(dict.fromkeys(found))


def case_parts(case: Case) -> Iterator[tuple[tuple[str | int, ...], Json]]:
    """Yield what of a case comes from a trace, under the steps by which its ledger names it.

    Message 1 is `input.1`, a path goes by its name, a fixture by its id.
    """
    document = case_document(case)
    for part in ("tools", "contract"):
        yield (part,), document[part]
    yield ("input", "state"), encode(case.input.state)
    for nth, message in enumerate(case.input.messages):
        yield ("input", nth), encode(message)
    for path in case.paths:
        yield ("paths", path.name), encode(path)
    for fixture in case.fixtures:
        yield (fixture.id,), encode(fixture)


def hit_places(hits: Iterable[Hit], needles: Sequence[Needle]) -> tuple[str, ...]:
    """Say once of what type each value found is and in which view; never the value."""
    said = (f"{needles[hit.needle].label} in view {hit.view}" for hit in hits)
    return tuple(dict.fromkeys(said))


def _all_in_case(at: tuple[str, ...], places: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(target for place in at for target in in_case(place, places)))
