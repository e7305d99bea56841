"""`redaction.yaml`: what a person declared about redaction, read strictly.

Places are globs (see `places`). Nothing here is code: patterns are RE2.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Final, cast

import re2

from workbench.casefile.codec import decode
from workbench.casefile.files import as_document, load_mapping
from workbench.casefile.place import Place as FilePlace, step_key
from workbench.redact.detect import Ner  # noqa: TC001  the codec reads the hints
from workbench.redact.finding import Finding
from workbench.redact.places import PlaceGlob, parse_glob
from workbench.redact.special import Dates

if TYPE_CHECKING:
    import os
    import re

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "DEFAULT_POLICY",
    "POLICY_SCHEMA",
    "Decision",
    "DecisionWord",
    "DeclaredPattern",
    "Policy",
    "Retained",
    "Strategy",
    "find_declared",
    "load_policy",
]

POLICY_SCHEMA: Final = "redaction/1"


class DecisionWord(StrEnum):
    """What a person decided about a place."""

    SEEN = "seen"
    """Read, and nothing more is to be replaced there."""
    ACCEPTED = "accepted"
    """The replacement there is right, with the facts that it lost."""
    REJECTED = "rejected"
    """What was found there is no personal data."""
    RETAINED = "retained"
    """It is, and stays, for a reason."""


class Strategy(StrEnum):
    """How a value's pseudonym is drawn."""

    SHAPE = "shape"
    """Of the same form; drawn again while a fact is lost."""
    NEXT_DRAW = "next_draw"
    """The same, but another one: what was drawn repaired the failure, or reads badly."""
    EXACT_LENGTH = "exact_length"
    """As long as the value, or it is a lost fact."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredPattern:
    """An id of the user's own."""

    pattern: str
    """RE2."""
    type: str
    prefix: str = ""
    """Leading part that is schema and stays, e.g. `ACC-`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retained:
    """Places that stay as they are."""

    at: str
    reason: str
    by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What a named person decided."""

    at: str
    decision: DecisionWord
    by: str
    reason: str | None = None
    type: str | None = None
    """Only for findings of this type; None: all."""
    strategy: Strategy | None = None
    """Of an accepted replacement; None: as drawn."""
    also: tuple[str, ...] = ()
    """More places of the same decision, so that it is one to take back."""

    def globs(self) -> tuple[PlaceGlob, ...]:
        """Return its places, parsed."""
        return tuple(parse_glob(text) for text in (self.at, *self.also))


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Everything that is declared about redaction."""

    name: str = "default@1"
    fields: dict[str, str] = field(default_factory=dict)
    """Glob -> type: values there are of it."""
    patterns: tuple[DeclaredPattern, ...] = ()
    retain: tuple[Retained, ...] = ()
    trigger: tuple[str, ...] = ()
    decisions: tuple[Decision, ...] = ()
    dates: Dates = Dates.SHIFT_WEEKS
    ner: Ner | None = None
    """None: as the caller says."""
    exact_length: tuple[str, ...] = ()
    """Globs: a pseudonym of another length is a lost fact that refuses export."""
    ordered: tuple[str, ...] = ()
    """Globs: values of one must sort as before, else export is refused."""
    share_across_cases: bool = False
    """The same value gets the same pseudonym in other cases: whoever picks the key gives them one."""

    def globs(self, name: str) -> tuple[PlaceGlob, ...]:
        """Return the parsed globs of one of the lists of globs, `trigger`, `exact_length`, ..."""
        return tuple(parse_glob(text) for text in getattr(self, name))


DEFAULT_POLICY: Final = Policy()


def load_policy(source: str | os.PathLike[str] | Mapping[str, Json]) -> Policy:
    """Read a `redaction/1` file (YAML or JSON), or a mapping of the same form.

    Raises:
        CaseFormatError: a key or a value breaks the format, or a pattern is not RE2.
    """
    if isinstance(source, Mapping):
        document, place = as_document(source, name="policy")
        name = "policy@1"
    else:
        document, place = load_mapping(Path(source))
        name = f"{Path(source).stem}@1"
    given = _checked_schema(document, place)
    policy = decode(Policy, {"name": name, **given}, place=place)
    _check_globs(policy, place)
    _check_patterns(policy, place)
    return policy


def _checked_schema(document: JsonMap, place: FilePlace) -> JsonMap:
    if "name" in document:
        raise place.error("name", "is not a field here", fix="remove it; the file's name counts")
    schema = document.get("schema")
    if schema != POLICY_SCHEMA:
        kind = "missing" if schema is None else "not known"
        raise place.error(
            "schema", f"is {kind}; expected {POLICY_SCHEMA}", fix=f"schema: {POLICY_SCHEMA}"
        )
    return {key: value for key, value in document.items() if key != "schema"}


def _check_globs(policy: Policy, place: FilePlace) -> None:
    for key in ("trigger", "exact_length", "ordered"):
        for n, text in enumerate(getattr(policy, key)):
            _check_glob(text, place, step_key(key, n))
    for text in policy.fields:
        _check_glob(text, place, step_key("fields", text))
    for key in ("retain", "decisions"):
        for n, entry in enumerate(getattr(policy, key)):
            _check_glob(entry.at, place, step_key(step_key(key, n), "at"))
    for n, decision in enumerate(policy.decisions):
        for nth, text in enumerate(decision.also):
            key = step_key(step_key(step_key("decisions", n), "also"), nth)
            _check_glob(text, place, key)


def _check_glob(text: str, place: FilePlace, key: str) -> None:
    if not text.strip(". ") or text.count("**") > 2:
        raise place.error(
            key, "is no place", fix="write, for example, **.email or #17.args.account_id"
        )


def _check_patterns(policy: Policy, place: FilePlace) -> None:
    for n, rule in enumerate(policy.patterns):
        key = step_key(step_key("patterns", n), "pattern")
        try:
            compiled = _compiled(rule.pattern)
        except re2.error as error:
            raise place.error(
                key, "is not an RE2 pattern", fix="see the RE2 syntax page"
            ) from error
        if compiled.search("") is not None:
            raise place.error(key, "matches the empty text", fix="require at least one character")


def _compiled(pattern: str) -> re.Pattern[str]:
    options = re2.Options()
    options.log_errors = False
    return cast("re.Pattern[str]", re2.compile(pattern, options))  # the same methods


def find_declared(policy: Policy, text: str) -> list[Finding]:
    """Find the user's own ids in a text."""
    return [
        Finding(
            start=m.start(), end=m.end(), type=rule.type, score=0.9, detector="declared pattern"
        )
        for rule in policy.patterns
        for m in _compiled(rule.pattern).finditer(text)
        if m.end() > m.start()
    ]
