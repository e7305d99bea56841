"""The contract of an incident, stated by people: suggestions, a preset, and a check as one types.

What is typed is judged on the run at once, so that nobody states a contract that the run does not
break. The text is in the store at each step that a person takes; another kernel goes on with it.
"""

from __future__ import annotations

import re
from threading import RLock
from typing import TYPE_CHECKING, Final

from workbench.casefile.contract import load_contract, read_contract_document
from workbench.casefile.layout import format_mapping
from workbench.casefile.strict_yaml import load_yaml
from workbench.casefile.tool_names import check_tool_names, listed_tools
from workbench.check.diagnose import diagnose
from workbench.check.judge import judge
from workbench.errors import InputError
from workbench.model.event import ToolCall
from workbench.model.verdict import Result
from workbench.model.wording import counted

if TYPE_CHECKING:
    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.verdict import Suggestion, Verdict
    from workbench.review.incident import Incident

__all__ = ["ContractForm", "merged", "preset"]

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
        self._incident = incident
        self._claims = claims
        self._suggestions: tuple[Suggestion, ...] | None = None

    # --- what is shown -----------------------------------------------------------

    @property
    def text(self) -> str:
        """The contract as it was last typed or stated, YAML; empty: nobody began."""
        kinds = (STATED, TYPED)
        found = [d for d in self._incident.standing if d.kind in kinds]
        text = found[-1].payload.get("text") if found else ""
        return text if isinstance(text, str) else ""

    @property
    def contract(self) -> Contract | None:
        """The contract that was stated last; None: none was."""
        stated = self._incident.last(STATED)
        return None if stated is None else self._read(str(stated.payload["text"]))

    def suggestions(self) -> list[Json]:
        """Return what the detectors propose, the most certain first, with evidence."""
        return [
            {
                "detector": one.detector,
                "confidence": one.confidence,
                "clause": one.clause,
                "sentence": one.sentence,
                "evidence": [*one.evidence],
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
                "evidence": [*one.evidence],
            }
            for one in verdict.clauses
        ]
        return {"problems": problems, "clauses": clauses, "can_be_stated": not problems}

    def summary(self) -> str:
        """Say in one line where the step stands, without values of the trace."""
        contract = self.contract
        if contract is None:
            return "no contract is stated yet"
        stated = self._incident.last(STATED)
        who = "" if stated is None else f", stated by {stated.actor}"
        return f"{counted(len(contract.clauses), 'clause')}{who}"

    # --- what people do ----------------------------------------------------------

    def keep(self, text: str) -> None:
        """Keep what is typed so far, whether it is right or not."""
        if text != self.text:
            self._incident.record(TYPED, {"text": text})

    def use(self, number: int) -> str:
        """Add a suggestion to the text, keep and return it.

        Raises:
            InputError: there is no such suggestion, or the text is no mapping to add it to.
        """
        found = self._suggested()
        if not 0 <= number < len(found):
            message = f"is {number}; expected one of {counted(len(found), 'suggestion')}"
            raise InputError(message, key="suggestion", fix="choose one of the list")
        return self._added(found[number].contract)

    def use_preset(self, *, forbidden: str, evidence: str, final: str) -> str:
        """Add the three clauses of the preset to the text, keep and return it.

        Raises:
            InputError: nothing is filled in, or the text is no mapping to add it to.
        """
        return self._added(preset(forbidden=forbidden, evidence=evidence, final=final))

    def state(self, text: str, *, after: int | None = None) -> Contract:
        """State the contract: from here on it is what the run broke.

        Args:
            text: YAML.
            after: how many decisions the person had seen; None: it holds whatever others decided.

        Raises:
            InputError: the text is no contract, or the run does not break it.
            RefusedError: somebody else decided meanwhile.
        """
        found = self.check(text)
        if not found["can_be_stated"]:
            first = _first(found["problems"])
            raise InputError(str(first["message"]), key=str(first["key"]), fix=_fix(first))
        contract = self._read(text)
        self._incident.record(STATED, {"text": text}, after=after)
        return contract

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

    def _added(self, document: JsonMap) -> str:
        now, place = load_yaml(self.text or "{}", name=_NAME)
        if not isinstance(now, dict):
            raise place.error("", "is no mapping; expected clauses", fix="empty the text")
        text = format_mapping(merged(now, document))
        self.keep(text)
        return text


def preset(*, forbidden: str = "", evidence: str = "", final: str = "") -> JsonMap:
    """Return the clauses that most incidents need; what is empty is left out.

    Args:
        forbidden: a call that must never happen, e.g. `billing.pause#unknown`.
        evidence: what success requires, e.g. `billing.get_operation.status == completed`.
        final: what must hold at the end, e.g. `state.plan.status == paused`.

    Raises:
        InputError: all are empty.

    >>> preset(forbidden="mail.send", final="claim == unresolved")
    {'forbid_call': ['mail.send'], 'states': {'wanted': ['claim == unresolved']}, 'final_state': ['wanted']}
    """
    document: JsonMap = {}
    if forbidden.strip():
        document["forbid_call"] = [forbidden.strip()]
    if evidence.strip():
        document["success_requires"] = [evidence.strip()]
    if final.strip():
        document["states"] = {"wanted": [final.strip()]}
        document["final_state"] = ["wanted"]
    if not document:
        message = "is empty; expected a forbidden call, evidence or a final state"
        raise InputError(message, key="preset", fix="fill in one of the three")
    load_contract(document)
    return document


def merged(now: JsonMap, added: JsonMap) -> JsonMap:
    """Return a contract document with the clauses of another; what is there stays.

    >>> merged({"must_call": "a"}, {"must_call": ["a", "b"], "max_calls": {"a": 1}})
    {'must_call': ['a', 'b'], 'max_calls': {'a': 1}}
    """
    found = dict(now)
    for key, value in added.items():
        old = found.get(key)
        if old is None:
            found[key] = value
        elif isinstance(old, dict) and isinstance(value, dict):
            found[key] = {**value, **old}
        elif not isinstance(old, dict) and not isinstance(value, dict):
            found[key] = _together(old, value)
    return found


def _together(old: Json, value: Json) -> list[Json]:
    """A scalar stands for a list of one."""
    first = old if isinstance(old, list) else [old]
    second = value if isinstance(value, list) else [value]
    return [*first, *(item for item in second if item not in first)]


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


def _problem(error: InputError) -> Json:
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
