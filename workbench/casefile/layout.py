"""The one canonical layout of a case file.

Keys come in the order of the format's page. An item that fits 160 columns is written in flow
style on its line, a larger one in block style. A text that any YAML 1.1 or 1.2 reader would type,
or that holds anything but plain words, is double-quoted; what a reviewer could not see is escaped.

Source:
    design page 04, "Rules"; YAML 1.2.2, sections 5.7 and 7.3; YAML 1.1 type repository.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from workbench.casefile.case_document import case_document
from workbench.casefile.storable import check_storable
from workbench.casefile.strict_yaml import plain_number

if TYPE_CHECKING:
    from collections.abc import Iterator

    from workbench.model.case import Case
    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["SCHEMA_COMMENT", "format_case", "format_mapping"]

SCHEMA_COMMENT: Final = "# yaml-language-server: $schema=case.schema.json"
_WIDTH: Final = 160
_KEY_LENGTH: Final = 120
"""Longer keys are written with `?`: libyaml takes no others beyond 1,024 characters."""

_BLOCKS: Final = frozenset(
    {
        ("redaction",),
        ("redaction", "ledger"),
        ("input",),
        ("input", "messages"),
        ("tools",),
        ("paths",),
        ("paths", "*"),
        ("paths", "*", "turns"),
        ("fixtures",),
        ("contract",),
        ("gate",),
    }
)
"""Where each entry has its own line, so that a diff shows what changed."""

_PLAIN: Final = re.compile(r"[A-Za-z_$][A-Za-z0-9_.@/()+<>=!*$-]*(?: [A-Za-z0-9_.@/()+<>=!*$-]+)*")
_TYPED: Final = re.compile(
    r"null|true|false|yes|no|on|off|y|n"  # null and booleans of both versions
    r"|[-+]?\.?(?:inf|nan)|[-+]?[0-9].*|0[xob].*|\..*",  # numbers, dates, sexagesimals
    re.IGNORECASE,
)
_SHORT_ESCAPES: Final = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format_case(case: Case) -> str:
    """Return the text of a case file.

    Raises:
        CaseFormatError: the case holds what no case file can.
    """
    document = case_document(case)
    check_storable(document, place=case.id)
    return f"{SCHEMA_COMMENT}\n{format_mapping(document)}"


def format_mapping(document: JsonMap) -> str:
    """Return a mapping as canonical YAML, without a comment."""
    return "".join(f"{line}\n" for line in _mapping_lines(document, "", ()))


def _mapping_lines(value: JsonMap, indent: str, path: tuple[str, ...]) -> Iterator[str]:
    for key, item in value.items():
        text = _scalar(key)
        if len(text) > _KEY_LENGTH:
            yield f"{indent}? {text}"
            yield from _entry_lines(f"{indent}: ", item, indent, (*path, key))
        else:
            yield from _entry_lines(f"{indent}{text}: ", item, indent, (*path, key))


def _list_lines(value: list[Json], indent: str, path: tuple[str, ...]) -> Iterator[str]:
    inner = (*path, "*")
    for item in value:
        if not isinstance(item, dict | list) or not item:
            yield f"{indent}- {_scalar(item)}"
            continue
        flow = None if inner in _BLOCKS else _flow(item, _WIDTH - len(indent) - 2)
        if flow is not None:
            yield f"{indent}- {flow}"
            continue
        lines = _block_lines(item, f"{indent}  ", inner)
        yield f"{indent}- {next(lines)[len(indent) + 2 :]}"
        yield from lines


def _entry_lines(start: str, item: Json, indent: str, path: tuple[str, ...]) -> Iterator[str]:
    """Yield `start` and an item: on one line when it fits, else below it."""
    if not isinstance(item, dict | list) or not item:
        yield start + _scalar(item)
        return
    flow = None if path in _BLOCKS else _flow(item, _WIDTH - len(start))
    if flow is not None:
        yield start + flow
    else:
        yield start.rstrip()
        yield from _block_lines(item, f"{indent}  ", path)


def _block_lines(item: JsonMap | list[Json], indent: str, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(item, dict):
        return _mapping_lines(item, indent, path)
    return _list_lines(item, indent, path)


def _flow(value: JsonMap | list[Json], room: int) -> str | None:
    """Return a collection in flow style; None: it does not fit."""
    pieces: list[str] = []
    left = room
    for piece in _flow_pieces(value):
        pieces.append(piece)
        left -= len(piece)
        if left < 0:
            return None
    return "".join(pieces)


def _flow_pieces(value: Json) -> Iterator[str]:
    match value:
        case dict() if value:
            for at, (key, item) in enumerate(value.items()):
                name = _scalar(key)
                mark = "? " if len(name) > _KEY_LENGTH else ""
                yield f"{', ' if at else '{'}{mark}{name}: "
                yield from _flow_pieces(item)
            yield "}"
        case list() if value:
            for at, item in enumerate(value):
                yield ", " if at else "["
                yield from _flow_pieces(item)
            yield "]"
        case _:
            yield _scalar(value)


def _scalar(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return plain_number(value)
        case str():
            return value if _is_plain(value) else _quoted(value)
        case _:
            return json.dumps(value)  # an empty list or mapping


def _is_plain(text: str) -> bool:
    return _PLAIN.fullmatch(text) is not None and _TYPED.fullmatch(text) is None


def _quoted(text: str) -> str:
    if text.isprintable() and '"' not in text and "\\" not in text:
        return f'"{text}"'
    return f'"{"".join(map(_escaped, text))}"'


def _escaped(sign: str) -> str:
    if sign in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[sign]
    if sign.isprintable():
        return sign
    code = ord(sign)
    if code < 0x100:
        return f"\\x{code:02X}"
    return f"\\u{code:04X}" if code < 0x10000 else f"\\U{code:08X}"
