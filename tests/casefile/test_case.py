"""Case files: every rule, at its place."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.casefile.samples import FULL_CASE, a_case, a_document, changed, changed_all, text_of
from workbench.casefile.case import case_document, find_cases, load_case, parse_case, save_case
from workbench.casefile.gate_checks import clauses_of_gate
from workbench.casefile.layout import format_case
from workbench.errors import CaseFormatError, ContractError, InputError
from workbench.model.case import ANY_TIMES
from workbench.model.jsonvalue import ABSENT, Absent, Json

if TYPE_CHECKING:
    from pathlib import Path

GONE = ABSENT
"""The place is removed."""

TURN = "paths.0.turns.0"
CALL = f"{TURN}.tool_calls.0"

BROKEN: list[tuple[str, Json | Absent, str, str]] = [
    # key changed, its new value, key that the error names, words of the error
    ("schema", "replay-case/2", "schema", "newer than this workbench"),
    ("schema", "replay-case/0", "schema", "workbench migrate"),
    ("schema", "case", "schema", "expected replay-case/1"),
    ("schema", GONE, "schema", "is null; expected replay-case/1"),
    ("owner", GONE, "owner", "is missing; it is required"),
    ("owner", None, "owner", "is missing; it is required"),
    ("owner", "  ", "owner", "is empty"),
    ("title", "", "title", "is empty"),
    ("owner", "two\nlines", "owner", "expected one line"),
    ("owner", "\x1b[2Jx", "owner", "expected one line"),
    ("owner", "x" * 201, "owner", "at most 200"),
    ("history.0.by", " ", "history.0.by", "is empty"),
    ("paths.1.by", "", "paths.1.by", "is empty"),
    ("mute", {"by": "", "reason": "y", "until": "2027-02-28"}, "mute.by", "is empty"),
    ("withdrawn", {"by": "\u202e", "date": "2027-02-28"}, "withdrawn.by", "expected one line"),
    ("ownr", "x", "ownr", "write owner"),
    ("zzzzzz", "x", "zzzzzz", "remove it"),
    ("id", "../../etc", "id", "expected letters"),
    ("state", "activ", "state", "write active"),
    ("severity", 1, "severity", "expected one of S1, S2, S3"),
    ("review_date", "2027-02-30", "review_date", "expected a date of the calendar"),
    ("review_date", "20270228", "review_date", "expected a date of the calendar"),
    ("review_date", 20270228, "review_date", "expected a string"),
    ("history.0.date", "soon", "history.0.date", "expected a date"),
    ("mute", {"by": "x", "reason": "y", "until": "never"}, "mute.until", "expected a date"),
    ("withdrawn", {"by": "x", "date": "now"}, "withdrawn.date", "expected a date"),
    ("state", "muted", "mute", "a muted case says who"),
    ("source.run_id", GONE, "source.run_id", "names its run"),
    ("source.kind", "rumour", "source.kind", "expected one of incident"),
    ("input.messages", [], "input.messages", "is empty"),
    ("input.messages.0.role", "tool", "input.messages.0.role", "expected one of system"),
    ("input.messages.0.content", 5, "input.messages.0.content", "expected a string"),
    ("input.messages.0.name", "x", "input.messages.0.name", "expected role and content"),
    ("tools.1.name", "customer.lookup", "tools.1.name", "used by an earlier one"),
    ("tools.1.wire", "customer_lookup", "tools.1.wire", "used by an earlier one"),
    ("local", ["billing.pause"], "local.0", "effect pure"),
    ("paths", [], "paths", "has 0 paths"),
    ("paths.0.turns", [], "paths.0.turns", "of no event"),
    ("paths.0.name", "a path", "paths.0.name", "expected letters"),
    ("paths.0.name", "first", "paths.0.name", "expected recorded"),
    ("paths.0.expect", "pass", "paths", "has 0 paths with expect: fail"),
    ("paths.1.expect", "fail", "paths", "has 2 paths with expect: fail"),
    ("paths.0.basis", "mutated", "paths.0.basis", "is recorded"),
    ("paths.1.name", "recorded", "paths.1.name", "used by an earlier one"),
    (f"{CALL}.id", "a b", f"{CALL}.id", "expected a short id"),
    (f"{CALL}.id", "c2", "paths.0.turns.2.tool_calls.0.id", "used by an earlier call"),
    (f"{CALL}.name", "", f"{CALL}.name", "expected the name of a tool"),
    (f"{TURN}.outcome", "success", f"{TURN}.outcome", "outcome of no text"),
    ("paths.0.turns.3.by", "user", "paths.0.turns.3.by", "expected those alone"),
    ("paths.0.turns.3.user", "hi", "paths.0.turns.3.user", "beside what the model said"),
    (f"{TURN}.offered", ["billing.paus"], f"{TURN}.offered.0", "write billing.pause"),
    (f"{TURN}.offered", ["zzz"], f"{TURN}.offered.0", "remove it"),
    (
        "paths.0.turns.1.permission.decision",
        "maybe",
        "paths.0.turns.1.permission.decision",
        "expected one of granted",
    ),
    ("paths.0.turns.1.state_change", {}, "paths.0.turns.1.state_change.name", "is missing"),
    (
        "paths.0.turns.1.context_change",
        {"change": 1},
        "paths.0.turns.1.context_change.change",
        "is",
    ),
    ("fixtures", {}, "fixtures", "expected a list"),
    ("fixtures.0", "f1", "fixtures.0", "expected a mapping"),
    ("fixtures.0.times", 0, "fixtures.0.times", "expected an integer >= 1, or any"),
    ("fixtures.0.times", True, "fixtures.0.times", "expected an integer >= 1, or any"),
    ("fixtures.1.id", "f1", "fixtures.1.id", "used by an earlier one"),
    ("fixtures.0.id", "f 1", "fixtures.0.id", "expected letters"),
    ("fixtures.0.delay_ms", -1, "fixtures.0.delay_ms", "is negative"),
    ("fixtures.2.only", ["verifid"], "fixtures.2.only.0", "names no path"),
    ("fixtures.0.outcome", "fine", "fixtures.0.outcome", "expected one of ok"),
    ("contract.must_cal", [], "contract.must_cal", "write must_call"),
    ("contract.max_calls", {"billing.pause": -1}, 'contract.max_calls."billing.pause"', "is -1"),
    ("gate", {"scripted": {}}, "gate.scripted", "always hard, one trial"),
    ("gate", {}, "gate.live", "expected a mapping"),
    ("gate.live.trials", 0, "gate.live.trials", "expected an integer >= 1"),
    ("gate.live.hard", "max_calls", "gate.live.hard", "expected a list of clauses"),
    ("gate.live.hard", ["max_call"], "gate.live.hard.0", "names no clause"),
    ("gate.live.hard", [5], "gate.live.hard.0", "names no clause"),
    ("gate.live.hard", ["must_call"], "gate.live.soft.0.clauses.0", "lists must_call/1"),
    ("gate.live.soft", {}, "gate.live.soft", "expected a list"),
    ("gate.live.soft.0", "order", "gate.live.soft.0", "expected a mapping"),
    ("gate.live.soft.0.clauses", [], "gate.live.soft.0.clauses", "is empty"),
    ("gate.live.soft.0.lower", 0.5, "gate.live.soft.0", "both or neither"),
    ("gate.live.soft.0.min_passes", 0, "gate.live.soft.0.min_passes", "an integer >= 1"),
    ("gate.live.soft.0.min_passes", 21, "gate.live.soft.0.min_passes", "plan 21 trials"),
    ("gate.live.soft.1.lower", 0.9, "gate.live.soft.1.lower", "plan 35 trials"),
    ("gate.live.soft.1.lower", 1, "gate.live.soft.1.lower", "between 0 and 1"),
    ("expect", {"signatur": 1}, "expect", "expected a mapping of signature"),
    ("expect.signature.first", None, "expect.signature", "violates nothing"),
    ("expect.signature.clauses", ["order/1", "x"], "expect.signature.clauses", "no clause"),
    ("expect.signature.clauses", ["must_call/1"], "expect.signature.first.0", "is none of"),
    (
        "expect.signature.first",
        ["order/1", "wish", None, None],
        "expect.signature.first.1",
        "expected a kind of event",
    ),
    ("redaction.unreviewed", 3, "redaction.unreviewed", "is 3; an active case"),
    ("unproven.0.clause", "must_call/9", "unproven.0.clause", "no clause of the contract"),
    ("unproven.0.reason", " ", "unproven.0.reason", "is empty"),
    ("require_isolation", "magic", "require_isolation", "expected one of kernel"),
    ("fixtures.0.$file", "x", 'fixtures.0."$file"', "expected pause-with-unknown-outcome.files/"),
]


@pytest.mark.parametrize(("path", "value", "key", "words"), BROKEN)
def test_each_rule_is_enforced_at_its_place(
    path: str, value: Json | Absent, key: str, words: str
) -> None:
    """A case that breaks a rule would guard against nothing, or something else."""
    text = text_of(changed(path, value))

    with pytest.raises(InputError) as caught:
        parse_case(text, name="a.case.yaml")

    assert caught.value.key == key
    assert words in str(caught.value)
    assert caught.value.place.startswith("a.case.yaml:")
    assert caught.value.exit_code == 4


def test_a_complete_case_is_read_and_written_back_as_it_was() -> None:
    """Nothing that a person wrote may be lost or changed by a round trip."""
    case = a_case()

    assert parse_case(format_case(case), name="again") == case
    assert case_document(case) == a_document()


def test_any_times_is_no_number_in_the_file() -> None:
    """`times: 0` would read as "never"."""
    case = a_case()

    assert case.fixtures[0].times == ANY_TIMES
    assert case_document(case)["fixtures"][0]["times"] == "any"  # type: ignore[index,call-overload]


def test_an_error_names_the_line_of_its_value() -> None:
    """An annotation in CI sits on the line that is wrong."""
    text = FULL_CASE.replace('review_date: "2027-02-28"', "review_date: never")

    with pytest.raises(CaseFormatError, match=r"^a\.case\.yaml:8: review_date is a string of 5"):
        parse_case(text, name="a.case.yaml")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ("", "is empty; expected one YAML document"),
        ("- a", "expected a case, a mapping"),
        (FULL_CASE.encode()[:700], "is"),
        (b"\x1f\x8b\x08\x00\xff", "is not UTF-8 text"),
        ("a: &a [x]\nb: [*a, *a, *a]", "has an anchor"),
        (FULL_CASE + "owner: again\n", "has the same key twice"),
    ],
)
def test_bad_bytes_end_in_one_error(data: bytes | str, words: str) -> None:
    """Whatever a file holds, it is named and nothing else happens."""
    with pytest.raises(InputError, match=words):
        parse_case(data, name="a.case.yaml")


def test_an_error_shows_no_text_of_the_file() -> None:
    """A case may hold what redaction has not seen yet."""
    text = text_of(changed("severity", "SECRET-VALUE"))

    with pytest.raises(InputError) as caught:
        parse_case(text, name="a.case.yaml")

    assert "SECRET" not in str(caught.value)


def test_other_kinds_of_source_may_fail_by_mutation() -> None:
    """A policy has no incident: its red path is made by hand."""
    document = changed_all(
        {
            "source": {"kind": "policy"},
            "paths.0.basis": "mutated",
            "paths.0.name": "broken",
        }
    )

    case = parse_case(text_of(document), name="policy")

    assert case.recorded.name == "broken"


def test_an_active_case_has_an_accepted_path() -> None:
    """Otherwise nobody has shown that it can pass."""
    document = changed_all({"paths.1": GONE, "fixtures.2.only": GONE})

    with pytest.raises(CaseFormatError, match="no path has expect: pass"):
        parse_case(text_of(document), name="a")


def test_a_unreachable_gate_is_a_contract_error() -> None:
    """It can be read; it can never be judged."""
    with pytest.raises(ContractError):
        parse_case(text_of(changed("gate.live.soft.0.min_passes", 21)), name="a")


def test_a_named_clause_is_found_by_its_kind_in_a_gate() -> None:
    """A name replaces the id everywhere; the kind still stands for all."""
    document = changed_all(
        {
            "contract.names": {"must_call/1": "looked_up"},
            "gate.live.hard": ["success_requires/1", "max_calls"],
        }
    )

    case = parse_case(text_of(document), name="a")

    assert clauses_of_gate(case, "must_call") == ("looked_up", "must_call/2")
    assert clauses_of_gate(case, "looked_up") == ("looked_up",)
    assert clauses_of_gate(case, "must_call/1") == ()


def test_save_writes_new_files_only(tmp_path: Path) -> None:
    """An edited case keeps its comments, so nothing here may write over it."""
    path = tmp_path / "area" / "pause.case.yaml"
    save_case(a_case(), path)
    before = path.read_bytes()

    with pytest.raises(CaseFormatError, match="exists already"):
        save_case(a_case(), path)

    assert load_case(path) == a_case()
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["pause.case.yaml"]


def test_a_case_that_would_not_load_is_not_written(tmp_path: Path) -> None:
    """A file in the repository that no command can read helps nobody."""
    case = replace(a_case(), owner=" ")

    with pytest.raises(CaseFormatError, match="is empty"):
        save_case(case, tmp_path / "x.case.yaml")

    assert list(tmp_path.iterdir()) == []


def test_cases_are_found_in_folders_and_named_files(tmp_path: Path) -> None:
    """A folder is searched at any depth; other files in it are none of ours."""
    for name in ("b/two.case.yaml", "one.case.yaml", "b/notes.yaml"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("x")

    found = find_cases([tmp_path, tmp_path / "b" / "notes.yaml", tmp_path / "one.case.yaml"])

    assert [path.name for path in found] == ["notes.yaml", "two.case.yaml", "one.case.yaml"]
    with pytest.raises(CaseFormatError, match="does not exist"):
        find_cases([tmp_path / "none"])


def test_a_missing_file_is_an_error_with_its_name(tmp_path: Path) -> None:
    """An unreadable file is an error, not an empty case."""
    with pytest.raises(CaseFormatError, match=r"x\.case\.yaml: cannot be read: no such file"):
        load_case(tmp_path / "x.case.yaml")
