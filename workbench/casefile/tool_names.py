"""Selectors that name no tool, where it is known which tools there are.

A clause that needs a call, or that says something about each call of a tool, is dead when no
tool has that name; most often it is a slip of the pen. Prohibitions may name tools that the agent
never had, because an attack may ask for them: `forbid_call`, `only_call`, a bound of 0, the first
item of `never_between`. So may `claims.tool`, which asks for no call, and selectors with `by`:
users and frameworks have tools of their own.

Source:
    design page 03, `sel` and `evid`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import re2

from workbench.casefile.clause_parts import (
    contract_error,
    read_evidence,
    read_items,
    read_mapping,
    read_selector,
)
from workbench.casefile.place import nearest, step_key
from workbench.model.contract import Evidence
from workbench.model.event import Requestor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from workbench.casefile.place import Place
    from workbench.errors import ContractError
    from workbench.model.case import CaseTool
    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Tool

__all__ = ["check_tool_names", "listed_tools"]

_LONG_FORM = 'write {tool: NAME, pred: "path op literal"}'


def listed_tools(tools: Iterable[Tool | CaseTool], called: Iterable[str]) -> frozenset[str]:
    """Return all tools that are known; none: the list was only gathered from calls.

    A source that lists no tools gets those that were called, also ones whose calls a shrunk run
    no longer has. Such a list has no schema, and a tool that it leaves out may well have been
    there.
    """
    listed = list(tools)
    if not any(tool.schema is not None for tool in listed):
        return frozenset()
    return frozenset(called) | {tool.name for tool in listed}


def check_tool_names(
    contract: Contract, tools: Iterable[str], *, place: Place, key: str, whole: str
) -> None:
    """Refuse a contract that asks for calls of a tool that is not there.

    Args:
        contract: as read; its document has the places.
        tools: all that are known; none: it is not known which there are.
        place: the file, for errors.
        key: dotted path to the contract in the file; empty: its top.
        whole: what the tools are of, for the message: `the case`.

    Raises:
        ContractError: at the first such selector or item of evidence.
    """
    known = sorted(set(tools))
    if not known:
        return
    for at, glob in _asked(contract.document, place, key):
        if not any(_fits(glob, name) for name in known):
            raise _unknown(glob, known, place=place, key=at, whole=whole)
    for at, evidence in _evidence(contract, place, key):
        if evidence.tool is None and not _names_one(evidence, known):
            raise _unnamed(evidence, known, place=place, key=at, whole=whole)
        if evidence.tool is not None and not any(_fits(evidence.tool, name) for name in known):
            raise _unknown(evidence.tool, known, place=place, key=at, whole=whole)


def _asked(document: JsonMap, place: Place, key: str) -> Iterator[tuple[str, str]]:
    """Yield place and glob of every selector that has to name a tool, in the grammar's order."""
    for at, item in _selectors(document, place, key):
        selector = read_selector(item, place, at)
        if selector.by == Requestor.AGENT:
            yield (step_key(at, "tool") if isinstance(item, dict) else at), selector.tool


def _selectors(document: JsonMap, place: Place, key: str) -> Iterator[tuple[str, Json]]:
    yield from read_items(document.get("must_call", []), place, step_key(key, "must_call"))
    for kind in ("max_calls", "min_calls", "args"):
        at = step_key(key, kind)
        for text, bound in read_mapping(document.get(kind, {}), place, at).items():
            if kind == "args" or bound != 0:
                yield step_key(at, text), text
    for at, order in read_items(document.get("order", []), place, step_key(key, "order")):
        for kind, items in read_mapping(order, place, at).items():
            yield from _ordered(kind, read_items(items, place, step_key(at, kind)))
    rules = read_items(document.get("permissions", []), place, step_key(key, "permissions"))
    for at, rule in rules:
        yield step_key(at, "grant"), read_mapping(rule, place, at)["grant"]


def _ordered(kind: str, items: list[tuple[str, Json]]) -> list[tuple[str, Json]]:
    """Return the selectors of an order that have to name a tool."""
    if kind == "never_between":
        return items[1:]
    if kind == "at_most_after":
        return items[:2] if items[2][1] != 0 else items[:1]
    return items


def _evidence(contract: Contract, place: Place, key: str) -> Iterator[tuple[str, Evidence]]:
    document = contract.document
    at = step_key(key, "success_requires")
    for item_at, item in read_items(document.get("success_requires", []), place, at):
        yield item_at, read_evidence(item, place, item_at)
    at = step_key(key, "states")
    for name, items in read_mapping(document.get("states", {}), place, at).items():
        places = [item_at for item_at, _ in read_items(items, place, step_key(at, name))]
        for item_at, rule in zip(places, contract.states[name], strict=True):
            if isinstance(rule, Evidence):
                yield item_at, rule


def _fits(glob: str, name: str) -> bool:
    """Whether a glob matches a name; `*` is any text, also dots."""
    if "*" not in glob:
        return glob == name
    pattern = ".*".join(re2.escape(part) for part in glob.split("*"))
    return re2.fullmatch(f"(?s:{pattern})", name) is not None


def _names_one(evidence: Evidence, known: list[str]) -> bool:
    """Whether a beginning of the short form is the name of a tool."""
    steps = [str(step).removeprefix("\\") for step in evidence.predicate.path]
    return any(".".join(steps[:length]) in known for length in range(1, len(steps) + 1))


def _unknown(glob: str, known: list[str], *, place: Place, key: str, whole: str) -> ContractError:
    near = nearest(glob, known)
    return contract_error(
        place,
        key,
        f"names no tool of {whole}; expected one that can be called",
        fix="add the tool to `tools`, or remove it" if near is None else f"write {near}",
    )


def _unnamed(
    evidence: Evidence, known: list[str], *, place: Place, key: str, whole: str
) -> ContractError:
    steps = [str(step) for step in evidence.predicate.path]
    beginnings = (".".join(steps[:length]) for length in range(len(steps), 0, -1))
    near = next((found for text in beginnings if (found := nearest(text, known))), None)
    return contract_error(
        place,
        key,
        f"begins with no tool of {whole}; expected one that can be called",
        fix=_LONG_FORM if near is None else f"write {near}.PATH OPERATOR LITERAL",
    )
