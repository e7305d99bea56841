"""A case as the JSON mapping that its file holds, with the keys in the order of the format."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode, encode_fields
from workbench.errors import CaseFormatError
from workbench.model.case import ANY_TIMES, Fixture

if TYPE_CHECKING:
    from workbench.model.case import Case
    from workbench.model.jsonvalue import JsonMap

__all__ = ["CASE_KEYS", "CASE_SCHEMA", "REQUIRED_KEYS", "case_document"]

CASE_SCHEMA: Final = "replay-case/1"

CASE_KEYS: Final = (
    "schema",
    "id",
    "title",
    "why",
    "state",
    "owner",
    "severity",
    "review_date",
    "tags",
    "fix",
    "source",
    "redaction",
    "shrink",
    "environment",
    "trigger",
    "input",
    "tools",
    "paths",
    "fixtures",
    "contract",
    "gate",
    "expect",
    "history",
    "mute",
    "withdrawn",
    "also_covers",
    "unproven",
    "require_isolation",
    "local",
)
"""Every key of a case, in the order of the file."""

REQUIRED_KEYS: Final = (
    "schema",
    "id",
    "title",
    "state",
    "owner",
    "severity",
    "review_date",
    "fix",
    "source",
    "input",
    "tools",
    "paths",
    "fixtures",
    "contract",
    "expect",
)
"""What no case may leave out."""

_FIXTURE_KEYS: Final = tuple(entry.metadata.get("key", entry.name) for entry in fields(Fixture))


def case_document(case: Case) -> JsonMap:
    """Return the `replay-case/1` document of a case.

    Raises:
        CaseFormatError: the contract does not know how it was written.
    """
    if not case.contract.document:
        raise CaseFormatError(
            "holds no document, so it cannot be written",
            place=case.id,
            key="contract",
            fix="read the contract with load_contract or parse_contract",
        )
    found = encode_fields(case)
    found["schema"] = CASE_SCHEMA
    found["tools"] = encode(case.tools)
    found["fixtures"] = [_fixture_document(fixture) for fixture in case.fixtures]
    found["contract"] = case.contract.document
    if case.shrink is not None:
        minimal: JsonMap = {"behaviour": case.shrink.minimal.behaviour}
        minimal["stimulus"] = case.shrink.minimal.stimulus.value
        found["shrink"] = {**encode_fields(case.shrink), "minimal": minimal}
    expect: JsonMap = {"signature": encode(case.signature)}
    for name in ("failing_version", "passing_version"):
        if name in found:
            expect[name] = found[name]
    found["expect"] = expect
    return {key: found[key] for key in CASE_KEYS if key in found}


def _fixture_document(fixture: Fixture) -> JsonMap:
    """Return a fixture; outcome and basis are always said, a result in a `$file` is not."""
    found = encode_fields(fixture)
    found["outcome"] = fixture.outcome.value
    found["basis"] = fixture.basis.value
    if fixture.times == ANY_TIMES:
        found["times"] = "any"
    if fixture.file is not None:
        found.pop("result", None)
    return {key: found[key] for key in _FIXTURE_KEYS if key in found}
