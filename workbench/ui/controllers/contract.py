"""The contract of an incident, stated by people: suggestions, a preset, and a check as one types.

What is typed is judged on the run at once, so that nobody states a contract that the run does not
break. The text is in the store at each step that a person takes; another kernel goes on with it.
"""

from __future__ import annotations

import re
from contextlib import suppress
from threading import RLock
from typing import TYPE_CHECKING, Final

from workbench.casefile.contract import read_contract_document
from workbench.casefile.layout import format_mapping
from workbench.casefile.strict_yaml import load_yaml
from workbench.casefile.tool_names import check_tool_names, listed_tools
from workbench.check.diagnose import diagnose
from workbench.check.judge import judge
from workbench.errors import InputError
from workbench.model.event import Claim, ToolCall
from workbench.model.verdict import Result
from workbench.model.wording import counted
from workbench.review.timeline import claimed
from workbench.ui.controllers.clauses import PRESET, joined, preset

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from workbench.model.contract import Contract
    from workbench.model.event import Event
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.verdict import Suggestion, Verdict
    from workbench.review.incident import Incident
    from workbench.store.records import Decision

__all__ = ["ContractForm"]

STATED: Final = "contract_stated"
TYPED: Final = "contract_typed"
_NAME: Final = "contract"
_LINE: Final = re.compile(rf"{_NAME}:(\d+)")


class ContractForm:
    """One incident's contract on its way to being stated."""

    def __init__(self, incident: Incident, *, claims: JsonMap | None = None) -> None:
        """Open the form where it was left.

        Args:
            incident: under review.
            claims: the repository's patterns, `[claims]` of `workbench.toml`.
        """
        self.lock = RLock()
        self.on_state: list[Callable[[], None]] = []
        """Called when the contract was stated."""
        self._incident = incident
        self._claims = claims
        self._suggestions: tuple[Suggestion, ...] | None = None

    # --- what is shown -----------------------------------------------------------

    @property
    def text(self) -> str:
        """The contract as it was last typed or stated, YAML; empty: nobody began."""
        return _text_of(self._incident.log.last(STATED, TYPED))

    @property
    def author(self) -> str:
        """Who typed or stated the text last; empty: nobody began."""
        last = self._incident.log.last(STATED, TYPED)
        return "" if last is None else last.actor

    @property
    def seen(self) -> int:
        """How much of the review's log `text` is told with."""
        return self._incident.log.seen

    @property
    def stated_text(self) -> str:
        """The contract as it was stated last, YAML; empty: none was."""
        return _text_of(self._incident.log.last(STATED))

    @property
    def contract(self) -> Contract | None:
        """The contract that was stated last; None: none was."""
        text = self.stated_text
        return self._read(text) if text else None

    def earlier(self) -> Iterator[Contract]:
        """Yield every contract that was stated before and can still be read, the newest first."""
        for entry in reversed(self._incident.log.standing(STATED)[:-1]):
            with suppress(InputError):
                yield self._read(_text_of(entry))

    def suggestions(self) -> list[Json]:
        """Return what the detectors propose, the most certain first, with evidence."""
        return [
            {
                "detector": one.detector,
                "confidence": one.confidence,
                "clause": one.clause,
                "sentence": one.sentence,
                "evidence": self._evidence(one.evidence),
                "text": format_mapping(one.contract),
            }
            for one in self._suggested()
        ]

    def check(self, text: str) -> JsonMap:
        """Say what is wrong with a text, or what the contract finds on the run; writes nothing.

        Returns:
            `problems` with line, key, message and fix; `clauses` with their verdicts; and whether
            the contract `can_be_stated`.
        """
        try:
            contract = self._read(text)
        except InputError as error:
            return {"problems": [_problem(error)], "clauses": [], "can_be_stated": False}
        verdict = judge(self._incident.run.trace, contract)
        problems = _unfit(contract, verdict)
        clauses: list[Json] = [
            {
                "clause": one.clause,
                "result": one.result.value,
                "sentence": one.sentence,
                "evidence": self._evidence(one.evidence),
            }
            for one in verdict.clauses
        ]
        return {"problems": problems, "clauses": clauses, "can_be_stated": not problems}

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        contract = self.contract
        if contract is None:
            return "no contract is stated yet"
        stated = self._incident.log.last(STATED)
        who = "" if stated is None else f", stated by {stated.actor}"
        return f"{counted(len(contract.clauses), 'clause')}{who}"

    def check_preset(self, parts: Mapping[str, str]) -> JsonMap:
        """Say which fields of the preset are wrong; writes nothing.

        Args:
            parts: `forbidden`, `evidence` and `final` as they are typed.

        Returns:
            `problems` with field, message and fix, and whether the clauses `can_be_added`.
        """
        filled = [name for name in PRESET if parts[name].strip()]
        problems = [found for name in filled if (found := self._wrong_part(name, parts[name]))]
        return {"problems": [*problems], "can_be_added": bool(filled) and not problems}

    # --- what people do ----------------------------------------------------------

    def look_again(self) -> None:
        """Take what others decided meanwhile."""
        self._incident.log.look()

    def keep(self, text: str, *, seen: int | None = None) -> None:
        """Keep what is typed so far, whether it is right or not.

        Args:
            text: as it is typed.
            seen: how much of the log the person had seen; None: as much as this controller.

        Raises:
            RefusedError: somebody else typed or stated another one meanwhile.
        """
        if text != self.text:
            self._write(TYPED, text, seen)

    def use(self, number: int, *, text: str | None = None, seen: int | None = None) -> str:
        """Add a suggestion to a text, keep and return it.

        Args:
            number: place in the list of suggestions.
            text: as the person sees it; None: as it was kept.
            seen: see `keep`.

        Raises:
            InputError: there is no such suggestion, or the text is no mapping to add it to.
            RefusedError: as `keep`.
        """
        found = self._suggested()
        if not 0 <= number < len(found):
            message = f"is {number}; expected one of {counted(len(found), 'suggestion')}"
            raise InputError(message, key="suggestion", fix="choose one of the list")
        return self._added(found[number].contract, text, seen)

    def use_preset(
        self,
        *,
        forbidden: str,
        evidence: str,
        final: str,
        text: str | None = None,
        seen: int | None = None,
    ) -> str:
        """Add the three clauses of the preset to a text, keep and return it; see `use`.

        Raises:
            InputError: nothing is filled in, or the text is no mapping to add it to.
            RefusedError: as `keep`.
        """
        clauses = preset(forbidden=forbidden, evidence=evidence, final=final)
        return self._added(clauses, text, seen)

    def state(self, text: str, *, seen: int | None = None) -> Contract:
        """State the contract: from here on it is what the run broke.

        Args:
            text: YAML.
            seen: see `keep`.

        Raises:
            InputError: the text is no contract, or the run does not break it.
            RefusedError: as `keep`.
        """
        found = self.check(text)
        if not found["can_be_stated"]:
            first = _first(found["problems"])
            raise InputError(str(first["message"]), key=str(first["key"]), fix=_fix(first))
        contract = self._read(text)
        self._write(STATED, text, seen)
        self._tell()
        return contract

    def undo(self) -> str:
        """Take back what the reviewer typed or stated last, and return the text that stands.

        Raises:
            InputError: there is nothing.
        """
        undone = self._incident.log.undo(STATED, TYPED, by=self._incident.reviewer)
        if undone.kind == STATED:
            self._tell()
        return self.text

    # --- inside -------------------------------------------------------------------

    def _suggested(self) -> tuple[Suggestion, ...]:
        if self._suggestions is None:
            self._suggestions = tuple(diagnose(self._incident.run.trace))
        return self._suggestions

    def _read(self, text: str) -> Contract:
        document, place = load_yaml(text, name=_NAME)
        contract = read_contract_document(document, place=place, claims=self._claims)
        trace = self._incident.run.trace
        called = {event.tool for event in trace.events if isinstance(event, ToolCall)}
        known = listed_tools(trace.tools, called)
        check_tool_names(contract, known, place=place, key="", whole="the run")
        return contract

    def _added(self, document: JsonMap, text: str | None, seen: int | None) -> str:
        whole = joined(self.text if text is None else text, document, name=_NAME)
        self.keep(whole, seen=seen)
        return whole

    def _write(self, kind: str, text: str, seen: int | None) -> None:
        def is_other(entry: Decision) -> bool:
            return entry.kind in (STATED, TYPED) and entry.payload.get("text") != text

        incident = self._incident
        incident.log.write(kind, {"text": text}, by=incident.reviewer, seen=seen, unless=is_other)

    def _tell(self) -> None:
        for act in tuple(self.on_state):
            act()

    def _wrong_part(self, name: str, words: str) -> JsonMap | None:
        try:
            self._read(format_mapping(preset(**{name: words})))
        except InputError as error:
            return {**_problem(error), "field": name}
        return None

    def _evidence(self, seqs: Iterable[int]) -> list[Json]:
        """Return events with what they are, without their values."""
        return [[seq, _event_words(self._incident.run.trace.events[seq])] for seq in seqs]


def _text_of(entry: Decision | None) -> str:
    text = None if entry is None else entry.payload.get("text")
    return text if isinstance(text, str) else ""


def _event_words(event: Event) -> str:
    """Say what an event is: its kind, the tool, and how it ended; a claim as the timeline does."""
    if isinstance(event, Claim):
        return f"claims {claimed(event)}"
    parts = [event.kind.replace("_", " ")]
    for name in ("tool", "outcome"):
        value = getattr(event, name, None)
        if value is not None:
            parts.append(str(value))
    return " ".join(parts)


def _unfit(contract: Contract, verdict: Verdict) -> list[Json]:
    """Say why a contract that can be read cannot be stated of this run."""
    if not verdict.signature:
        message = "the run does not break this contract, so there is nothing to keep"
        return [_said(message, "take a suggestion, or state what went wrong")]
    allowed = {entry.clause for entry in contract.unproven}
    return [
        _said(
            f"{one.clause} cannot be judged on this run: {one.sentence}",
            "list it under unproven with a reason, or change it",
        )
        for one in verdict.clauses
        if one.result is Result.INCONCLUSIVE and one.clause not in allowed
    ]


def _said(message: str, fix: str) -> Json:
    return {"line": None, "key": "", "message": message, "fix": fix}


def _problem(error: InputError) -> JsonMap:
    line = _LINE.match(error.place)
    message = str(error).partition("\n")[0].removeprefix(f"{error.place}: ")
    return {
        "line": int(line[1]) if line else None,
        "key": error.key,
        "message": message.removeprefix(f"{error.key} "),
        "fix": error.fix,
    }


def _first(problems: Json) -> JsonMap:
    assert isinstance(problems, list)  # noqa: S101  `check` made it
    first = problems[0]
    assert isinstance(first, dict)  # noqa: S101
    return first


def _fix(problem: JsonMap) -> str | None:
    return None if problem["fix"] is None else str(problem["fix"])
