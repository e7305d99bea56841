"""The whole grammar of contracts, and what can never hold."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings

from tests.strategies import contracts
from workbench.casefile.contract import contract_document, load_contract, parse_contract
from workbench.casefile.place import Place
from workbench.errors import CaseFormatError, ContractError, InputError
from workbench.model.contract import (
    After,
    AnswerRule,
    ArgsSchema,
    AtMostAfter,
    Before,
    ClaimIs,
    ClaimRules,
    Contract,
    Evidence,
    FinalState,
    Finishes,
    FixPlace,
    ForbidCall,
    ImmediatelyAfter,
    Limit,
    MaxCalls,
    MinCalls,
    MustCall,
    NeverBetween,
    OnlyCall,
    PermissionRule,
    StatePredicate,
    SuccessRequires,
    Unproven,
)
from workbench.model.event import ClaimOutcome

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap

EVERYTHING: JsonMap = {
    "must_call": ["a", {"tool": "b", "where": ["x == 1"], "result": "$ exists", "class": "ok"}],
    "forbid_call": {"tool": "c", "agent": "sub*", "by": "any"},
    "only_call": ["a", "b*", "c", "d"],
    "max_calls": {"a": 2, "b#unknown": 1},
    "min_calls": {"a": 1},
    "order": [
        {"before": ["a", "b"]},
        {"after": ["a#unknown", "b"]},
        {"never_between": ["c", "a", "b"]},
        {"at_most_after": ["a", "a", 2]},
        {"immediately_after": ["a", "b"]},
    ],
    "args": {"a": {"required": ["id"]}},
    "success_requires": ["a.status == ok", {"tool": "b*", "pred": "$ == true", "args": "x == 1"}],
    "states": {
        "done": ["a.status == ok", "state.plan.status == paused", "claim == success"],
        "open": {"tool": "b", "pred": "$ exists"},
    },
    "final_state": ["done", "open"],
    "claims": {"success": "(?i)done", "tool": {"finish*": "failure"}},
    "answer": {
        "contains": "x",
        "not_contains": ["y"],
        "matches": ["^z"],
        "not_matches": "q",
        "json_schema": {"type": "object"},
        "quotes_results": True,
    },
    "limits": {"tool_calls": 9, "wall_time_ms": 1.5, "cost_usd": 0},
    "permissions": [{"grant": "c", "covers": "same_args", "by": "other_actor"}],
    "finishes": True,
    "names": {"order/2": "read_back", "answer.contains/1": "says_x"},
}

IDS = {
    MustCall: ["must_call/1", "must_call/2"],
    ForbidCall: ["forbid_call/1"],
    OnlyCall: ["only_call/1"],
    MaxCalls: ["max_calls/1", "max_calls/2"],
    MinCalls: ["min_calls/1"],
    Before: ["order/1"],
    After: ["read_back"],
    NeverBetween: ["order/3"],
    AtMostAfter: ["order/4"],
    ImmediatelyAfter: ["order/5"],
    ArgsSchema: ["args/1"],
    SuccessRequires: ["success_requires/1", "success_requires/2"],
    FinalState: ["final_state/1"],
    AnswerRule: [
        "says_x",
        "answer.not_contains/1",
        "answer.matches/1",
        "answer.not_matches/1",
        "answer.json_schema/1",
        "answer.quotes_results/1",
    ],
    Limit: ["limits/1", "limits/2", "limits/3"],
    PermissionRule: ["permissions/1"],
    Finishes: ["finishes/1"],
}

BROKEN: list[tuple[Json, str, str]] = [
    # the contract, the key that the error names, its words
    ([], "contract", "expected a mapping"),
    ({}, "contract", "has no clause"),
    ({"states": {"a": ["claim == success"]}}, "contract", "has no clause"),
    ({"mustcall": ["a"]}, "contract.mustcall", "write must_call"),
    ({"must_call": None}, "contract.must_call", "is null"),
    ({"must_call": [5]}, "contract.must_call.0", "expected a mapping"),
    ({"must_call": [{"where": ["a == 1"]}]}, "contract.must_call.0.tool", "is missing"),
    ({"must_call": [{"tool": "a#ok"}]}, "contract.must_call.0.tool", "under `class`"),
    ({"must_call": [{"tool": ""}]}, "contract.must_call.0.tool", "not empty"),
    ({"must_call": [{"tool": "a", "were": []}]}, "contract.must_call.0.were", "write where"),
    ({"must_call": [{"tool": "a", "class": 5}]}, "contract.must_call.0.class", "expected a text"),
    ({"must_call": [{"tool": "a", "class": "|"}]}, "contract.must_call.0.class", "empty or"),
    ({"must_call": [{"tool": "a", "by": "usr"}]}, "contract.must_call.0.by", "write user"),
    ({"must_call": [{"tool": "a", "by": 5}]}, "contract.must_call.0.by", "expected one of agent"),
    ({"must_call": [{"tool": "a", "agent": ""}]}, "contract.must_call.0.agent", "not empty"),
    (
        {"must_call": [{"tool": "a", "where": ["x"]}]},
        "contract.must_call.0.where.0",
        "no predicate",
    ),
    ({"must_call": "a#"}, "contract.must_call", "empty or unreadable class"),
    ({"max_calls": {"a": -1}}, "contract.max_calls.a", "use 0 to forbid the call"),
    ({"max_calls": {"a": True}}, "contract.max_calls.a", "expected an integer >= 0"),
    ({"min_calls": {"a": 1.5}}, "contract.min_calls.a", "is 1.5; expected an integer"),
    ({"max_calls": ["a"]}, "contract.max_calls", "expected a mapping"),
    ({"order": [{"before": ["a"]}]}, "contract.order.0.before", "expected a list of 2"),
    ({"order": [{"befor": ["a", "b"]}]}, "contract.order.0.befor", "write before"),
    ({"order": [{}]}, "contract.order.0", "has 0 keys"),
    ({"order": [{"at_most_after": ["a", "b", -1]}]}, "contract.order.0.at_most_after.2", "is -1"),
    ({"args": {"a": {"type": "strin"}}}, "contract.args.a", "it is no JSON Schema"),
    ({"args": {"a": {"$ref": "http://h.invalid/x"}}}, "contract.args.a", "cannot be used"),
    ({"args": {"a": {"$ref": "#/nope"}}}, "contract.args.a", "cannot be used"),
    ({"args": {"a": 5}}, "contract.args.a", "a mapping, true or false"),
    ({"success_requires": "status == ok"}, "contract.success_requires", "long form"),
    ({"success_requires": "0.x == ok"}, "contract.success_requires", "long form"),
    ({"success_requires": {"tool": "a"}}, "contract.success_requires.pred", "is missing"),
    ({"success_requires": {"pred": "a == 1"}}, "contract.success_requires.tool", "is missing"),
    ({"final_state": []}, "contract.final_state", "empty list"),
    ({"final_state": "done"}, "contract.final_state", "does not define"),
    (
        {"final_state": "don", "states": {"done": ["claim == success"]}},
        "contract.final_state",
        "write done",
    ),
    ({"finishes": True, "states": {"a": []}}, "contract.states.a", "empty list"),
    ({"finishes": True, "states": {"a": "claim != success"}}, "contract.states.a", "claim == one"),
    ({"finishes": True, "states": {"a": "claim == fine"}}, "contract.states.a", "claim == one"),
    ({"finishes": True, "states": {"a": "state == x"}}, "contract.states.a", "names no tool"),
    ({"finishes": True, "states": {"a": "$ == x"}}, "contract.states.a", "names no tool"),
    ({"finishes": False}, "contract.finishes", "expected true"),
    ({"finishes": True, "claims": {"success": ["("]}}, "contract.claims.success.0", "RE2 refuses"),
    ({"finishes": True, "claims": {"won": "x"}}, "contract.claims.won", "expected one of success"),
    (
        {"finishes": True, "claims": {"tool": {"a": "x"}}},
        "contract.claims.tool.a",
        "one of success",
    ),
    ({"answer": {"contain": "x"}}, "contract.answer.contain", "write contains"),
    ({"answer": {"contains": [""]}}, "contract.answer.contains.0", "not empty"),
    ({"answer": {"matches": "(?<=a)"}}, "contract.answer.matches", "RE2 refuses"),
    (
        {"answer": {"json_schema": {"pattern": "("}}},
        "contract.answer.json_schema",
        "no JSON Schema",
    ),
    ({"answer": {"quotes_results": "yes"}}, "contract.answer.quotes_results", "expected true"),
    ({"limits": {"tool_call": 1}}, "contract.limits.tool_call", "write tool_calls"),
    ({"limits": {"tool_calls": 1.5}}, "contract.limits.tool_calls", "expected an integer"),
    ({"limits": {"cost_usd": -1}}, "contract.limits.cost_usd", "expected a number >= 0"),
    ({"limits": {"wall_time_ms": True}}, "contract.limits.wall_time_ms", "expected a number"),
    ({"permissions": [{"grant": "a"}]}, "contract.permissions.0.covers", "is missing"),
    ({"permissions": [{"covers": "session"}]}, "contract.permissions.0.grant", "is missing"),
    (
        {"permissions": [{"grant": "a", "covers": "all"}]},
        "contract.permissions.0.covers",
        "expected one of same_args",
    ),
    (
        {"permissions": [{"grant": "a", "covers": "session", "by": "me"}]},
        "contract.permissions.0.by",
        "expected one of other_actor",
    ),
    ({"finishes": True, "names": {"finish/1": "x"}}, 'contract.names."finish/1"', "finishes/1"),
    ({"finishes": True, "names": {"finishes/1": "a b"}}, 'contract.names."finishes/1"', "letters"),
    (
        {"finishes": True, "names": {"finishes/1": "order"}},
        'contract.names."finishes/1"',
        "already",
    ),
]

CONTRADICTIONS: list[tuple[JsonMap, str]] = [
    ({"must_call": ["a"], "forbid_call": ["a"]}, "contract.forbid_call.0"),
    ({"must_call": ["a.b"], "forbid_call": ["x", "a.*"]}, "contract.forbid_call.1"),
    ({"min_calls": {"a": 1}, "forbid_call": "a#any"}, "contract.forbid_call"),
    (
        {
            "must_call": [{"tool": "a", "where": ["x == 1"]}],
            "forbid_call": [{"tool": "a", "where": ["x == 1"]}],
        },
        "contract.forbid_call.0",
    ),
    ({"must_call": ["a"], "only_call": ["b", "c*"]}, "contract.only_call"),
    ({"must_call": ["a"], "only_call": []}, "contract.only_call"),
    ({"must_call": ["a"], "max_calls": {"b": 1, "a": 0}}, "contract.max_calls.a"),
    ({"min_calls": {"a.b": 3}, "max_calls": {"a.*": 2}}, 'contract.max_calls."a.*"'),
    ({"must_call": ["a", "b"], "limits": {"tool_calls": 1}}, "contract.limits.tool_calls"),
    ({"order": [{"before": ["a", "a"]}]}, "contract.order.0"),
    ({"order": [{"after": ["a", "a"]}]}, "contract.order.0"),
    ({"order": [{"immediately_after": ["a#ok", "a#ok"]}]}, "contract.order.0"),
    ({"answer": {"contains": "x", "not_contains": ["y", "x"]}}, "contract.answer.contains"),
    ({"answer": {"matches": "x", "not_matches": "x"}}, "contract.answer.matches"),
]

COMPATIBLE: list[JsonMap] = [
    {"must_call": ["a"], "forbid_call": [{"tool": "a", "where": ["x == 1"]}]},
    {"must_call": ["a"], "forbid_call": ["a#denied"]},
    {"must_call": ["a"], "forbid_call": [{"tool": "a", "by": "user"}]},
    {"must_call": ["a"], "forbid_call": [{"tool": "a", "agent": "sub"}]},
    {"must_call": ["a.*"], "forbid_call": ["a.b"]},
    {"must_call": ["a*"], "only_call": ["b"]},
    {"must_call": [{"tool": "a", "by": "user"}], "only_call": ["b"]},
    {"must_call": ["a"], "max_calls": {"a": 1}},
    {"min_calls": {"a": 0}, "max_calls": {"a": 0}},
    {"must_call": ["a*"], "limits": {"tool_calls": 0}},
    {"order": [{"at_most_after": ["a", "a", 1]}, {"before": ["a#ok", "a"]}]},
    {"answer": {"contains": "x", "not_contains": "X", "matches": "x"}},
]


def parsed(document: Json) -> Contract:
    """Read a contract of a case."""
    return parse_contract(document, place=Place(name="a.case.yaml"))


def test_every_key_of_the_grammar_becomes_clauses_with_their_ids() -> None:
    """The ids are what signatures, gates and names speak of."""
    contract = parsed(EVERYTHING)

    found: dict[type, list[str]] = {}
    for clause in contract.clauses:
        found.setdefault(type(clause), []).append(clause.id)
    assert found == IDS
    assert contract.document == EVERYTHING


def test_selectors_carry_all_their_conditions_and_a_short_form_without_literals() -> None:
    """Sentences show the short form; literals may be personal."""
    contract = parsed(EVERYTHING)
    selector = contract.clauses[1].selector  # type: ignore[union-attr]
    forbidden = contract.clauses[2].selector  # type: ignore[union-attr]

    assert (selector.tool, selector.classes, selector.text) == (
        "b",
        ("ok",),
        "b#ok where x result $",
    )
    assert [predicate.text for predicate in selector.where + selector.result] == [
        "x == 1",
        "$ exists",
    ]
    assert (forbidden.agent, forbidden.by, forbidden.text) == (
        "sub*",
        "any",
        "c agent sub* by any",
    )


def test_claims_and_states_are_parsed() -> None:
    """Judging parses nothing."""
    contract = parsed(EVERYTHING)

    assert contract.claims == ClaimRules(
        patterns={ClaimOutcome.SUCCESS: ("(?i)done",)},
        tools={"finish*": ClaimOutcome.FAILURE},
    )
    evidence, state, claim = contract.states["done"]
    assert isinstance(evidence, Evidence)
    assert isinstance(state, StatePredicate)
    assert state.predicate.path == ("plan", "status")
    assert claim == ClaimIs(text="claim == success", outcome=ClaimOutcome.SUCCESS)
    assert len(contract.states["open"]) == 1


def test_evidence_has_a_short_and_a_long_form() -> None:
    """The tool of the short form is found when a trace is judged."""
    short, long = (c.evidence for c in parsed(EVERYTHING).clauses if isinstance(c, SuccessRequires))

    assert (short.tool, short.predicate.path) == (None, ("a", "status"))
    assert (long.tool, long.predicate.path, len(long.args)) == ("b*", (), 1)


@pytest.mark.parametrize(("document", "key", "words"), BROKEN)
def test_what_breaks_the_grammar_is_named_at_its_place(
    document: Json, key: str, words: str
) -> None:
    """A key that is silently ignored is a clause that never guards."""
    with pytest.raises(InputError) as caught:
        parsed(document)

    assert caught.value.key == key
    assert words in str(caught.value)
    assert str(caught.value).startswith("a.case.yaml: ")


@pytest.mark.parametrize(("document", "key"), CONTRADICTIONS)
def test_what_can_never_hold_is_a_contract_error(document: JsonMap, key: str) -> None:
    """Every path would be red, so the case would tell nothing apart."""
    with pytest.raises(ContractError) as caught:
        parsed(document)

    assert caught.value.key == key
    assert caught.value.fix


@pytest.mark.parametrize("document", COMPATIBLE)
def test_what_may_hold_together_is_accepted(document: JsonMap) -> None:
    """A false alarm would forbid honest contracts."""
    assert parsed(document).clauses


def test_two_names_may_not_meet() -> None:
    """A signature could not tell them apart."""
    document: JsonMap = {"must_call": ["a", "b"], "names": {"must_call/1": "x", "must_call/2": "x"}}

    with pytest.raises(CaseFormatError, match="name of something else"):
        parsed(document)


def test_an_error_shows_no_literal() -> None:
    """The contract is redacted with the trace, not before."""
    with pytest.raises(InputError) as caught:
        parsed({"must_call": [{"tool": "a", "where": ["mail == anna@example.org x"]}]})

    assert "anna" not in str(caught.value)


def test_a_contract_file_is_yaml_or_json_and_says_where_it_can_be_mended(tmp_path: Path) -> None:
    """The same contract in both languages, with fix and unproven beside the clauses."""
    document: JsonMap = {
        "schema": "contract/1",
        "fix": "code",
        "unproven": [{"clause": "must_call/1", "reason": "no trace has it"}],
        "must_call": ["a"],
    }
    (tmp_path / "c.json").write_text(json.dumps(document))
    (tmp_path / "c.yaml").write_text(
        "fix: code\nmust_call: a\nunproven:\n  - {clause: must_call/1, reason: no trace has it}\n"
    )

    contract = load_contract(tmp_path / "c.json")

    assert contract.fix is FixPlace.CODE
    assert contract.unproven == (Unproven(clause="must_call/1", reason="no trace has it"),)
    assert load_contract(tmp_path / "c.yaml").clauses == contract.clauses
    assert load_contract(document) == contract
    assert load_contract(contract_document(contract)) == contract


def test_an_error_in_a_contract_file_has_its_line(tmp_path: Path) -> None:
    """As in a case."""
    path = tmp_path / "c.yaml"
    path.write_text("must_call: [a]\nlimits:\n  tool_calls: -1\n")

    with pytest.raises(ContractError, match=r"c\.yaml:3: limits\.tool_calls is -1"):
        load_contract(path)


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"schema": "contract/2", "finishes": True}, "expected contract/1"),
        ({"fix": "luck", "finishes": True}, "expected one of model, code"),
        ({"unproven": [{"clause": "finishes/2", "reason": "x"}], "finishes": True}, "no clause"),
        ({"finishes": {1, 2}}, "is no plain JSON"),
        ({"limits": {"cost_usd": float("nan")}}, "is no plain JSON"),
    ],
)
def test_a_broken_contract_document_is_refused(document: dict[str, Json], words: str) -> None:
    """Before anything is judged by it."""
    with pytest.raises(InputError, match=words):
        load_contract(document)


@pytest.mark.parametrize(
    ("name", "data"),
    [("c.json", b"[1]"), ("c.yaml", b"- 1"), ("c.json", b""), ("c.yaml", b""), ("c.yaml", b"\x00")],
)
def test_a_file_that_is_no_contract_is_refused(name: str, data: bytes, tmp_path: Path) -> None:
    """Empty, binary, or something else."""
    (tmp_path / name).write_bytes(data)

    with pytest.raises(CaseFormatError):
        load_contract(tmp_path / name)


@settings(max_examples=50, deadline=None)
@given(contracts())
def test_a_contract_is_written_as_it_is_read(contract: Contract) -> None:
    """A draft carries it from step to step."""
    assert load_contract(contract_document(contract)) == contract


def test_claims_of_the_caller_become_part_of_a_contract_without() -> None:
    """The case that is made of it has to say them itself."""
    ours: JsonMap = {"success": ["(?i)done"]}

    taken = load_contract({"finishes": True}, claims=ours)
    own = load_contract({"finishes": True, "claims": {"failure": ["no"]}}, claims=ours)

    assert taken.document["claims"] == ours
    assert taken.claims == load_contract({"finishes": True, "claims": ours}).claims
    assert own.document["claims"] == {"failure": ["no"]}
