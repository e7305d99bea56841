"""Stubs: the calls of a live run that no fixture answered, for a person to fill in.

A stub is a fixture without an answer. A person states the outcome and the result, or removes the
stub; `workbench fixtures CASE --add` takes the filled ones into the case. What a person has
written into a file of stubs is never lost: later runs only add to its end.

Source:
    design page 04, "Matching of fixtures" 4.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Final

from workbench.casefile.case import CASE_SUFFIX, parse_fixture
from workbench.casefile.codec import decode
from workbench.casefile.layout import format_mapping
from workbench.casefile.place import describe, nearest, step_key
from workbench.casefile.strict_yaml import load_yaml
from workbench.errors import CaseFormatError
from workbench.model.canonical import canonical_json
from workbench.model.case import Fixture
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from workbench.casefile.place import Place

__all__ = ["STUBS_SCHEMA", "Stub", "StubFile", "extended_stubs", "parse_stubs", "stubs_path"]

STUBS_SCHEMA: Final = "replay-stubs/1"
_SUFFIX: Final = ".missing.yaml"
_TOP: Final = ("schema", "case", "stubs")
_SEEN: Final = ("seen", "nearest", "differs_at")
"""What a run says of a missed call; nobody has to keep it."""

_ANSWER: Final = tuple(
    entry.name for entry in fields(Fixture) if entry.name not in ("id", "tool", "basis", "file")
)
_HEAD: Final = """\
# Calls of a live run that no fixture of the case answered. Write of each how it ended, as in a
# fixture: outcome, and result or error; and match, where an argument may vary. Remove those that
# the case shall not answer. Then: workbench fixtures CASE --add THIS --by NAME
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stub:
    """One missed call."""

    tool: str
    """Canonical name."""
    args: Json | Absent = ABSENT
    seen: int = 1
    """How often the run missed it."""
    nearest: str | None = None
    """Id of the fixture that differs least."""
    differs_at: tuple[str, ...] = ()
    answer: Fixture | None = None
    """As a person filled it in, with an id of no meaning; None: nobody did."""

    @property
    def key(self) -> tuple[str, bytes]:
        """What makes two stubs the same call."""
        return self.tool, b"" if isinstance(self.args, Absent) else canonical_json(self.args)


@dataclass(frozen=True, slots=True, kw_only=True)
class StubFile:
    """A file of stubs as read."""

    case: str
    """Id of the case that it is for."""
    stubs: tuple[Stub, ...]
    place: Place
    """Of every value, for errors."""


def stubs_path(case_file: Path) -> Path:
    """Return where the stubs of a case lie: `pause.case.yaml` has `pause.missing.yaml`."""
    return case_file.with_name(f"{case_file.name.removesuffix(CASE_SUFFIX)}{_SUFFIX}")


def parse_stubs(data: bytes | str, *, name: str) -> StubFile:
    """Read a file of stubs.

    Args:
        data: the text, or its bytes in UTF-8.
        name: of the file, for errors.

    Raises:
        CaseFormatError: it is none.
    """
    document, place = load_yaml(data, name=name)
    if not isinstance(document, dict) or document.get("schema") != STUBS_SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else document
        raise place.error(
            "schema", f"is {describe(found)}; expected {STUBS_SCHEMA}", fix="give a file of stubs"
        )
    _require_known(document, _TOP, place, "")
    case, stubs = document.get("case"), document.get("stubs")
    if not isinstance(case, str):
        raise place.error("case", f"is {describe(case)}; expected the id of a case")
    if not isinstance(stubs, list):
        raise place.error("stubs", f"is {describe(stubs)}; expected a list")
    found_stubs = [_stub(item, place, step_key("stubs", at)) for at, item in enumerate(stubs)]
    return StubFile(case=case, stubs=tuple(found_stubs), place=place)


def _require_known(value: JsonMap, known: Sequence[str], place: Place, key: str) -> None:
    for name in value:
        if name not in known:
            near = nearest(name, known)
            raise place.error(
                step_key(key, name),
                f"is not a key here; expected one of {', '.join(known)}",
                fix="remove it" if near is None else f"write {near}",
            )


def _stub(value: Json, place: Place, key: str) -> Stub:
    if not isinstance(value, dict):
        raise place.error(key, f"is {describe(value)}; expected a mapping with tool and args")
    _require_known(value, ("tool", *_SEEN, *_ANSWER), place, key)
    if not isinstance(value.get("tool"), str):
        at = step_key(key, "tool")
        raise place.error(at, f"is {describe(value.get('tool'))}; expected the name of a tool")
    seen: JsonMap = {name: value[name] for name in ("tool", "args", *_SEEN) if name in value}
    stub = decode(Stub, seen, place=place, key=key)
    answer = {name: item for name, item in value.items() if name not in _SEEN}
    if answer.get("outcome") is None:
        return stub
    filled = parse_fixture({"id": "stub", **answer}, place, key)
    return replace(stub, answer=filled)


def extended_stubs(old: str | None, case: str, stubs: Sequence[Stub], *, name: str) -> str | None:
    """Return the text of a file of stubs with those that it does not have yet at its end.

    Args:
        old: its text; None: it is not there.
        case: id of the case.
        stubs: of a run.
        name: of the file, for errors.

    Returns:
        The text, of which the old one is the beginning; None: nothing is new.

    Raises:
        CaseFormatError: the old text is no file of stubs of this case, or cannot be added to.
    """
    if old is None:
        start = f"{_HEAD}{format_mapping({'schema': STUBS_SCHEMA, 'case': case})}stubs:\n"
        return start + "".join(map(_line, stubs)) if stubs else None
    known = parse_stubs(old, name=name)
    if known.case != case:
        raise known.place.error("case", "is another case", fix="move the file away")
    keys = {stub.key for stub in known.stubs}
    new = [stub for stub in stubs if stub.key not in keys]
    if not new:
        return None
    text = old + ("" if old.endswith("\n") else "\n") + "".join(map(_line, new))
    if not _grew(text, known, len(new), name):
        raise CaseFormatError(
            "cannot be added to: `stubs` is not its last key, or no list of lines",
            place=name,
            fix="add what is filled in with `workbench fixtures`, then delete the file",
        )
    return text


def _grew(text: str, known: StubFile, count: int, name: str) -> bool:
    try:
        return len(parse_stubs(text, name=name).stubs) == len(known.stubs) + count
    except CaseFormatError:
        return False


def _line(stub: Stub) -> str:
    """Return a stub that nobody filled in yet, as an item of the list."""
    item: JsonMap = {"tool": stub.tool}
    if not isinstance(stub.args, Absent):
        item["args"] = stub.args
    item |= {"outcome": None, "seen": stub.seen}
    if stub.nearest is not None:
        item |= {"nearest": stub.nearest, "differs_at": [*stub.differs_at]}
    return format_mapping({"fixtures": [item]}).removeprefix("fixtures:\n")  # a list of lines
