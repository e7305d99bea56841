"""Texts inside texts, with the way back.

A text that is JSON or a Python literal is walked: every string, number and key in it is a leaf,
and so on for strings that are themselves such texts. A leaf knows how a span of it lies in the
text that was walked, and how a replacement must be written there, so an edit touches nothing but
its span: blanks, order, escapes and quotes elsewhere stay byte for byte.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from workbench.model.jsonvalue import TextForm, parse_text

__all__ = ["Edit", "Leaf", "apply_edits", "walk"]

_DEPTH_LIMIT: Final = 24
_LENGTH_LIMIT: Final = 2_000_000
"""Characters of a text that is taken apart; a longer one is one leaf, too long for any detector."""
_LITERAL_ESCAPES: Final = "\\'\"abfnrtv01234567xuUN"
Encoder: TypeAlias = Callable[[str], str]

_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+', re.DOTALL)
_LITERAL_TOKEN = re.compile(
    r"""[uUrR]?'(?:[^'\\]|\\.)*'|[uUrR]?"(?:[^"\\]|\\.)*"|[{}\[\]\(\),:]|[^\s{}\[\]\(\),:"']+""",
    re.DOTALL,
)
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}"
    r"|U[0-9a-fA-F]{8}|x[0-9a-fA-F]{2}|N\{[^}]*\}|[0-7]{1,3}|.)",
    re.DOTALL,
)


class Edit(NamedTuple):
    """One replacement in a text."""

    start: int
    end: int
    text: str


class Frame(NamedTuple):
    """How a decoded text lies in the text around it."""

    offsets: tuple[int, ...] | int
    """Position of each code point and of the end; an integer: shifted by that much."""
    encode: Encoder

    def place(self, at: int) -> int:
        """Return the position in the text around."""
        return at + self.offsets if isinstance(self.offsets, int) else self.offsets[at]


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaf:
    """One string, number or key, decoded."""

    text: str
    path: tuple[str | int, ...]
    """Keys and places in lists from the walked text's root; of a key: with itself last."""
    siblings: frozenset[str] = frozenset()
    """Keys of the mapping that holds it."""
    is_key: bool = False
    is_number: bool = False
    frames: tuple[Frame, ...] = ()
    """Outermost first."""
    hints: tuple[str, ...] = ()
    """Of a literal: the keys of the values that it is compared with."""

    def outer(self, edit: Edit) -> Edit:
        """Return an edit of this leaf as an edit of the walked text."""
        start, end, text = edit
        for frame in reversed(self.frames):
            start, end, text = frame.place(start), frame.place(end), frame.encode(text)
        return Edit(start, end, text)

    @property
    def shape(self) -> tuple[str, tuple[str, ...], frozenset[str], bool, bool]:
        """All that a detector may look at; equal shapes have equal findings."""
        keys = tuple(step for step in self.path if isinstance(step, str))
        return (self.text, (*keys, *self.hints), self.siblings, self.is_key, self.is_number)


def apply_edits(text: str, edits: list[Edit]) -> str:
    """Apply edits that do not overlap."""
    parts: list[str] = []
    at = 0
    for edit in sorted(edits):
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    return "".join([*parts, text[at:]])


def walk(
    text: str,
    *,
    path: tuple[str | int, ...] = (),
    siblings: frozenset[str] = frozenset(),
    frames: tuple[Frame, ...] = (),
) -> Iterator[Leaf]:
    """Yield the leaves of a text; a text that holds no other is one leaf."""
    small = len(frames) < _DEPTH_LIMIT and len(text) <= _LENGTH_LIMIT
    form = _form(text) if small else None
    found = None if form is None else _scan(text, form)
    if found is None:
        yield Leaf(text=text, path=path, siblings=siblings, frames=frames)
        return
    for token in found:
        inner = (*frames, token.frame)
        where = (*path, *token.path)
        if token.is_key or token.is_number:
            yield Leaf(
                text=token.text,
                path=where,
                siblings=token.siblings,
                is_key=token.is_key,
                is_number=token.is_number,
                frames=inner,
            )
        else:
            yield from walk(token.text, path=where, siblings=token.siblings, frames=inner)


def _form(text: str) -> TextForm | None:
    start = text.lstrip()[:1]
    if not start or start not in '{[("':
        return None
    parsed = parse_text(text)
    if parsed.form is TextForm.TEXT or not isinstance(parsed.value, dict | list | str):
        return None
    return parsed.form


class _Token(NamedTuple):
    text: str
    path: tuple[str | int, ...]
    siblings: frozenset[str]
    is_key: bool
    is_number: bool
    frame: Frame


@dataclass(slots=True)
class _Level:
    """An open mapping or list while scanning."""

    mapping: bool
    step: str | int
    wants_key: bool
    keys: set[str]


def _scan(text: str, form: TextForm) -> list[_Token] | None:
    """Return the scalar tokens of a text that parses; None for a literal with odd strings."""
    pattern = _JSON_TOKEN if form is TextForm.JSON else _LITERAL_TOKEN
    stack: list[_Level] = []
    done: list[tuple[_Token, _Level | None]] = []
    for match in pattern.finditer(text):
        part = match[0]
        top = stack[-1] if stack else None
        if len(part) == 1 and part in "{[(":
            stack.append(_Level(part == "{", -1 if part != "{" else "", part == "{", set()))
            _advance(stack[-1])
        elif len(part) == 1 and part in "}])":
            stack.pop()
        elif part == ",":
            if top is not None:
                top.wants_key = top.mapping
                _advance(top)
        elif part == ":":
            if top is not None:
                top.wants_key = False
        else:
            scalar = _scalar(match, form, stack, top)
            if scalar is not None:
                done.append((scalar, top))
    return [
        token if level is None else token._replace(siblings=frozenset(level.keys))
        for token, level in done
    ]


def _advance(level: _Level) -> None:
    if not level.mapping:
        level.step = int(level.step) + 1


def _scalar(
    match: re.Match[str], form: TextForm, stack: list[_Level], top: _Level | None
) -> _Token | None:
    token = match[0]
    is_string = token[-1] in "\"'"
    if not is_string and not (token[0].isdigit() or token[0] == "-"):
        return None
    value, frame = _decoded(match, form) if is_string else (token, Frame(match.start(), _same))
    is_key = is_string and top is not None and top.mapping and top.wants_key
    if is_key and top is not None:
        top.step = value
        top.keys.add(value)
    path = tuple(level.step for level in stack)
    return _Token(value, path, frozenset(), is_key, not is_string, frame)


def _same(text: str) -> str:
    return text


def _decoded(match: re.Match[str], form: TextForm) -> tuple[str, Frame]:
    token = match[0]
    opening = token.index(token[-1]) + 1
    body = token[opening:-1]
    start = match.start() + opening
    encode = _encoder(body, token[-1], form)
    if "\\" not in body or token[0] in "rR":
        return body, Frame(start, encode)
    chars: list[str] = []
    offsets: list[int] = []
    at = 0
    for escape in _ESCAPE.finditer(body):
        chars += body[at : escape.start()]
        offsets += range(start + at, start + escape.start())
        decoded = _unescape(escape[0], form)
        chars += decoded
        offsets += [start + escape.start()] * len(decoded)
        at = escape.end()
    chars += body[at:]
    offsets += range(start + at, start + len(body) + 1)
    return "".join(chars), Frame(tuple(offsets), encode)


def _unescape(escape: str, form: TextForm) -> str:
    if form is TextForm.JSON:
        return str(json.loads(f'"{escape}"'))
    if escape[1] == "\n":
        return ""
    if escape[1] not in _LITERAL_ESCAPES:
        return escape  # Python keeps a backslash that starts no escape
    quote = "'" if escape != "\\'" else '"'
    return str(ast.literal_eval(f"{quote}{escape}{quote}"))


def _encoder(body: str, quote: str, form: TextForm) -> Encoder:
    ascii_only = body.isascii() and "\\u" in body
    slashes = "\\/" in body

    def encode(text: str) -> str:
        if form is TextForm.JSON:
            done = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
            return done.replace("/", "\\/") if slashes else done
        done = json.dumps(text, ensure_ascii=ascii_only)[1:-1]
        return done if quote == '"' else done.replace('\\"', '"').replace("'", "\\'")

    return encode
