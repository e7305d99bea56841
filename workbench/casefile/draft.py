"""`draft/1`: a trace on its way to a case, as one private JSON file.

Every step of a review reads one draft and writes one. The file may hold a raw trace, so it is
written for its owner alone.

Source:
    design page 00, "Surfaces".
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from workbench.casefile.codec import decode, encode
from workbench.casefile.contract import contract_document, read_contract_document
from workbench.casefile.files import load_mapping, write_private
from workbench.casefile.place import Place, describe, nearest, step_key
from workbench.casefile.trace import parse_trace, trace_document
from workbench.model.case import ShrinkNote
from workbench.model.draft import Draft, DraftSource
from workbench.model.ledger import RedactionNote, TriggerNote
from workbench.model.verdict import Signature

if TYPE_CHECKING:
    import os

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = ["DRAFT_SCHEMA", "draft_document", "load_draft", "parse_draft", "save_draft"]

DRAFT_SCHEMA: Final = "draft/1"

_REQUIRED: Final = ("schema", "draft", "source", "raw_signature", "trace", "contract")
_OPTIONAL: Final = ("redaction", "trigger", "shrink")
_ID: Final = re.compile(r"d-[0-9a-f]{1,64}")

Note = TypeVar("Note", RedactionNote, ShrinkNote)


def load_draft(path: str | os.PathLike[str]) -> Draft:
    """Read a draft file.

    Raises:
        InputError: the file cannot be read, or is no draft.
    """
    document, place = load_mapping(Path(path))
    return parse_draft(document, place=place)


def save_draft(draft: Draft, path: str | os.PathLike[str]) -> None:
    """Write a draft file, or replace it, with mode 0600.

    Raises:
        InputError: the file cannot be written.
    """
    write_private(Path(path), draft_document(draft))


def draft_document(draft: Draft) -> JsonMap:
    """Return the `draft/1` document of a draft."""
    return {
        "schema": DRAFT_SCHEMA,
        "draft": draft.draft,
        "source": encode(draft.source),
        "raw_signature": encode(draft.raw_signature),
        "trace": trace_document(draft.trace),
        "contract": contract_document(draft.contract),
        "redaction": encode(draft.redaction),
        "trigger": encode(draft.trigger),
        "shrink": encode(draft.shrink),
    }


def parse_draft(document: Json, *, place: Place) -> Draft:
    """Read a `draft/1` document.

    Raises:
        InputError: a field breaks the format.
    """
    if not isinstance(document, dict):
        raise place.error("", f"is {describe(document)}; expected a {DRAFT_SCHEMA} mapping")
    _check_keys(document, place)
    return Draft(
        draft=document["draft"],  # type: ignore[arg-type]  # checked above
        source=decode(DraftSource, document["source"], place=place, key="source"),
        raw_signature=decode(
            Signature, document["raw_signature"], place=place, key="raw_signature"
        ),
        trace=parse_trace(document["trace"], place=place, key="trace"),
        contract=read_contract_document(document["contract"], place=place, key="contract"),
        redaction=_optional(RedactionNote, document, "redaction", place),
        trigger=decode(
            tuple[TriggerNote, ...], document.get("trigger", []), place=place, key="trigger"
        ),
        shrink=_optional(ShrinkNote, document, "shrink", place),
    )


def _check_keys(document: JsonMap, place: Place) -> None:
    if document.get("schema") != DRAFT_SCHEMA:
        raise place.error(
            "schema",
            f"is {describe(document.get('schema'))}; expected {DRAFT_SCHEMA}",
            fix="give a draft that `workbench redact` or `workbench shrink` wrote",
        )
    known = (*_REQUIRED, *_OPTIONAL)
    for name in document:
        if name not in known:
            near = nearest(name, known)
            raise place.error(
                step_key("", name),
                f"is not a field here; expected one of {', '.join(known)}",
                fix="remove it" if near is None else f"write {near}",
            )
    for name in _REQUIRED:
        if name not in document:
            raise place.error(name, "is missing; it is required", fix=f"add {name}")
    draft = document["draft"]
    if not isinstance(draft, str) or not _ID.fullmatch(draft):
        raise place.error("draft", f"is {describe(draft)}; expected d- and hex digits")


def _optional(hint: type[Note], document: JsonMap, key: str, place: Place) -> Note | None:
    value = document.get(key)
    return None if value is None else decode(hint, value, place=place, key=key)
