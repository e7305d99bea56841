"""The small texts of a contract: paths, predicates and selectors.

Each function reads one whole text and returns a model value, or raises `ContractError` that says
at which character it stopped and what was expected there. The text itself is never shown: a
literal may be personal. Regular expressions are RE2 and compiled here, once, to refuse bad ones.

Source:
    design page 03, `sel`, `selstr`, `pred`, `path`, `literal`.
"""

from __future__ import annotations

import json
import math
import re
from typing import Final

import re2

from workbench.casefile.place import describe
from workbench.errors import ContractError
from workbench.model.contract import Operator, Predicate, Selector, Step
from workbench.model.event import Outcome
from workbench.model.jsonvalue import ABSENT, STRICT_DECODER, Absent, Json

__all__ = [
    "parse_classes",
    "parse_path",
    "parse_predicate",
    "parse_selector",
    "path_text",
    "regex_problem",
    "selector_text",
]

_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")
_PLACE: Final = re.compile(r"0|-?[1-9][0-9]*")
_STEP: Final = re.compile(r"\*\*|\*|[A-Za-z0-9_-]+")
_BARE: Final = re.compile(r"[A-Za-z0-9_.:@-]+")
_NUMBER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_OPERATOR: Final = re.compile(
    r"==|!=|<=|>=|<|>|(?:not\s+in|in|contains|matches|exists|absent)(?![A-Za-z0-9_-])"
)
_CLASS: Final = re.compile(r"[A-Za-z0-9_.-]+")
_ORDERED: Final = frozenset({Operator.LT, Operator.LE, Operator.GT, Operator.GE})
_WORDS: Final[dict[str, Json]] = {"true": True, "false": False, "null": None}


def parse_path(text: str) -> tuple[Step, ...]:
    r"""Read a dotted path; `$` is the whole value and gives no steps.

    >>> parse_path('items.-1."a.b".**.id'), parse_path("$"), parse_path('"*"')
    (('items', -1, 'a.b', '**', 'id'), (), ('\\*',))
    """
    path, end = _read_path(text, 0)
    if end != len(text):
        raise _stopped("path", text, end, "`.` and another step, or the end")
    return path


def parse_predicate(text: str) -> Predicate:
    """Read `path op literal`, `path exists` or `path absent`.

    >>> parse_predicate("amount > 49.9").literal
    49.9
    >>> parse_predicate('status not in ["open", "held"]').operator.value
    'not in'
    """
    path, end = _read_path(text, _skip(text, 0))
    at = _skip(text, end)
    found = _OPERATOR.match(text, at)
    if found is None:
        raise _stopped(
            "predicate", text, at, f"one of {', '.join(operator.value for operator in Operator)}"
        )
    operator = Operator(" ".join(found[0].split()))
    literal = _read_literal(text, _skip(text, found.end()), operator)
    return Predicate(text=text, path=path, operator=operator, literal=literal)


def parse_selector(text: str) -> Selector:
    """Read `tool-glob` or `tool-glob#class|class`.

    >>> parse_selector("billing.*#timeout|unknown").classes
    ('timeout', 'unknown')
    """
    tool, mark, classes = text.partition("#")
    if not tool or tool != tool.strip():
        raise ContractError(
            f"is {describe(text)}; expected a tool name or glob without spaces around it"
        )
    words = parse_classes(classes) if mark else ()
    return Selector(text=text, tool=tool, classes=words)


def parse_classes(text: str) -> tuple[str, ...]:
    """Read `word|word`: outcomes, details, `executed` or `any`."""
    words = tuple(word.strip() for word in text.split("|"))
    if not all(_CLASS.fullmatch(word) for word in words):
        raise ContractError(
            "has an empty or unreadable class; expected words with `|` between them",
            fix=f"use outcomes ({', '.join(Outcome)}), details such as timeout, executed or any",
        )
    return words


def path_text(path: tuple[Step, ...]) -> str:
    r"""Write a path as `parse_path` reads it.

    >>> path_text(("a", 0, "**", "\\*", "b c")), path_text(())
    ('a.0.**."*"."b c"', '$')
    """
    return ".".join(map(_step_text, path)) or "$"


def selector_text(selector: Selector) -> str:
    """Return a short form for sentences: the tool, the classes, the paths; no literals."""
    classes = f"#{'|'.join(selector.classes)}" if selector.classes else ""
    conditions = "".join(
        f" {word} {', '.join(path_text(predicate.path) for predicate in predicates)}"
        for word, predicates in (("where", selector.where), ("result", selector.result))
        if predicates
    )
    agent = f" agent {selector.agent}" if selector.agent is not None else ""
    by = f" by {selector.by}" if selector.by != "agent" else ""
    return f"{selector.tool}{classes}{conditions}{agent}{by}"


def regex_problem(pattern: str) -> str | None:
    """Say why RE2 does not take a pattern; None: it does. The pattern is not shown."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as error:
        reason = error.args[0] if error.args else b""
        text = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        return text.partition(":")[0]
    except UnicodeEncodeError:
        return "a character that is not Unicode text"
    return None


def _skip(text: str, at: int) -> int:
    """Return the place of the first character after white space."""
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _read_path(text: str, at: int) -> tuple[tuple[Step, ...], int]:
    if text.startswith("$", at):
        return (), at + 1
    steps: list[Step] = []
    while True:
        step, at = _read_step(text, at)
        steps.append(step)
        if not text.startswith(".", at):
            return tuple(steps), at
        at += 1


def _read_step(text: str, at: int) -> tuple[Step, int]:
    if text.startswith('"', at):
        try:
            key, end = STRICT_DECODER.raw_decode(text, at)
        except ValueError:
            raise _stopped("path", text, at, "a JSON string") from None
        return _escaped(key), end
    found = _STEP.match(text, at)
    if found is None:
        raise _stopped("path", text, at, "a word, a place in a list, `*`, `**` or a JSON string")
    word = found[0]
    return (int(word) if _PLACE.fullmatch(word) else word), found.end()


def _escaped(key: str) -> str:
    """Mark a key that would else be read as a step of another kind."""
    special = key in ("*", "**") or _PLACE.fullmatch(key) or key.startswith("\\")
    return f"\\{key}" if special else key


def _step_text(step: Step) -> str:
    if isinstance(step, int) or step in ("*", "**"):
        return str(step)
    key = step.removeprefix("\\")
    plain = key == step and _WORD.fullmatch(key)
    return key if plain else json.dumps(key, ensure_ascii=False)


def _read_literal(text: str, at: int, operator: Operator) -> Json | Absent:
    if operator in (Operator.EXISTS, Operator.ABSENT):
        if at != len(text):
            raise _stopped("predicate", text, at, f"the end: `{operator}` takes no literal")
        return ABSENT
    value, end = _read_value(text, at)
    if _skip(text, end) != len(text):
        raise _stopped(
            "predicate", text, end, "the end; a text with other signs goes in double quotes"
        )
    _check_literal(value, operator)
    return value


def _read_value(text: str, at: int) -> tuple[Json, int]:
    if text.startswith(('"', "["), at):
        try:
            value, end = STRICT_DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            raise _stopped("predicate", text, at, "a JSON string or array") from None
        return value, end
    found = _BARE.match(text, at)
    if found is None:
        raise _stopped("predicate", text, at, "a literal: a word, a number or a JSON value")
    return _bare_value(found[0]), found.end()


def _bare_value(word: str) -> Json:
    if word in _WORDS:
        return _WORDS[word]
    if not _NUMBER.fullmatch(word) or len(word) > 400:
        return word
    number: Json = json.loads(word)
    if isinstance(number, float) and not math.isfinite(number):
        raise ContractError("has a number that is too large for a double")
    return number


def _check_literal(value: Json, operator: Operator) -> None:
    want: str | None = None
    if operator in (Operator.IN, Operator.NOT_IN):
        want = None if isinstance(value, list) else "a JSON array"
    elif isinstance(value, list):
        want = "a single value"
    elif operator in _ORDERED and (value is None or isinstance(value, bool)):
        want = "a number or a text"
    elif operator is Operator.MATCHES and not isinstance(value, str):
        want = "a pattern in double quotes"
    if want is not None:
        raise ContractError(f"compares with {describe(value)}; `{operator}` expects {want}")
    if operator is Operator.MATCHES and isinstance(value, str):
        problem = regex_problem(value)
        if problem is not None:
            raise ContractError(
                f"has a pattern that RE2 refuses: {problem}",
                fix="RE2 has no look-around and no back-references; write it without",
            )


def _stopped(what: str, text: str, at: int, want: str) -> ContractError:
    return ContractError(
        f"is {describe(text)}, no {what}: at character {at + 1} expected {want}",
        fix='write `path op literal`, e.g. amount > 49.9 or note == "two words"'
        if what == "predicate"
        else 'write steps with dots between, e.g. items.0."a key"',
    )
