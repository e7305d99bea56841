"""What happened in a run: rows, details, a search, the trigger, and where two runs part."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from threading import RLock
from typing import TYPE_CHECKING, Final

from workbench.check.divergence import first_divergence
from workbench.errors import InputError
from workbench.model.settings import Settings
from workbench.review.source import Lookup, find_run
from workbench.runner.reports.text import masked
from workbench.ui.controllers.details import Marks, event_detail, event_text
from workbench.ui.controllers.spans import Waterfall, waterfall

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from workbench.check.divergence import Divergence
    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.ledger import LedgerEntry
    from workbench.model.trace import Trace
    from workbench.review.incident import Incident
    from workbench.ui.controllers.picker import Picker
    from workbench.ui.controllers.spans import Span

__all__ = ["CHUNK", "FIRST", "Timeline"]

CHUNK: Final = 2_000
"""Rows in one message."""
FIRST: Final = 200
"""Rows in the first message: they are drawn while others are on their way."""
_TITLE: Final = 160
_SEARCHED: Final = 1_500
"""Characters of a row that are searched in the browser; longer ones are searched here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _SeenAt:
    """Events of which the review knows something."""

    trigger: frozenset[int] = frozenset()
    replaced: Mapping[int, int] = field(default_factory=dict)
    """How many places redaction replaces."""


class Timeline:
    """The events of one run, or of two beside each other."""

    def __init__(
        self, incident: Incident | None = None, *, contract: Contract | None = None
    ) -> None:
        self.lock = RLock()
        self.incident: Incident | None = None
        self.masks = False
        """Whether types and lengths stand in place of values: for a screen that others see."""
        self.selected: int | None = None
        """`seq` of the row that a person looks at."""
        self.ledger: tuple[LedgerEntry, ...] = ()
        """What redaction replaces, as it is decided now; such values are marked."""
        self._contract = contract
        self._other: Trace | None = None
        self._parting: Divergence | None = None
        self._falls: dict[str, Waterfall] = {}
        self._watchers: list[Callable[[], None]] = []
        if incident is not None:
            self.show(incident)

    def follow(self, picker: Picker) -> Timeline:
        """Show the run that is picked, now and later."""
        picker.watch(self.show)
        return self

    def watch(self, act: Callable[[], None]) -> None:
        """Be told when another run is shown."""
        self._watchers.append(act)

    def show(self, incident: Incident) -> None:
        """Show a run."""
        with self.lock:
            self.incident = incident
            self.selected = None
            self.ledger = ()
            self._other = self._parting = None
            self._falls = {"this": waterfall(incident.run.trace)}
        for act in self._watchers:
            act()

    def mark_replaced(self, ledger: tuple[LedgerEntry, ...]) -> None:
        """Mark what redaction replaces; nobody is told of what is known already."""
        with self.lock:
            if ledger == self.ledger:
                return
            self.ledger = ledger
        for act in self._watchers:
            act()

    # --- two runs ---------------------------------------------------------------

    def compare_with(self, run_id: str, *, settings: Settings | None = None) -> Divergence | None:
        """Put another run of the same task beside this one, as the earlier of the two.

        Raises:
            InputError: no run is shown, or there is no such other run.
        """
        incident = self._shown()
        lookup = Lookup(store=str(incident.store.root), settings=settings or Settings())
        other = find_run(run_id, lookup).trace
        with self.lock:
            self._other = other
            self._parting = first_divergence(other, incident.run.trace, contract=self._contract)
            self._falls["other"] = waterfall(other)
        for act in self._watchers:
            act()
        return self._parting

    def divergence(self) -> JsonMap | None:
        """Return where the two runs part, for the browser; None: no other run is shown."""
        if self._other is None:
            return None
        found = self._parting
        if found is None:
            return {"parts": False, "other": self._other.run_id}
        return {
            "parts": True,
            "other": self._other.run_id,
            "what": found.what,
            "sentence": found.sentence,
            "versions": [
                {"what": change.what, "first": change.first, "second": change.second}
                for change in found.versions
            ],
            "first": None if found.first is None else found.first.seq,
            "second": None if found.second is None else found.second.seq,
            "after_first": list(found.downstream_first),
            "after_second": list(found.downstream_second),
        }

    # --- rows -------------------------------------------------------------------

    def head(self, side: str = "this") -> JsonMap:
        """Return what is said of the run as a whole."""
        fall, trace = self._falls[side], self._trace(side)
        return {
            "run_id": trace.run_id,
            "status": trace.status.value,
            "events": len(trace.events),
            "rows": len(fall.spans),
            "end": fall.end,
            "ms": fall.ms,
            "timed": fall.timed,
            "breaks": [{"at": gap.at, "ms": gap.ms} for gap in fall.breaks],
            "selected": self.selected,
            "masked": self.masks,
        }

    def rows(self, side: str = "this") -> Iterator[list[Json]]:
        """Yield the rows in chunks, each row as the browser draws and searches it."""
        trace, spans = self._trace(side), self._falls[side].spans
        seen = self._seen_at() if side == "this" else _SeenAt()
        start, end = 0, FIRST
        while start == 0 or start < len(spans):
            yield [self._row(span, trace, seen) for span in spans[start:end]]
            start, end = end, end + CHUNK

    def _row(self, span: Span, trace: Trace, seen: _SeenAt) -> JsonMap:
        title, text, is_long = span.title, "", False
        if self.masks:
            says = span.title and span.lane in ("message", "model")
            title = masked(span.title) if says else span.title
            text = title
        else:
            text = "\n".join(event_text(trace.events[seq]) for seq in span.seqs)
            is_long = len(text) > _SEARCHED
        return {
            "seq": span.seq,
            "last": span.seqs[-1],
            "lane": span.lane,
            "kind": span.kind,
            "title": title[:_TITLE],
            "outcome": span.outcome,
            "detail": span.detail[:_TITLE] if not self.masks else "",
            "bad": span.bad,
            "agent": span.agent,
            "turn": span.turn,
            "depth": span.depth,
            "start": round(span.start, 3),
            "length": round(span.length, 3),
            "ms": span.ms,
            "beside": len(span.beside),
            "trigger": not seen.trigger.isdisjoint(span.seqs),
            "replaced": sum(seen.replaced.get(seq, 0) for seq in span.seqs),
            "text": text[:_SEARCHED].lower(),
            "long": is_long,
        }

    def search_long(self, text: str, side: str = "this") -> list[int]:
        """Return the `seq` of rows that hold a text beyond what the browser has."""
        if self.masks or not text:
            return []
        trace, wanted = self._trace(side), text.lower()
        return [
            span.seq
            for span in self._falls[side].spans
            if wanted in "\n".join(event_text(trace.events[s]) for s in span.seqs).lower()
        ]

    # --- one row ------------------------------------------------------------------

    def select(self, seq: int, side: str = "this") -> JsonMap:
        """Return all that the events of a row hold.

        Raises:
            InputError: no row starts there.
        """
        span = self._span(seq, side)
        if side == "this":
            self.selected = seq
        trace = self._trace(side)
        marks = self._marks(side)
        return {
            "seq": seq,
            "side": side,
            "events": [event_detail(trace.events[one], marks) for one in span.seqs],
            "beside": list(span.beside),
            "trigger_place": _trigger_place(span),
            "is_trigger": _trigger_place(span) in marks.trigger,
        }

    def mark_trigger(self, seq: int) -> None:
        """Mark what a row did as what makes the failure happen, or take the mark away.

        Raises:
            InputError: no run is shown, or no row starts there.
            StoreError: it could not be kept.
        """
        self._shown().mark(_trigger_place(self._span(seq, "this")))

    # --------------------------------------------------------------------------------

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        if self.incident is None:
            return "No run is shown yet: pick one above."
        fall = self._falls["this"]
        calls = [span for span in fall.spans if span.lane == "tool"]
        failed = sum(span.bad for span in calls)
        beside = sum(bool(span.beside) for span in calls)
        parts = [
            f"{len(self.incident.run.trace.events):,} events in {len(fall.spans):,} rows",
            f"{failed} of {len(calls)} calls did not end ok",
            f"{beside} ran beside another" if beside else "no calls ran at once",
            f"{len(self.incident.trigger)} places marked as trigger",
            f"{sum(len(entry.at) for entry in self.ledger if entry.pseudonym)} places replaced",
            "times recorded" if fall.timed else "no times recorded",
        ]
        if self._other is not None:
            at = "they do not part"
            if self._parting is not None and self._parting.second is not None:
                at = f"they part at event {self._parting.second.seq} ({self._parting.what})"
            elif self._parting is not None:
                at = "this run ends where the other goes on"
            parts.append(f"compared with another run: {at}")
        return f"Review {self.incident.id}: " + "; ".join(parts) + "."

    def _shown(self) -> Incident:
        if self.incident is None:
            message = "no run is shown"
            raise InputError(message, fix="pick a run first")
        return self.incident

    def _trace(self, side: str) -> Trace:
        if side == "other" and self._other is not None:
            return self._other
        return self._shown().run.trace

    def _span(self, seq: int, side: str) -> Span:
        fall = self._falls.get(side)
        span = None if fall is None else next((s for s in fall.spans if s.seq == seq), None)
        if span is None:
            raise InputError(f"no row starts at event {seq}", fix="draw the timeline again")
        return span

    def _marks(self, side: str) -> Marks:
        replaced = {place: entry for entry in self.ledger for place in entry.at}
        trigger = frozenset(self._shown().trigger) if side == "this" else frozenset[str]()
        return Marks(
            replaced=replaced if side == "this" else {}, trigger=trigger, is_masked=self.masks
        )

    def _seen_at(self) -> _SeenAt:
        replaced = Counter(
            seq
            for entry in self.ledger
            if entry.pseudonym is not None
            for seq in _seqs_of(entry.at)
        )
        return _SeenAt(trigger=frozenset(_seqs_of(self._shown().trigger)), replaced=replaced)


def _seqs_of(places: Iterable[str]) -> Iterator[int]:
    """Yield the event of each place, e.g. 17 of `#17.args.id`; places outside events have none."""
    for place in places:
        number = place.removeprefix("#").partition(".")[0]
        if place.startswith("#") and number.isdigit():
            yield int(number)


def _trigger_place(span: Span) -> str:
    """Return what of a row is marked as trigger: a call's arguments, a text, or all of it."""
    if span.lane == "tool":
        return f"#{span.seq}.args"
    return f"#{span.seqs[-1]}.text" if span.lane in ("model", "message") else f"#{span.seq}"
