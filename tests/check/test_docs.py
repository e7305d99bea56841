"""The examples in the page about contracts are true: red is red, green is green, nothing is dead."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from workbench.casefile.clauses import READERS
from workbench.casefile.contract import load_contract
from workbench.casefile.strict_yaml import load_yaml
from workbench.check.judge import judge
from workbench.check.mutate import dead_clauses
from workbench.model.canonical import args_digest
from workbench.model.event import Decision, Outcome, Permission, StateChange, Usage
from workbench.model.verdict import Result

if TYPE_CHECKING:
    from tests.builders import CallPart, Part
    from workbench.model.trace import Trace

PAGE = Path(__file__).parents[2] / "docs" / "contract.md"
BLOCKS = re.findall(r"(?m)^    contract:\n(?:    .*\n)+", PAGE.read_text(encoding="utf-8"))
EXAMPLES: list[dict[str, Any]] = []
for block in BLOCKS:
    document, _ = load_yaml(re.sub(r"(?m)^    ", "", block), name="docs/contract.md")
    assert isinstance(document, dict)
    EXAMPLES.append(document)


def a_part(step: dict[str, Any]) -> Part:
    """Return what one step of a run in the page stands for."""
    if "call" in step:
        return _call(step)
    if "together" in step:
        return a_turn(*map(_call, step["together"]))
    if "say" in step:
        usage = Usage(**step["usage"]) if "usage" in step else None
        return a_claim(step["say"], usage=usage)
    if "state" in step:
        return StateChange(name=step["state"], after=step["after"])
    return Permission(
        decision=Decision.GRANTED,
        tool=step["grants"],
        args_digest=args_digest(step["args"]),
        actor="person",
    )


def _call(step: dict[str, Any]) -> CallPart:
    outcome = Outcome(step.get("outcome", "ok"))
    result = {"result": step["result"]} if "result" in step else {}
    return a_call(step["call"], outcome=outcome, args=step.get("args", {}), **result)


def run_of(steps: list[dict[str, Any]]) -> Trace:
    """Return the run that the page describes; its texts may carry times."""
    times = {step["say"]: step["at"] for step in steps if "at" in step}
    timed = bool(times)
    trace = a_trace(*([] if timed else [a_user()]), *map(a_part, steps))
    if not timed:
        return trace
    return replace(
        trace, events=tuple(replace(e, at=times[getattr(e, "text", "")]) for e in trace.events)
    )


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: "+".join(one["contract"]))
def test_each_example_is_true(example: dict[str, Any]) -> None:
    """Somebody will copy it."""
    contract = load_contract(example["contract"])
    red, green = run_of(example["red"]), run_of(example["green"])

    assert judge(red, contract).result is Result.FAIL
    assert judge(green, contract).result is Result.PASS
    assert dead_clauses(green, contract) == ()


def test_every_key_of_the_grammar_has_an_example() -> None:
    """A clause that nobody shows is a clause that nobody uses."""
    shown = {key for example in EXAMPLES for key in example["contract"]}
    orders = {
        key for example in EXAMPLES for one in example["contract"].get("order", []) for key in one
    }
    answers = {key for example in EXAMPLES for key in example["contract"].get("answer", {})}
    limits = {key for example in EXAMPLES for key in example["contract"].get("limits", {})}

    assert {*READERS, "claims", "states", "names"} <= shown
    assert orders == {"before", "after", "never_between", "at_most_after", "immediately_after"}
    assert answers == {
        "contains",
        "not_contains",
        "matches",
        "not_matches",
        "json_schema",
        "quotes_results",
    }
    assert limits >= {"tool_calls", "model_calls", "identical_calls", "wall_time_ms"}
    assert limits >= {"input_tokens", "output_tokens"}
