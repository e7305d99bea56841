"""Strict YAML, read from libyaml's events: what YAML readers disagree about is refused.

Only `true`, `false`, `null` and plain decimal numbers are typed; every other plain scalar is a
string, `no`, `2027-02-28` and `0123` too. Each refusal names the line.

Source:
    design page 04, "Loader". A subclass of PyYAML's C loader cannot refuse aliases: the tree is
    composed before Python sees it; events are early enough, also for an alias bomb.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Final, NamedTuple, NoReturn

import yaml

from workbench.casefile.place import Place, step_key
from workbench.errors import CaseFormatError, InputError

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["MAX_BYTES", "MAX_DEPTH", "MAX_INTEGER", "MAX_NODES", "load_yaml", "plain_number"]

MAX_BYTES: Final = 8 << 20
MAX_NODES: Final = 200_000
MAX_DEPTH: Final = 64
MAX_INTEGER: Final = 2**53
"""The largest integer that every JSON reader keeps."""

_WORDS: Final[Mapping[str, Json]] = {"true": True, "false": False, "null": None}
_FIRST_SIGNS: Final = frozenset("-+.0123456789tfn")
"""What a word or a number can begin with."""

_PLAIN_STYLES: Final = (None, "")
_INTEGER: Final = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL: Final = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_FLOAT_ELSEWHERE: Final = re.compile(
    r"[-+]?(?:\.[0-9]+|[0-9]+\.[0-9]*|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?"
)
"""What a YAML 1.2 reader takes for a float."""


def plain_number(number: float) -> str:
    """Return the one plain decimal form of a finite number: no exponent, shortest digits.

    >>> plain_number(1e-7), plain_number(1.50), plain_number(3), plain_number(1e22)
    ('0.0000001', '1.5', '3', '10000000000000000000000.0')
    """
    if isinstance(number, int):
        return str(number)
    text = format(Decimal(repr(number)), "f")
    return text if "." in text else f"{text}.0"


def load_yaml(data: bytes | str, *, name: str) -> tuple[Json, Place]:
    """Read one YAML document.

    Args:
        data: its text, or its bytes in UTF-8.
        name: of the file, for errors.

    Returns:
        The value, and the place of every value in it.

    Raises:
        CaseFormatError: not YAML, or YAML outside the strict subset.
        InputError: PyYAML was built without libyaml.
    """
    if not yaml.__with_libyaml__:
        raise InputError(
            "libyaml is missing in this build of PyYAML, and its other parser has no limits",
            place=name,
            fix="pip install --force-reinstall --only-binary :all: pyyaml",
        )
    reader = _Reader(name=name)
    try:
        for event in yaml.parse(_checked(data, name), Loader=yaml.CSafeLoader):
            reader.take(event)
    except yaml.MarkedYAMLError as error:
        line = 1 if error.problem_mark is None else error.problem_mark.line + 1
        raise CaseFormatError(
            f"is not YAML: {error.problem}",
            place=f"{name}:{line}",
            fix="put the text in double quotes, or check that the file is whole",
        ) from None
    except yaml.YAMLError:
        raise CaseFormatError(
            "is not YAML text: it holds characters that YAML does not allow",
            place=name,
            fix='write control characters as escapes in double quotes, e.g. "\\x07"',
        ) from None
    if not reader.nodes:
        raise CaseFormatError(
            "is empty; expected one YAML document", place=name, fix="check that the file is whole"
        )
    return reader.root, Place(name=name, lines=LineMap(reader.nodes))


def _checked(data: bytes | str, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise CaseFormatError(
            f"is {len(data)} long; expected at most {MAX_BYTES} bytes",
            place=name,
            fix="move large results to `$file`s",
        )
    try:
        text = data.encode("utf-8") if isinstance(data, str) else data
        return text.decode("utf-8-sig")
    except UnicodeError:
        raise CaseFormatError(
            "is not UTF-8 text", place=name, fix="save the file as UTF-8"
        ) from None


class _Node(NamedTuple):
    """A value's parent (its place among the nodes, -1: none), its step from there, its line."""

    parent: int
    step: str | int
    line: int


class LineMap(Mapping[str, int]):
    """Dotted path -> line; the paths are spelt when the first error asks for one."""

    def __init__(self, nodes: list[_Node]) -> None:
        self._nodes = nodes
        self._lines: dict[str, int] | None = None

    def _spelt(self) -> dict[str, int]:
        if self._lines is None:
            keys: list[str] = []
            for node in self._nodes:
                keys.append("" if node.parent < 0 else step_key(keys[node.parent], node.step))
            self._lines = {key: node.line for key, node in zip(keys, self._nodes, strict=True)}
        return self._lines

    def __getitem__(self, key: str) -> int:
        return self._spelt()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spelt())

    def __len__(self) -> int:
        return len(self._nodes)


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


@dataclass(slots=True)
class _Open:
    """A mapping or list that is being read."""

    value: JsonMap | list[Json]
    node: int
    key: str = ""
    key_line: int = 0
    expects_key: bool = False
    """Whether the next scalar of a mapping is a key."""


@dataclass(slots=True)
class _Reader:
    name: str
    root: Json = None
    nodes: list[_Node] = field(default_factory=list)
    stack: list[_Open] = field(default_factory=list)
    documents: int = 0

    def refuse(self, event: yaml.Event, message: str, fix: str | None = None) -> NoReturn:
        raise CaseFormatError(message, place=f"{self.name}:{_line(event)}", fix=fix)

    def take(self, event: yaml.Event) -> None:
        """Read one event; the most frequent kinds are asked for first."""
        if isinstance(event, yaml.ScalarEvent):
            self._take_scalar(event)
        elif isinstance(event, yaml.CollectionEndEvent):
            self.stack.pop()
        elif isinstance(event, yaml.CollectionStartEvent):
            self._open(event)
        elif isinstance(event, yaml.AliasEvent):
            self.refuse(event, "has an alias; expected the value itself", "write it out")
        elif isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.refuse(event, "has a second document; expected one", "split the file")

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse_marks(event)
        if self.stack and self.stack[-1].expects_key:
            self.refuse(event, "has a key that is no string", "put the key in double quotes")
        is_mapping = isinstance(event, yaml.MappingStartEvent)
        value: JsonMap | list[Json] = {} if is_mapping else []
        node = self._place(value, event)
        self.stack.append(_Open(value=value, node=node, expects_key=is_mapping))

    def _refuse_marks(self, event: yaml.NodeEvent) -> NoReturn:
        if event.anchor is not None:
            self.refuse(event, "has an anchor; anchors are not allowed", "remove the `&` mark")
        self.refuse(event, "has a tag; tags are not allowed", "remove the `!` mark")

    def _take_scalar(self, event: yaml.ScalarEvent) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse_marks(event)
        value = self._typed(event) if event.style in _PLAIN_STYLES else event.value
        top = self.stack[-1] if self.stack else None
        if top is None or not top.expects_key:
            self._place(value, event)
            return
        if not isinstance(value, str):
            self.refuse(event, "has a key that is no string", "put the key in double quotes")
        if value == "<<" and event.style in _PLAIN_STYLES:
            self.refuse(event, "has a merge key; expected the values themselves", "write them out")
        if value in top.value:
            self.refuse(event, "has the same key twice in one mapping", "remove one of them")
        top.key, top.key_line, top.expects_key = value, _line(event), False

    def _typed(self, event: yaml.ScalarEvent) -> Json:
        text: str = event.value
        if text and text[0] not in _FIRST_SIGNS:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if not text:
            self.refuse(event, "has a value that is missing", 'write null, or "" for no text')
        if _INTEGER.fullmatch(text):
            if len(text) > 17 or abs(int(text)) > MAX_INTEGER or text == "-0":
                self.refuse(
                    event,
                    "has an integer that not every reader keeps; expected at most 2^53",
                    "put it in double quotes if it is an id",
                )
            return int(text)
        if _FLOAT_ELSEWHERE.fullmatch(text):
            if _DECIMAL.fullmatch(text) and plain_number(float(text)) == text:
                return float(text)
            self.refuse(
                event,
                "has a number that readers change (exponent, closing zero, or too many digits)",
                "put it in double quotes if it is a text; else write its shortest decimal form",
            )
        return text

    def _place(self, value: Json, event: yaml.Event) -> int:
        """Put a value where it belongs and return its node."""
        if len(self.nodes) >= MAX_NODES:
            self.refuse(event, f"has more than {MAX_NODES} values", "move results to `$file`s")
        if len(self.stack) >= MAX_DEPTH and isinstance(value, dict | list):
            self.refuse(event, f"is nested deeper than {MAX_DEPTH} levels", "flatten it")
        line = _line(event)
        if not self.stack:
            self.root = value
            self.nodes.append(_Node(-1, "", line))
            return len(self.nodes) - 1
        top = self.stack[-1]
        if isinstance(top.value, list):
            self.nodes.append(_Node(top.node, len(top.value), line))
            top.value.append(value)
        else:
            self.nodes.append(_Node(top.node, top.key, top.key_line))
            top.value[top.key] = value
            top.expects_key = True
        return len(self.nodes) - 1
