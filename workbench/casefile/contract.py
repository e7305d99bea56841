"""Contracts: the whole grammar of the contract page, read from JSON values.

A scalar stands for a list of one. Unknown keys, unreadable texts, patterns that RE2 refuses and
clauses that can never hold (see `contract_checks`) are errors with the place and the nearest
valid form; the texts themselves are not shown.

Source:
    design page 03, `contract`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.clause_parts import (
    contract_error,
    read_evidence,
    read_items,
    read_mapping,
    read_pattern,
    read_predicate,
    read_selector,
    read_word,
)
from workbench.casefile.clauses import READERS
from workbench.casefile.codec import decode, encode
from workbench.casefile.contract_checks import find_conflict
from workbench.casefile.files import as_document, load_mapping
from workbench.casefile.grammar import parse_path, parse_predicate, parse_selector
from workbench.casefile.place import Place, describe, nearest, step_key
from workbench.model.contract import (
    ClaimIs,
    ClaimRules,
    Clause,
    Contract,
    FinalState,
    FixPlace,
    Operator,
    StatePredicate,
    StateRule,
    Unproven,
)
from workbench.model.event import ClaimOutcome

if TYPE_CHECKING:
    import os

    from workbench.model.jsonvalue import Json, JsonMap

__all__ = [
    "CONTRACT_SCHEMA",
    "clause_key",
    "contract_document",
    "load_contract",
    "parse_contract",
    "parse_path",
    "parse_predicate",
    "parse_selector",
    "read_claims",
    "read_contract_document",
]

CONTRACT_SCHEMA: Final = "contract/1"

_OTHER_KEYS: Final = ("claims", "states", "names")
_CLAIMED: Final = ("success", "failure", "unresolved")
_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
_KIND_OF_NAMES: Final = "letters, digits, `_`, `-` and `.`, at most 80"


def load_contract(
    source: str | os.PathLike[str] | Mapping[str, Json], *, claims: JsonMap | None = None
) -> Contract:
    """Read a contract file (YAML or JSON), or a mapping of the same form.

    Args:
        source: the file's path, or the mapping.
        claims: the repository's patterns (`[claims]` of `workbench.toml`), for a contract that
            states none of its own.

    Raises:
        InputError: the file cannot be read, or is no contract.
    """
    if isinstance(source, Mapping):
        document, place = as_document(source, name="contract")
    else:
        document, place = load_mapping(Path(source))
    return read_contract_document(document, place=place, claims=claims)


def contract_document(contract: Contract) -> JsonMap:
    """Return the `contract/1` document of a contract."""
    document: JsonMap = {"schema": CONTRACT_SCHEMA, "fix": contract.fix.value}
    if contract.unproven:
        document["unproven"] = encode(contract.unproven)
    return {**document, **contract.document}


def read_contract_document(
    document: Json, *, place: Place, key: str = "", claims: JsonMap | None = None
) -> Contract:
    """Read a `contract/1` document: a contract with `schema`, `fix` and `unproven` beside it.

    Args:
        document: the mapping.
        place: the file, for errors.
        key: dotted path to it in the file.
        claims: patterns of the repository, for a contract that states none of its own.

    Raises:
        CaseFormatError: a key or a value breaks the format.
        ContractError: a clause can never be judged as written.
    """
    given = read_mapping(document, place, key)
    schema = given.get("schema", CONTRACT_SCHEMA)
    if schema != CONTRACT_SCHEMA:
        raise place.error(
            step_key(key, "schema"),
            f"is {describe(schema)}; expected {CONTRACT_SCHEMA}",
            fix=f"write schema: {CONTRACT_SCHEMA}",
        )
    fix = decode(FixPlace, given.get("fix", "model"), place=place, key=step_key(key, "fix"))
    unproven = decode(
        tuple[Unproven, ...], given.get("unproven", []), place=place, key=step_key(key, "unproven")
    )
    clauses = {k: v for k, v in given.items() if k not in ("schema", "fix", "unproven")}
    if claims and "claims" not in clauses:
        clauses["claims"] = claims
    return parse_contract(clauses, place=place, key=key, fix=fix, unproven=unproven)


def parse_contract(
    document: Json,
    *,
    place: Place,
    key: str = "contract",
    fix: FixPlace = FixPlace.MODEL,
    unproven: tuple[Unproven, ...] = (),
) -> Contract:
    """Read the `contract` mapping of a case.

    Args:
        document: the mapping.
        place: the file, for errors.
        key: dotted path to the mapping in the file; empty: its top.
        fix: where the incident can be prevented.
        unproven: clauses that may stay inconclusive; each must exist.

    Raises:
        CaseFormatError: a key or a value breaks the format.
        ContractError: a clause can never be judged as written.
    """
    given = read_mapping(document, place, key, known=(*READERS, *_OTHER_KEYS))
    clauses = [
        clause
        for kind, reader in READERS.items()
        if kind in given
        for clause in reader(given[kind], place, step_key(key, kind))
    ]
    if not clauses:
        raise contract_error(
            place, key, "has no clause, so it says nothing", fix=f"add one of {', '.join(READERS)}"
        )
    names = _read_names(given.get("names", {}), clauses, place, step_key(key, "names"))
    conflict = find_conflict(clauses)
    if conflict is not None:
        at = clause_key(conflict.clause, given, key)
        raise contract_error(place, at, f"({conflict.clause}) {conflict.message}", fix=conflict.fix)
    states = _read_states(given.get("states", {}), place, step_key(key, "states"))
    _check_states(clauses, states, place, key)
    contract = Contract(
        clauses=tuple(replace(clause, id=names.get(clause.id, clause.id)) for clause in clauses),
        claims=read_claims(given.get("claims", {}), place, step_key(key, "claims")),
        states=states,
        fix=fix,
        unproven=unproven,
        document=given,
    )
    _check_unproven(contract, place)
    return contract


def clause_key(clause: str, given: JsonMap, key: str = "contract") -> str:
    """Return the path of a clause in the file, for its line.

    Args:
        clause: its id, not a name that the contract gives it.
        given: the contract, as read.
        key: dotted path to it in the file.
    """
    kind, _, nth = clause.partition("/")
    kind, _, rule = kind.partition(".")
    at = step_key(key, kind)
    if rule:
        return step_key(at, rule)
    items = given[kind]
    if kind == "only_call" or not isinstance(items, dict | list):
        return at
    steps = list(items) if isinstance(items, dict) else list(range(len(items)))
    return step_key(at, steps[int(nth) - 1]) if int(nth) <= len(steps) else at


def _read_names(value: Json, clauses: list[Clause], place: Place, key: str) -> dict[str, str]:
    ids = [clause.id for clause in clauses]
    names: dict[str, str] = {}
    for clause, name in read_mapping(value, place, key, known=ids).items():
        at = step_key(key, clause)
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise place.error(at, f"is {describe(name)}; expected {_KIND_OF_NAMES}")
        if name in names.values() or name in READERS:
            raise place.error(
                at, "is the name of something else already", fix="choose another name"
            )
        names[clause] = name
    return names


def _read_states(value: Json, place: Place, key: str) -> dict[str, tuple[StateRule, ...]]:
    return {
        name: _read_state(items, place, step_key(key, name))
        for name, items in read_mapping(value, place, key).items()
    }


def _read_state(value: Json, place: Place, key: str) -> tuple[StateRule, ...]:
    items = read_items(value, place, key)
    if not items:
        raise contract_error(place, key, "is an empty list; expected at least one predicate")
    return tuple(_read_state_rule(item, place, at) for at, item in items)


def _read_state_rule(value: Json, place: Place, key: str) -> StateRule:
    predicate = read_predicate(value, place, key) if isinstance(value, str) else None
    if predicate is None or not predicate.path:
        return read_evidence(value, place, key)
    first, *rest = predicate.path
    if first == "state" and rest:
        return StatePredicate(text=predicate.text, predicate=replace(predicate, path=tuple(rest)))
    if first != "claim" or rest:
        return read_evidence(value, place, key)
    if predicate.operator is not Operator.EQ or predicate.literal not in tuple(ClaimOutcome):
        raise contract_error(
            place,
            key,
            f"is {describe(value)}; expected claim == one of {', '.join(ClaimOutcome)}",
            fix="write claim == success",
        )
    return ClaimIs(text=predicate.text, outcome=ClaimOutcome(str(predicate.literal)))


def _check_states(
    clauses: list[Clause], states: dict[str, tuple[StateRule, ...]], place: Place, key: str
) -> None:
    for clause in clauses:
        if not isinstance(clause, FinalState):
            continue
        for name in clause.names:
            if name not in states:
                near = nearest(name, states)
                raise contract_error(
                    place,
                    step_key(key, "final_state"),
                    "names a state that `states` does not define",
                    fix="define it under states" if near is None else f"write {near}",
                )


def read_claims(value: Json, place: Place, key: str) -> ClaimRules:
    """Read a `claims` mapping: what a text claims, by pattern or by tool.

    Raises:
        ContractError: it is none.
    """
    given = read_mapping(value, place, key, known=(*_CLAIMED, "tool"))
    patterns = {
        ClaimOutcome(outcome): tuple(
            read_pattern(item, place, at)
            for at, item in read_items(given[outcome], place, step_key(key, outcome))
        )
        for outcome in _CLAIMED
        if outcome in given
    }
    at = step_key(key, "tool")
    tools = {
        read_selector(glob, place, step_key(at, glob)).tool: ClaimOutcome(
            read_word(outcome, place, step_key(at, glob), known=_CLAIMED)
        )
        for glob, outcome in read_mapping(given.get("tool", {}), place, at).items()
    }
    return ClaimRules(patterns=patterns, tools=tools)


def _check_unproven(contract: Contract, place: Place) -> None:
    ids = [clause.id for clause in contract.clauses]
    for n, entry in enumerate(contract.unproven):
        at = step_key(step_key("unproven", n), "clause")
        if entry.clause not in ids:
            raise place.error(
                at,
                f"is {describe(entry.clause)}, no clause of the contract",
                fix=f"write one of {', '.join(ids)}",
            )
        if not entry.reason.strip():
            raise place.error(step_key(step_key("unproven", n), "reason"), "is empty")
