"""Where incoming arguments differ from recorded ones.

Everything is compared as JSON: key order is ignored, lists are ordered, `1 == 1.0`,
`true != 1`, absent differs from null, and strings are byte-exact, because trimming or folding
would repair a malformed id. A matcher loosens one named path and nothing else.

Source:
    design page 04, "Matching of fixtures".
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

import re2

from workbench.casefile.place import step_key
from workbench.errors import CaseFormatError
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap, same_json

__all__ = ["Lookup", "Matcher", "Path", "differences", "parse_matchers", "parse_path", "value_at"]

Path: TypeAlias = tuple[str | int, ...]
"""Steps from the arguments to a value; a string `*` stands for any step."""

Lookup: TypeAlias = Callable[[str], Json | Absent]
"""Text of a `ref` -> the value that the fixture returned in this trial, or `ABSENT`."""

_STEP: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z0-9_-]+|\*')
_UUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_TIMESTAMP: Final = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d(\.\d+)?)?([Zz]|[+-]\d\d:?\d\d)?"
)
_TYPES: Final[dict[str, tuple[type, ...]]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "array": (list,),
    "object": (dict,),
}
_WORDS: Final = ("any", "ignore", "uuid", "timestamp", "nonempty", "unordered")
_UNORDERED_LIMIT: Final = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """One rule on one path."""

    word: str
    """A word of the closed list, or the name of a form with a parameter."""
    parameter: Json = None
    inner: Matcher | None = None
    """What `optional` applies to a value that is there."""


def parse_path(text: str) -> Path:
    """Read `a.0."b.c".*`; `$` is the whole value.

    Raises:
        CaseFormatError: it is no path.

    >>> parse_path('items.0."a.b"')
    ('items', 0, 'a.b')
    """
    if text == "$":
        return ()
    steps: list[str | int] = []
    at = 0
    while True:
        found = _STEP.match(text, at)
        if found is None or text[found.end() : found.end() + 1] not in ("", "."):
            raise CaseFormatError(
                f"has a path of {len(text)} characters that cannot be read",
                key="match",
                fix='write steps with dots between them, e.g. items.0.id or "a.b".id',
            )
        steps.append(_step(found.group()))
        at = found.end()
        if at == len(text):
            return tuple(steps)
        at += text[at] == "."


def _step(text: str) -> str | int:
    if text.startswith('"'):
        return str(json.loads(text))
    return int(text) if text.isdigit() else text


def parse_matchers(match: JsonMap, *, key: str = "match") -> dict[Path, Matcher]:
    """Read a fixture's `match` mapping.

    Raises:
        CaseFormatError: an unknown word, or a parameter of the wrong shape.
    """
    return {
        parse_path(path): _matcher(rule, key=step_key(key, path)) for path, rule in match.items()
    }


def _matcher(rule: Json, *, key: str) -> Matcher:
    if isinstance(rule, str) and rule in _WORDS:
        return Matcher(word=rule)
    if isinstance(rule, dict) and len(rule) == 1:
        ((word, parameter),) = rule.items()
        if word == "optional":
            return Matcher(word=word, inner=_matcher(parameter, key=key))
        if word in _PARAMETERS and _PARAMETERS[word](parameter):
            return Matcher(word=word, parameter=parameter)
    raise CaseFormatError(
        f"is no matcher; expected one of {', '.join(_WORDS)}, "
        f"or a mapping of one of {', '.join(_PARAMETERS)}, optional",
        key=key,
        fix="type takes string|number|boolean|array|object, regex an RE2 pattern, "
        "range two numbers, ref a place such as f1.result.id",
    )


def _compiles(pattern: str) -> bool:
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except (re2.error, UnicodeEncodeError):
        return False
    return True


def _number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _bounds(value: Json) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_number, value))


_PARAMETERS: Final[dict[str, Callable[[Json], bool]]] = {
    "type": lambda value: isinstance(value, str) and value in _TYPES,
    "regex": lambda value: isinstance(value, str) and _compiles(value),
    "range": _bounds,
    "ref": lambda value: isinstance(value, str) and ".result" in value,
}


def value_at(value: Json | Absent, path: Path) -> Json | Absent:
    """Return the value below `path`, or `ABSENT`; `*` finds nothing here."""
    for step in path:
        if isinstance(value, dict) and str(step) in value:
            value = value[str(step)]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            return ABSENT
    return value


def differences(
    recorded: Json | Absent,
    incoming: Json | Absent,
    matchers: Mapping[Path, Matcher],
    *,
    lookup: Lookup = lambda _: ABSENT,
    path: Path = (),
) -> Iterator[str]:
    """Yield the path of every difference, as text, in a stable order; none: they match.

    Args:
        recorded: arguments of the fixture.
        incoming: arguments of the call.
        matchers: rules by path.
        lookup: finds what an earlier fixture returned, for `ref`.
        path: where both values are.
    """
    rule = _rule_at(path, matchers)
    if rule is not None and rule.word != "unordered":
        if not _accepts(rule, incoming, lookup):
            yield _text(path)
    elif isinstance(recorded, dict) and isinstance(incoming, dict):
        for key in _keys(recorded, incoming, path, matchers):
            yield from differences(
                recorded.get(key, ABSENT),
                incoming.get(key, ABSENT),
                matchers,
                lookup=lookup,
                path=(*path, key),
            )
    elif isinstance(recorded, list) and isinstance(incoming, list):
        yield from _list_differences(recorded, incoming, matchers, lookup, path)
    elif not same_json(recorded, incoming):
        yield _text(path)


def _list_differences(
    recorded: list[Json],
    incoming: list[Json],
    matchers: Mapping[Path, Matcher],
    lookup: Lookup,
    path: Path,
) -> Iterator[str]:
    rule = _rule_at(path, matchers)
    if len(recorded) != len(incoming):
        yield _text(path)
    elif rule is not None:  # unordered
        if not _same_bag(recorded, incoming, matchers, lookup, path):
            yield _text(path)
    else:
        for at, (left, right) in enumerate(zip(recorded, incoming, strict=True)):
            yield from differences(left, right, matchers, lookup=lookup, path=(*path, at))


def _same_bag(
    recorded: list[Json],
    incoming: list[Json],
    matchers: Mapping[Path, Matcher],
    lookup: Lookup,
    path: Path,
) -> bool:
    """Whether each recorded item can be given its own incoming one (augmenting paths)."""
    if len(recorded) > _UNORDERED_LIMIT:
        return False
    below = (*path, "*")
    fits = [
        [
            at
            for at, right in enumerate(incoming)
            if next(differences(left, right, matchers, lookup=lookup, path=below), None) is None
        ]
        for left in recorded
    ]
    taken: dict[int, int] = {}

    def place(left: int, seen: set[int]) -> bool:
        for at in fits[left]:
            if at not in seen:
                seen.add(at)
                if at not in taken or place(taken[at], seen):
                    taken[at] = left
                    return True
        return False

    return all(place(left, set()) for left in range(len(recorded)))


def _keys(
    recorded: JsonMap, incoming: JsonMap, path: Path, matchers: Mapping[Path, Matcher]
) -> list[str]:
    """Return keys of both sides and those that only a matcher names, sorted."""
    named = {
        str(rule[len(path)])
        for rule in matchers
        if len(rule) > len(path) and rule[len(path)] != "*" and _covers(rule[: len(path)], path)
    }
    return sorted(recorded.keys() | incoming.keys() | named)


def _rule_at(path: Path, matchers: Mapping[Path, Matcher]) -> Matcher | None:
    return next((rule for at, rule in matchers.items() if _covers(at, path)), None)


def _covers(pattern: Path, path: Path) -> bool:
    return len(pattern) == len(path) and all(
        want == "*" or str(want) == str(step) for want, step in zip(pattern, path, strict=True)
    )


def _accepts(rule: Matcher, value: Json | Absent, lookup: Lookup) -> bool:
    if rule.word == "ignore":
        return True
    if rule.inner is not None:
        return value is ABSENT or _accepts(rule.inner, value, lookup)
    if isinstance(value, Absent):
        return False
    return _ACCEPTS[rule.word](rule.parameter, value, lookup)


def _is_timestamp(_: Json, value: Json, __: Lookup) -> bool:
    if isinstance(value, str):
        return _TIMESTAMP.fullmatch(value) is not None
    return _number(value) and 1e9 < float(str(value)) < 4e12  # seconds or milliseconds


def _is_type(name: Json, value: Json, _: Lookup) -> bool:
    types = _TYPES[str(name)]
    return isinstance(value, types) and (bool in types or not isinstance(value, bool))


def _matches(pattern: Json, value: Json, _: Lookup) -> bool:
    if not isinstance(value, str):
        return False
    try:
        return re2.fullmatch(str(pattern), value) is not None
    except UnicodeEncodeError:  # a lone surrogate is in no RE2 text
        return False


def _in_range(bounds: Json, value: Json, _: Lookup) -> bool:
    match bounds, value:
        case [int() | float() as low, int() | float() as high], int() | float():
            return not isinstance(value, bool) and low <= value <= high
        case _:
            return False


def _is_ref(place: Json, value: Json, lookup: Lookup) -> bool:
    found = lookup(str(place))
    return not isinstance(found, Absent) and same_json(found, value)


_ACCEPTS: Final[dict[str, Callable[[Json, Json, Lookup], bool]]] = {
    "any": lambda *_: True,
    "uuid": lambda _, value, __: isinstance(value, str) and _UUID.fullmatch(value) is not None,
    "timestamp": _is_timestamp,
    "nonempty": lambda _, value, __: value not in (None, "", [], {}),
    "unordered": lambda _, value, __: isinstance(value, list),
    "type": _is_type,
    "regex": _matches,
    "range": _in_range,
    "ref": _is_ref,
}


def _text(path: Path) -> str:
    text = "args"
    for step in path:
        text = step_key(text, step if len(str(step)) <= 60 else f"{str(step)[:60]}...")
    return text
