"""Clauses about tools that are not there."""

from __future__ import annotations

import pytest

from tests.casefile.samples import changed_all, text_of
from workbench.casefile.case import parse_case
from workbench.casefile.contract import parse_contract
from workbench.casefile.place import Place
from workbench.casefile.tool_names import check_tool_names
from workbench.errors import ContractError
from workbench.model.jsonvalue import ABSENT, Absent, Json, JsonMap

PAUSE = "Fix: write billing.pause"
NEAR = "Fix: write billing.get_operation"
READ = f"{NEAR}.PATH OPERATOR LITERAL"
FAR = "Fix: add the tool to `tools`, or remove it"
NAMES = "names no tool of the case; expected one that can be called"
BEGINS = "begins with no tool of the case; expected one that can be called"


def case_text(contract: JsonMap) -> str:
    """Return the complete case with one clause more; nothing else reads its clauses by name."""
    values: dict[str, Json | Absent] = {
        "contract": {"finishes": True, **contract},
        "gate": ABSENT,
        "unproven": ABSENT,
        "expect.signature": {"clauses": ["finishes/1"], "first": ["finishes/1", "end", None, None]},
    }
    return text_of(changed_all(values))


@pytest.mark.parametrize(
    ("contract", "key", "message", "fix"),
    [
        ({"must_call": ["billing.*", "biling.pause"]}, "must_call.1", NAMES, PAUSE),
        ({"must_call": "zzz"}, "must_call", NAMES, FAR),
        ({"must_call": "zzz.*"}, "must_call", NAMES, FAR),
        ({"must_call": {"tool": "billing.pauze"}}, "must_call.tool", NAMES, PAUSE),
        ({"max_calls": {"billing.pauze#executed": 1}}, 'max_calls."billing.pauze#executed"', NAMES, PAUSE),
        ({"min_calls": {"billing.pauze": 1}}, 'min_calls."billing.pauze"', NAMES, PAUSE),
        ({"args": {"billing.pauze": {}}}, 'args."billing.pauze"', NAMES, PAUSE),
        ({"order": {"before": ["billing.pauze", "*"]}}, "order.before.0", NAMES, PAUSE),
        ({"order": [{"after": ["*", "billing.pauze"]}]}, "order.0.after.1", NAMES, PAUSE),
        ({"order": {"immediately_after": ["*", "billing.pauze"]}},
         "order.immediately_after.1", NAMES, PAUSE),
        ({"order": {"never_between": ["x", "text.*", "billing.pauze"]}},
         "order.never_between.2", NAMES, PAUSE),
        ({"order": {"at_most_after": ["billing.pauze", "*", 0]}},
         "order.at_most_after.0", NAMES, PAUSE),
        ({"order": {"at_most_after": ["*", "billing.pauze", 1]}},
         "order.at_most_after.1", NAMES, PAUSE),
        ({"permissions": {"grant": "billing.pauze", "covers": "session"}},
         "permissions.grant", NAMES, PAUSE),
        ({"success_requires": "billing.get_operatoin.status == done"},
         "success_requires", BEGINS, READ),
        ({"success_requires": "zzz.status == done"},
         "success_requires", BEGINS, 'Fix: write {tool: NAME, pred: "path op literal"}'),
        ({"success_requires": [{"tool": "billing.get_op", "pred": "status == done"}]},
         "success_requires.0", NAMES, NEAR),
        ({"states": {"done": ["claim == success", "state.a == b", "billing.get_operatio.a == b"]}},
         "states.done.2", BEGINS, READ),
        ({"states": {"done": {"tool": "billing.get_operatio", "pred": "a == b"}}},
         "states.done", NAMES, NEAR),
    ],
)  # fmt: skip
def test_what_asks_for_a_call_names_a_tool_of_the_case(
    contract: JsonMap, key: str, message: str, fix: str
) -> None:
    """A slip in a name would be a clause that never binds, or always fails."""
    text = case_text(contract)
    lines = text.splitlines()
    start = lines.index("contract:")
    first = next(iter(contract))
    line = next(n for n in range(start, len(lines)) if lines[n].strip().startswith(first)) + 1

    with pytest.raises(ContractError) as caught:
        parse_case(text, name="a.case.yaml")

    place, _, rest = str(caught.value).partition(f": contract.{key} ")
    assert rest == f"{message}\n  {fix}"
    assert line <= int(place.removeprefix("a.case.yaml:")) <= line + 4


@pytest.mark.parametrize(
    "contract",
    [
        {"forbid_call": ["transfer.money"]},
        {"only_call": ["customer.lookup", "search"]},
        {"max_calls": {"transfer.money": 0}},
        {"claims": {"tool": {"submit": "success"}}},
        {"order": {"never_between": ["transfer.money", "customer.lookup", "billing.*"]}},
        {"order": {"at_most_after": ["customer.lookup", "transfer.money", 0]}},
        {"must_call": {"tool": "router", "by": "framework"}},
        {"must_call": ["*", "billing.*operation", "customer.lookup#any"]},
        {"success_requires": ["billing.get_operation.status == done", "text.count.n exists"]},
        {"success_requires": {"tool": "billing.*", "pred": "$ exists"}},
        {"states": {"done": ["state.a == b", "claim == success"]}},
    ],
)
def test_what_forbids_may_name_what_was_never_offered(contract: JsonMap) -> None:
    """An attack asks for tools that the agent does not have; users have tools of their own."""
    case = parse_case(case_text(contract), name="a.case.yaml")

    assert case.contract.document == {"finishes": True, **contract}


def test_a_tool_of_a_fixture_or_a_call_is_known_without_a_listing() -> None:
    """The incident may be a call of a tool that was not offered; that is no slip of the author."""
    values: dict[str, Json | Absent] = {
        "fixtures.0.tool": "customer.find",
        "contract.must_call": ["customer.find", "billing.pause"],
    }

    case = parse_case(text_of(changed_all(values)), name="a.case.yaml")

    assert case.contract.clauses[0].id == "must_call/1"


def test_without_a_list_of_tools_every_name_may_be_right() -> None:
    """A source that lists no tools gives those that were called, and no others."""
    tools: Json = [
        {"name": name, "effect": "write"} for name in ("customer.lookup", "billing.pause")
    ]
    values: dict[str, Json | Absent] = {
        "tools": tools,
        "local": ABSENT,
        "fixtures.2": ABSENT,
        "contract.order": [{"after": ["billing.pause#unknown", "billing.read"]}],
        "contract.success_requires": "billing.read.status == completed",
    }

    case = parse_case(text_of(changed_all(values)), name="a.case.yaml")

    assert "billing.read" not in {tool.name for tool in case.tools}


def test_a_hostile_glob_costs_no_time() -> None:
    """A contract may come from a stranger."""
    contract = parse_contract({"must_call": "*a" * 30 + "b"}, place=Place(name="c"), key="")

    with pytest.raises(ContractError, match="must_call names no tool of the run"):
        check_tool_names(contract, ["a" * 5_000], place=Place(name="c"), key="", whole="the run")
