"""`--select EXPR`: which cases of those given are run.

    severity<=S1 and tag:billing        owner == billing-agents or not (state == muted)

`severity`, `state`, `owner` and `id` are compared with a word, `tag:NAME` asks for a tag; `*` in
a word stands for anything. Severities are ordered, S1 < S2 < S3. `not` binds before `and`, `and`
before `or`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeAlias

from workbench.casefile.place import nearest
from workbench.check.globs import glob_matches
from workbench.errors import InputError
from workbench.model.case import CaseState, Severity

if TYPE_CHECKING:
    from workbench.model.case import Case

__all__ = ["Selection", "parse_selection", "selects"]

_FIELDS: Final = ("severity", "state", "owner", "id")
_EQUAL: Final = ("==", "=", "!=")
_ORDER: Final = ("<=", ">=", "<", ">")
_WORDS: Final = {"severity": tuple(Severity), "state": tuple(CaseState)}
_TOKEN: Final = re.compile(
    r"""\s*(?:(?P<sign>[()]|==|!=|<=|>=|<|>|=)|(?P<quoted>"[^"]*"|'[^']*')|(?P<word>[^\s()<>=!"']+))"""
)
_DEEPEST: Final = 50
_EXAMPLE: Final = "write for example 'severity<=S1 and tag:billing'"


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A field of the case and a word."""

    field: str
    """One of `severity state owner id tag`."""
    operator: str
    word: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Negated:
    """Not."""

    part: Selection


@dataclass(frozen=True, slots=True, kw_only=True)
class Joined:
    """All of the parts, or any."""

    every: bool
    parts: tuple[Selection, ...]


Selection: TypeAlias = Compared | Negated | Joined


def parse_selection(text: str) -> Selection:
    """Read an expression.

    Raises:
        InputError: it is none; the place says at which character.
    """
    parser = _Parser(text)
    found = parser.any_of(0)
    if parser.token is not None:
        raise parser.error("expected and, or, or the end")
    return found


def selects(selection: Selection, case: Case) -> bool:
    """Whether a case is selected."""
    match selection:
        case Negated(part=part):
            return not selects(part, case)
        case Joined(every=True, parts=parts):
            return all(selects(part, case) for part in parts)
        case Joined(parts=parts):
            return any(selects(part, case) for part in parts)
        case _:
            return _holds(selection, case)


def _holds(asked: Compared, case: Case) -> bool:
    if asked.field == "tag":
        return any(glob_matches(asked.word, tag) for tag in case.tags)
    value = str(getattr(case, asked.field))
    match asked.operator:
        case "!=":
            return not glob_matches(asked.word, value)
        case "<":
            return value < asked.word
        case "<=":
            return value <= asked.word
        case ">":
            return value > asked.word
        case ">=":
            return value >= asked.word
        case _:
            return glob_matches(asked.word, value)


@dataclass(frozen=True, slots=True)
class _Token:
    at: int
    """Position of its first character, from 1."""
    text: str
    is_sign: bool = False
    is_quoted: bool = False


class _Parser:
    """Recursive descent; one method a level of precedence."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._tokens = _tokens(text)
        self._next = 0

    @property
    def token(self) -> _Token | None:
        """The next token; None: the end."""
        return self._tokens[self._next] if self._next < len(self._tokens) else None

    def error(self, expected: str, fix: str = _EXAMPLE) -> InputError:
        """Return the error of the next token."""
        return _error(self._length + 1 if self.token is None else self.token.at, expected, fix)

    def any_of(self, depth: int) -> Selection:
        return self._joined("or", depth)

    def _joined(self, word: str, depth: int) -> Selection:
        parts = [self._joined("and", depth) if word == "or" else self._single(depth)]
        while self._take(word):
            parts.append(self._joined("and", depth) if word == "or" else self._single(depth))
        return parts[0] if len(parts) == 1 else Joined(every=word == "and", parts=tuple(parts))

    def _single(self, depth: int) -> Selection:
        if depth > _DEEPEST:
            raise self.error(f"nests deeper than {_DEEPEST} levels", "flatten it")
        if self._take("not"):
            return Negated(part=self._single(depth + 1))
        if self._take("("):
            found = self.any_of(depth + 1)
            if not self._take(")"):
                raise self.error("expected )")
            return found
        return self._comparison()

    def _comparison(self) -> Compared:
        token = self.token
        if token is None or token.is_sign or token.is_quoted:
            raise self.error("expected severity, state, owner, id, tag:NAME, not or (")
        name, colon, tag = token.text.partition(":")
        if name == "tag" and colon:
            self._next += 1
            return Compared(field="tag", operator="==", word=tag or self._value("tag"))
        if token.text not in _FIELDS:
            near = nearest(name, (*_FIELDS, "tag:"))
            expected = "expected severity, state, owner, id or tag:NAME"
            raise self.error(expected, _EXAMPLE if near is None else f"write {near}")
        self._next += 1
        operator = self._operator(token.text)
        return Compared(field=token.text, operator=operator, word=self._value(token.text))

    def _operator(self, field: str) -> str:
        known = (*_EQUAL, *_ORDER) if field == "severity" else _EQUAL
        token = self.token
        if token is None or not token.is_sign or token.text not in known:
            raise self.error(f"expected one of {' '.join(known)}")
        self._next += 1
        return token.text

    def _value(self, field: str) -> str:
        token = self.token
        if token is None or token.is_sign:
            raise self.error("expected a word", "quote a word that has blanks or signs")
        words = _WORDS.get(field, ())
        if words and token.text not in words:
            raise self.error(f"expected one of {', '.join(words)}")
        self._next += 1
        return token.text

    def _take(self, text: str) -> bool:
        token = self.token
        if token is None or token.is_quoted or token.text != text:
            return False
        self._next += 1
        return True


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    at = 0
    while at < len(text.rstrip()):
        match = _TOKEN.match(text, at)
        if match is None:
            raise _error(at + 1, "expected a word or a sign", "close the quotes")
        kind = str(match.lastgroup)
        token = match[kind]
        found.append(
            _Token(
                at=match.start(kind) + 1,
                text=token[1:-1] if kind == "quoted" else token,
                is_sign=kind == "sign",
                is_quoted=kind == "quoted",
            )
        )
        at = match.end()
    return found


def _error(at: int, expected: str, fix: str) -> InputError:
    return InputError(expected, place=f"--select:{at}", fix=fix)
