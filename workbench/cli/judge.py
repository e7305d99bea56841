"""`workbench judge RUN --contract C`: a saved trace against a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.codec import encode
from workbench.casefile.contract import read_contract_document
from workbench.casefile.files import load_mapping
from workbench.casefile.tool_names import check_tool_names, listed_tools
from workbench.check.judge import judge
from workbench.cli.lookup import lookup_of
from workbench.cli.options import print_json, settings_of
from workbench.model.event import ToolCall
from workbench.model.verdict import Result
from workbench.review.source import find_run
from workbench.review.summary import render_verdict

if TYPE_CHECKING:
    from argparse import Namespace
    from pathlib import Path

    from workbench.casefile.place import Place
    from workbench.model.contract import Contract

__all__ = ["execute"]

_EXITS = {Result.PASS: 0, Result.FAIL: 1, Result.INCONCLUSIVE: 6}


def execute(options: Namespace) -> int:
    """Print the verdict; 0 pass, 1 fail, 6 inconclusive."""
    contract, place = _contract(options.contract)
    trace = find_run(options.run, lookup_of(options)).trace
    called = {event.tool for event in trace.events if isinstance(event, ToolCall)}
    known = listed_tools(trace.tools, called)
    check_tool_names(contract, known, place=place, key="", whole="the run")
    verdict = judge(trace, contract)
    if options.json:
        print_json(
            {
                "verdict": verdict.result.value,
                "violations": encode(verdict.violations),
                "inconclusive": [
                    {"clause": c.clause, "sentence": c.sentence}
                    for c in verdict.clauses
                    if c.result is Result.INCONCLUSIVE
                ],
                "signature": encode(verdict.signature),
            }
        )
    else:
        print(render_verdict(verdict))
    return _EXITS[verdict.result]


def _contract(path: Path) -> tuple[Contract, Place]:
    document, place = load_mapping(path)
    return read_contract_document(document, place=place, claims=settings_of().claims), place
