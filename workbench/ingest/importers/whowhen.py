"""Who&When: chats of several agents, each with the step at which, as people said, it went wrong.

Such a chat calls no tools. A step that is for a program (a terminal, a browser, a file viewer),
or that one answers, is taken as a call of that program with the step's text, and the program's
next step as its result; every other step of an agent is a reply that the others saw. What the format marks as a thought
is a reply that nobody saw. A terminal writes the exit code in its text, and a browser writes
nothing of the kind.

Source:
    formats page 1; Zhang et al. (2025), "Which agent causes task failures and when?".
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from workbench.casefile.place import describe, step_key
from workbench.ingest.events.finish import RunFacts, finished, labels_of
from workbench.ingest.events.transcript import Answered, Asked, Said, Transcript
from workbench.ingest.records.format import Format
from workbench.ingest.records.shapes import as_map, map_in, map_items, text_in
from workbench.model.event import CallError
from workbench.model.trace import RunStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from workbench.ingest.records.origin import Origin
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Losses, Tool, Trace

__all__ = ["FORMAT", "read_whowhen"]

_PROGRAMS: Final = frozenset({"Computer_terminal", "ComputerTerminal", "WebSurfer", "FileSurfer"})
_THOUGHT: Final = "thought"
_EXIT: Final = re.compile(r"exitcode: (\d{1,9})\b")
_VERDICTS: Final = ("is_correct", "is_corrected")
"""One label, spelled in two ways."""


class _Step(Struct, frozen=True, kw_only=True):
    """One message of the chat."""

    ref: str
    speaker: str
    note: str
    """What stands in brackets behind the speaker: `thought`, `-> WebSurfer`; empty: nothing."""
    text: str


def read_whowhen(record: Json, *, place: Origin, tools: Sequence[Tool]) -> tuple[Trace, Losses]:
    """Read one chat, bare or bundled as `{"source_path", "data"}`.

    Raises:
        TraceFormatError: a step has another form than the collection's.
    """
    outer = as_map(record, key="", origin=place)
    bundled = isinstance(outer.get("data"), dict)
    run = map_in(outer, "data") if bundled else outer
    key = "data." if bundled else ""
    steps = [
        _step(ref, step, place)
        for ref, step in map_items(run.get("history"), key=f"{key}history", origin=place)
    ]
    script = Transcript()
    _add_prompts(script, run, key)
    _add_question(script, run, key, steps)
    _add_steps(script, steps)
    facts = RunFacts(
        own_id=_own_id(outer),
        labels=_labels(run),
        status=_status(run),
    )
    return finished(script, facts, origin=place, tools=tools)


def _step(ref: str, step: JsonMap, origin: Origin) -> _Step:
    name = step.get("name") or step.get("role")
    content = step.get("content")
    if not isinstance(name, str) or not name.strip():
        raise origin.error(step_key(ref, "role"), f"is {describe(name)}; expected a speaker")
    if not isinstance(content, str):
        raise origin.error(step_key(ref, "content"), f"is {describe(content)}; expected a text")
    speaker, _, note = name.partition(" (")
    return _Step(ref=ref, speaker=speaker, note=note.removesuffix(")"), text=content)


def _add_prompts(script: Transcript, run: JsonMap, key: str) -> None:
    for agent, text in map_in(run, "system_prompt").items():
        if isinstance(text, str):
            script.system(Said(ref=f"{key}system_prompt", text=text, agent=agent))


def _add_question(script: Transcript, run: JsonMap, key: str, steps: Sequence[_Step]) -> None:
    """Add the question, unless the chat begins with it."""
    if not steps or steps[0].speaker != "human":
        script.user(Said(ref=f"{key}question", text=text_in(run, "question")))


def _add_steps(script: Transcript, steps: Sequence[_Step]) -> None:
    called: str | None = None
    order = _started(steps)
    for step, following in zip(order, _next_speakers(order), strict=True):
        if step.speaker == called:
            _add_answer(script, step)
            called = None
        elif step.speaker == "human":
            script.user(Said(ref=step.ref, text=step.text))
        elif step.note == _THOUGHT:
            script.reply(Said(ref=step.ref, text=step.text, agent=step.speaker, claimed=""))
        else:
            called = _next_program(step, following)
            _add_reply(script, step, called)


def _started(steps: Sequence[_Step]) -> list[_Step]:
    """Put what names the next speaker before what that speaker is told: with it the work begins.

    Between the two nothing runs; a call that was open there would seem to run beside a reply.
    """
    found = list(steps)
    for at in range(len(found) - 2):
        told, named, answer = found[at : at + 3]
        is_told = told.note == f"-> {answer.speaker}"
        if is_told and named.note == _THOUGHT and named.speaker == told.speaker:
            found[at : at + 2] = [named, told]
    return found


def _next_speakers(steps: Sequence[_Step]) -> list[str | None]:
    """Return who says the first thing after each step that is no thought."""
    found: list[str | None] = []
    speaker: str | None = None
    for step in reversed(steps):
        found.append(speaker)
        if step.note != _THOUGHT:
            speaker = step.speaker
    found.reverse()
    return found


def _next_program(step: _Step, following: str | None) -> str | None:
    """Return the program that a step is for: it is named, or the next to speak; None: neither."""
    _, _, named = step.note.partition("-> ")
    if named in _PROGRAMS:
        return named
    return following if following in _PROGRAMS and step.speaker not in _PROGRAMS else None


def _add_reply(script: Transcript, step: _Step, called: str | None) -> None:
    if called is None:
        script.reply(Said(ref=step.ref, text=step.text, agent=step.speaker))
        return
    script.counts["calls_written_as_text"] += 1
    asked = Asked(ref=step.ref, id=None, tool=called, value={"text": step.text})
    script.reply(Said(ref=step.ref, agent=step.speaker), [asked])


def _add_answer(script: Transcript, step: _Step) -> None:
    found = _EXIT.match(step.text)
    code = 0 if found is None else int(found[1])
    script.result(
        Answered(
            ref=step.ref,
            id=None,
            tool=step.speaker,
            text=step.text,
            agent=step.speaker,
            error=CallError(type="exit_code", status=code) if code else None,
        )
    )


def _labels(run: JsonMap) -> JsonMap:
    step = run.get("mistake_step")
    return labels_of(
        is_correct=_verdict(run),
        mistake_agent=run.get("mistake_agent"),
        mistake_step=int(step) if isinstance(step, str) and step.isdecimal() else step,
        mistake_reason=run.get("mistake_reason"),
        mistake_type=run.get("mistake_type"),
        level=run.get("level"),
        question_id=run.get("question_ID"),
        ground_truth=run.get("ground_truth"),
    )


def _verdict(run: JsonMap) -> bool | None:
    found = (run.get(name) for name in _VERDICTS)
    return next((value for value in found if isinstance(value, bool)), None)


def _status(run: JsonMap) -> RunStatus:
    verdict = _verdict(run)
    if verdict is None:
        return RunStatus.UNKNOWN
    return RunStatus.OK if verdict else RunStatus.FAILED


def _own_id(record: Json) -> Json:
    return text_in(record, "source_path") or text_in(record, "question_ID")


def _recognises(record: Json) -> bool:
    run = map_in(record, "data") or map_in(record)
    return (
        isinstance(run.get("history"), list)
        and "mistake_step" in run
        and "mistake_agent" in run
        and "question" in run
    )


FORMAT: Final = Format(
    name="whowhen",
    recognises=_recognises,
    owns=_recognises,
    keys=frozenset({"data", "mistake_step"}),
    own_id=_own_id,
    read=read_whowhen,
)
