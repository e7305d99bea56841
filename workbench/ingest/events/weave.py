"""Spans of model requests and tools, put together to the events of one run.

Each model span repeats the conversation before it. A message is told when it is first seen:
what a later request repeats adds nothing, what only the next request shows (the result of a tool
that has no span) is taken from there. A tool span gives its call times and an error; its text is
the one that the model saw, where a later request shows it. A run that goes on after a pause uses
its tools before it asks the model again; what the next request shows of before is told first.

Events stand in the order of time; at equal times what began first ends first.
"""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from msgspec.structs import replace

from workbench.ingest.events.messages import Role
from workbench.ingest.events.retold import agreed, args_of, key_of, unseen_replies, value_of
from workbench.ingest.events.spans import MarkSpan, ModelSpan, Span, ToolSpan
from workbench.ingest.events.times import passed_ms
from workbench.ingest.events.transcript import Said
from workbench.model.event import Requestor

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from workbench.ingest.events.messages import Message
    from workbench.ingest.events.times import Moment
    from workbench.ingest.events.transcript import Answered, Asked, Transcript

__all__ = ["weave"]


@dataclass(slots=True)
class _Call:
    """A call that a reply asked for."""

    asked: Asked
    taken: bool = False


@dataclass(slots=True)
class _Loom:
    """What was told so far."""

    script: Transcript
    spans: Sequence[Span]
    answers: dict[str, list[Answered]]
    """Call id -> what the model saw as its results; more than one where an id was used again."""
    call_of: dict[int, Asked]
    """Position of a tool span -> the call that it executes."""
    shown: dict[str, int]
    """Call id -> position of the first model span whose history has the call."""
    told: Counter[tuple[object, ...]] = field(default_factory=Counter)
    known_ids: set[str] = field(default_factory=set)
    asked: Counter[str] = field(default_factory=Counter)
    """Call id -> how often it was used."""
    answered: Counter[str] = field(default_factory=Counter)
    begun: set[int] = field(default_factory=set)
    ended: set[int] = field(default_factory=set)
    late: set[int] = field(default_factory=set)
    """Model spans whose recorded end is later than a tool that they asked for."""
    missing: int = 0
    """Requests whose reply nobody showed so far."""

    def begin(self, at: int) -> None:
        """Tell how a span begins."""
        span = self.spans[at]
        self.begun.add(at)
        match span:
            case ModelSpan():
                self._history(span)
                self.script.request(
                    dataclasses.replace(
                        span.request,
                        n_messages=len(span.history) or None,
                        at=_text(span.start),
                        agent=span.agent,
                    )
                )
            case ToolSpan():
                self._tool_begins(at, span)
            case MarkSpan():
                self.script.mark(dataclasses.replace(span.event, at=_text(span.start)))

    def forced_end(self, at: int, *, by: int) -> None:
        """Tell a reply before a tool that it asked for begins, whatever its end time says."""
        model, tool = self.spans[at], self.spans[by]
        if isinstance(model, ModelSpan) and model.end and tool.start:
            late = model.end.micros > tool.start.micros
            self.late.update([at] if late else [])
        self.end(at)

    def end(self, at: int) -> None:
        """Tell how a span ends, unless something forced that before."""
        if at in self.ended:
            return
        self.ended.add(at)
        span = self.spans[at]
        match span:
            case ModelSpan():
                self.missing += not span.reply
                ended = None if at in self.late else _text(span.end)
                for message in span.reply:
                    if message.role is Role.TOOL:
                        self._result_seen(message)
                    else:
                        self._reply(message, at=ended, agent=span.agent)
            case ToolSpan():
                self._tool_ends(at, span)
            case MarkSpan():
                pass

    def _history(self, span: ModelSpan, *, until: str | None = None) -> None:
        """Tell what was sent; `until`: only what stands before the answer of that call."""
        counted: Counter[tuple[object, ...]] = Counter()
        for message in span.history:
            if until and message.answered is not None and message.answered.id == until:
                return
            key = key_of(message)
            counted[key] += 1
            if counted[key] > self.told[key] and not self._is_known(message, counted[key]):
                self._tell(message, span)

    def _is_known(self, message: Message, nth: int) -> bool:
        ids = [asked.id for asked in message.asked if asked.id]
        if ids:
            return all(one in self.known_ids for one in ids)
        answered = message.answered
        return answered is not None and nth <= self.answered[answered.id or ""]

    def _tell(self, message: Message, span: ModelSpan) -> None:
        match message.role:
            case Role.SYSTEM:
                self.script.system(message.said)
            case Role.USER:
                self.script.user(message.said)
            case Role.ASSISTANT:
                self.missing = max(0, self.missing - 1)
                self._reply(message, at=None, agent=span.agent)
                return
            case Role.TOOL:
                self._result_seen(message)
        self.told[key_of(message)] += 1

    def _reply(self, message: Message, *, at: str | None, agent: str | None) -> None:
        said = replace(message.said, at=at or message.said.at, agent=agent or message.said.agent)
        self.told[key_of(message)] += 1
        ids = [asked.id for asked in message.asked if asked.id]
        self.known_ids.update(ids)
        self.asked.update(ids)
        self.script.reply(said, message.asked)

    def _result_seen(self, message: Message) -> None:
        """Tell a result that a request shows; a tool span of it, if there is one, ends now."""
        assert message.answered is not None  # noqa: S101  the role says so
        given = message.answered.id
        span = next(
            (
                at
                for at, asked in self.call_of.items()
                if asked.id == given and given and at not in self.ended
            ),
            None,
        )
        if span is not None and span in self.begun:
            self.end(span)
            return
        if given:
            self.answered[given] += 1
        self.script.result(message.answered)

    def _tool_begins(self, at: int, span: ToolSpan) -> None:
        if at in self.call_of:
            return
        self._catch_up(span)
        if span.asked.id and span.asked.id in self.known_ids:
            self.call_of[at] = span.asked
            return
        self.script.counts["calls_unasked"] += span.requestor is Requestor.AGENT
        said = Said(ref=span.asked.ref, at=_text(span.start), agent=span.agent)
        if span.asked.id:
            self.known_ids.add(span.asked.id)
            self.asked[span.asked.id] += 1
        self.script.apart(said, [span.asked], span.requestor)

    def _catch_up(self, span: ToolSpan) -> None:
        """Tell what came before a tool that a paused run went on with."""
        given = span.asked.id
        if given and given in self.shown and given not in self.known_ids:
            later = self.spans[self.shown[given]]
            assert isinstance(later, ModelSpan)  # noqa: S101  only these have a history
            self._history(later, until=given)

    def _tool_ends(self, at: int, span: ToolSpan) -> None:
        asked = self.call_of.get(at, span.asked)
        done = self.answered[asked.id] if asked.id else 0
        if asked.id and done >= max(1, self.asked[asked.id]):
            return
        shown = self.answers.get(asked.id or "", [])
        seen = shown[done] if done < len(shown) else None
        answered = span.answered or seen
        if answered is None:
            return
        if asked.id:
            self.answered[asked.id] += 1
        if seen is not None and (seen.text is not None or seen.value is not None):
            answered = replace(answered, text=seen.text, value=seen.value, ref=seen.ref)
            answered = replace(answered, error=answered.error or seen.error)
        self.script.result(
            replace(
                answered,
                id=asked.id,
                tool=asked.tool,
                args=value_of(asked),
                at=_text(span.end),
                agent=span.agent,
                latency_ms=passed_ms(span.start, span.end),
            )
        )


def weave(script: Transcript, spans: Sequence[Span]) -> None:
    """Add the events of spans.

    Args:
        script: receives the events.
        spans: in the order in which they began; the order of the source where times are equal.
    """
    spans = agreed(spans)
    for span in spans:
        moments = [moment for moment in (span.start, span.end) if moment is not None]
        script.counts["timestamps_without_zone"] += any(moment.naive for moment in moments)
    owner, call_of = _paired(spans)
    loom = _Loom(
        script=script, spans=spans, answers=_answers(spans), call_of=call_of, shown=_shown(spans)
    )
    for _, at, phase in sorted(_moments(spans, owner)):
        if phase:
            loom.end(at)
        else:
            if at in owner:
                loom.forced_end(owner[at], by=at)
            loom.begin(at)
    script.counts["replies_missing"] += loom.missing + unseen_replies(spans)


def _moments(spans: Sequence[Span], owner: dict[int, int]) -> Iterable[tuple[int, int, int]]:
    """Yield begin (0) and end (1) of each span; one without times stands behind the one before."""
    last = 0
    for at, span in enumerate(spans):
        start = last if span.start is None else span.start.micros
        start = max(start, last) if at in owner else start
        end = start if span.end is None else max(start, span.end.micros)
        last = start
        yield start, at, 0
        yield end, at, 1


def _answers(spans: Sequence[Span]) -> dict[str, list[Answered]]:
    found: dict[str, list[Answered]] = defaultdict(list)
    for span in spans:
        seen: Counter[str] = Counter()
        for message in span.history if isinstance(span, ModelSpan) else ():
            answered = message.answered
            if answered is not None and answered.id:
                seen[answered.id] += 1
                if seen[answered.id] > len(found[answered.id]):
                    found[answered.id].append(answered)
    return dict(found)


def _shown(spans: Sequence[Span]) -> dict[str, int]:
    found: dict[str, int] = {}
    for at, span in enumerate(spans):
        for message in span.history if isinstance(span, ModelSpan) else ():
            for asked in message.asked:
                if asked.id:
                    found.setdefault(asked.id, at)
    return found


def _paired(
    spans: Sequence[Span],
) -> tuple[dict[int, int], dict[int, Asked]]:
    """Find for each tool span the model span that asked for it, and the call there.

    By id where both have one, else by tool and arguments, first come first served; by tool alone
    only where one of the two has no arguments.
    """
    calls: dict[str, list[tuple[int, _Call]]] = defaultdict(list)
    for at, span in enumerate(spans):
        replies = span.reply if isinstance(span, ModelSpan) else ()
        for message in replies:
            for asked in message.asked:
                calls[asked.tool].append((at, _Call(asked=asked)))
    owner: dict[int, int] = {}
    call_of: dict[int, Asked] = {}
    for fits in (_same_id, _same_arguments, _same_tool):
        for at, span in enumerate(spans):
            if not isinstance(span, ToolSpan) or at in call_of:
                continue
            free = (one for one in calls[span.asked.tool] if not one[1].taken)
            found = next((one for one in free if fits(span.asked, one[1].asked)), None)
            if found is not None:
                owner[at], call = found
                call.taken = True
                call_of[at] = call.asked
    return owner, call_of


def _same_id(span: Asked, call: Asked) -> bool:
    return bool(span.id) and span.id == call.id


def _same_arguments(span: Asked, call: Asked) -> bool:
    args = args_of(span)
    return not (span.id and call.id) and args is not None and args == args_of(call)


def _same_tool(span: Asked, call: Asked) -> bool:
    """Whether only the order can tell: one of the two kept no arguments."""
    return not (span.id and call.id) and None in (args_of(span), args_of(call))


def _text(moment: Moment | None) -> str | None:
    return None if moment is None else moment.text
