"""Strict YAML, read from libyaml's events: what YAML readers disagree about is refused.

Only `true`, `false`, `null` and plain decimal numbers are typed; every other plain scalar is a
string, `no`, `2027-02-28` and `0123` too. Each refusal names the line.

Source:
    design page 04, "Loader". A subclass of PyYAML's C loader cannot refuse aliases: the tree is
    composed before Python sees it; events are early enough, also for an alias bomb.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias

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
_FIRST_SIGNS: Final = frozenset(("", *"-+.0123456789tfn"))
"""What a word or a number can begin with, or a value that is missing."""

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
    reader = _Reader(name)
    try:
        root = reader.read(_checked(data, name))
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
    return root, Place(name=name, lines=LineMap(reader.nodes))


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


_Node: TypeAlias = tuple[int, "str | int", int]
"""A value's parent (its place among the nodes, -1: none), its step from there, its line."""


class LineMap(Mapping[str, int]):
    """Dotted path -> line; the paths are spelt when the first error asks for one."""

    def __init__(self, nodes: list[_Node]) -> None:
        self._nodes = nodes
        self._lines: dict[str, int] | None = None

    def _spelt(self) -> dict[str, int]:
        if self._lines is None:
            keys: list[str] = []
            for parent, step, _ in self._nodes:
                keys.append("" if parent < 0 else step_key(keys[parent], step))
            self._lines = {key: node[2] for key, node in zip(keys, self._nodes, strict=True)}
        return self._lines

    def __getitem__(self, key: str) -> int:
        return self._spelt()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._spelt())

    def __len__(self) -> int:
        return len(self._nodes)


def _line(event: yaml.Event) -> int:
    return 1 if event.start_mark is None else event.start_mark.line + 1


class _Open:
    """A mapping or list that is being read; the file itself is a list of one."""

    __slots__ = ("items", "mapping", "node", "step", "step_line")

    def __init__(self, value: JsonMap | list[Json], node: int) -> None:
        self.mapping = value if isinstance(value, dict) else None
        self.items = value if isinstance(value, list) else []
        self.node = node
        self.step: str | None = None
        """Key of the value that comes next; None: in a mapping, the next scalar is a key."""
        self.step_line = 0


class _Reader:
    """Puts the events of one file together; few calls for each, since a file has thousands."""

    __slots__ = ("documents", "name", "nodes", "stack", "top")

    def __init__(self, name: str) -> None:
        self.name = name
        self.nodes: list[_Node] = []
        self.top = _Open([], -1)
        self.stack = [self.top]
        self.documents = 0

    def refuse(self, event: yaml.Event, message: str, fix: str | None = None) -> NoReturn:
        raise CaseFormatError(message, place=f"{self.name}:{_line(event)}", fix=fix)

    def read(self, text: str) -> Json:
        """Read all events of a text and return its value; no node: there is none."""
        take: dict[type[yaml.Event], Callable[[Any], None]] = {
            yaml.MappingStartEvent: self._open,
            yaml.SequenceStartEvent: self._open,
            yaml.MappingEndEvent: self._close,
            yaml.SequenceEndEvent: self._close,
            yaml.AliasEvent: self._refuse_alias,
            yaml.DocumentStartEvent: self._count_document,
            yaml.DocumentEndEvent: _pass_over,
            yaml.StreamStartEvent: _pass_over,
            yaml.StreamEndEvent: _pass_over,
        }
        file = top = self.top
        following: Callable[[], Any] = yaml.CSafeLoader(text).get_event
        scalar, first_signs = yaml.ScalarEvent, _FIRST_SIGNS
        while (event := following()) is not None:
            if type(event) is not scalar:
                take[type(event)](event)
                top = self.top
                continue
            if event.anchor is not None or event.tag is not None:
                self._refuse_marks(event)
            value: Json = event.value
            if event.value[:1] in first_signs and not event.style:
                value = self._typed(event)
            if top.step is None and top.mapping is not None:
                self._take_key(value, event)
            else:
                self._place(value, event)
        return file.items[0] if file.items else None

    def _refuse_alias(self, event: yaml.AliasEvent) -> NoReturn:
        self.refuse(event, "has an alias; expected the value itself", "write it out")

    def _count_document(self, event: yaml.DocumentStartEvent) -> None:
        self.documents += 1
        if self.documents > 1:
            self.refuse(event, "has a second document; expected one", "split the file")

    def _open(self, event: yaml.CollectionStartEvent) -> None:
        if event.anchor is not None or event.tag is not None:
            self._refuse_marks(event)
        if self.top.mapping is not None and self.top.step is None:
            self.refuse(event, "has a key that is no string", "put the key in double quotes")
        if len(self.stack) > MAX_DEPTH:
            self.refuse(event, f"is nested deeper than {MAX_DEPTH} levels", "flatten it")
        value: JsonMap | list[Json] = {} if type(event) is yaml.MappingStartEvent else []
        node = len(self.nodes)
        self._place(value, event)
        self.top = _Open(value, node)
        self.stack.append(self.top)

    def _close(self, _: yaml.CollectionEndEvent) -> None:
        self.stack.pop()
        self.top = self.stack[-1]

    def _refuse_marks(self, event: yaml.NodeEvent) -> NoReturn:
        if event.anchor is not None:
            self.refuse(event, "has an anchor; anchors are not allowed", "remove the `&` mark")
        self.refuse(event, "has a tag; tags are not allowed", "remove the `!` mark")

    def _take_key(self, value: Json, event: yaml.ScalarEvent) -> None:
        top = self.top
        if not isinstance(value, str):
            self.refuse(event, "has a key that is no string", "put the key in double quotes")
        if value == "<<" and not event.style:
            self.refuse(event, "has a merge key; expected the values themselves", "write them out")
        if top.mapping is not None and value in top.mapping:
            self.refuse(event, "has the same key twice in one mapping", "remove one of them")
        top.step = value
        top.step_line = _line(event)

    def _typed(self, event: yaml.ScalarEvent) -> Json:
        text: str = event.value
        if text in _WORDS:
            return _WORDS[text]
        if not text:
            self.refuse(event, "has a value that is missing", 'write null, or "" for no text')
        if text[0] in "tfn":
            return text
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

    def _place(self, value: Json, event: yaml.Event) -> None:
        """Put a value where it belongs, and note its node."""
        nodes, top = self.nodes, self.top
        if len(nodes) >= MAX_NODES:
            self.refuse(event, f"has more than {MAX_NODES} values", "move results to `$file`s")
        if top.mapping is None or top.step is None:
            nodes.append((top.node, len(top.items), _line(event)))
            top.items.append(value)
        else:
            nodes.append((top.node, top.step, top.step_line))
            top.mapping[top.step] = value
            top.step = None


def _pass_over(_: yaml.Event) -> None:
    """Documents and streams end without a word of ours."""
