"""Stubs: what a live run missed, for a person to fill in."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.casefile.stubs import STUBS_SCHEMA, Stub, extended_stubs, parse_stubs, stubs_path
from workbench.errors import CaseFormatError
from workbench.model.case import ANY_TIMES
from workbench.model.jsonvalue import ABSENT

LOOK = Stub(tool="customer.lookup", args={"email": "c@b.example"}, seen=3, nearest="f1", differs_at=("args.email",))  # fmt: skip
BARE = Stub(tool="clock.now")

START = f"schema: {STUBS_SCHEMA}\ncase: a-case\nstubs:\n"


def written(old, *stubs):
    """Return the file after a run that missed these."""
    return extended_stubs(old, "a-case", stubs, name="a.missing.yaml")


def test_the_stubs_lie_beside_the_case():
    """A reviewer finds them where the case is; no command takes them for one."""
    assert stubs_path(Path("cases/a.case.yaml")) == Path("cases/a.missing.yaml")


def test_what_is_written_reads_back_unfilled():
    """The file explains itself, and says nothing that nobody saw."""
    text = written(None, LOOK, BARE)

    assert text is not None
    assert text.startswith("# Calls of a live run that no fixture of the case answered.")
    found = parse_stubs(text, name="a.missing.yaml")
    assert (found.case, found.stubs) == ("a-case", (LOOK, BARE))
    assert found.stubs[1].args is ABSENT


def test_a_filled_stub_is_a_fixture_of_its_call():
    """All that a fixture says of an answer can be said here."""
    line = (
        "  - {tool: a.b, args: {n: 1}, outcome: ok, result: {x: 2}, match: {n: any}, times: any,"
        " by: ann, seen: 2}\n"
    )

    (stub,) = parse_stubs(START + line, name="x").stubs

    answer = stub.answer
    assert answer is not None
    assert (answer.tool, answer.args, answer.result, answer.match) == (
        "a.b", {"n": 1}, {"x": 2}, {"n": "any"},
    )  # fmt: skip
    assert (answer.times, answer.by, stub.seen) == (ANY_TIMES, "ann", 2)


def test_later_runs_add_to_the_end_and_change_nothing():
    """What a person wrote, comments too, is theirs."""
    old = f"# ours\n{START}  # asked the team\n  - {{tool: clock.now, outcome: ok, result: 5}}"

    text = written(old, BARE, LOOK)

    assert text is not None
    assert text.startswith(old)
    assert [stub.tool for stub in parse_stubs(text, name="x").stubs] == [
        "clock.now",
        "customer.lookup",
    ]
    assert written(text, LOOK, BARE) is None


def test_nothing_missed_is_no_file():
    """An empty file would be read as a task."""
    assert written(None) is None


def test_a_file_of_another_case_is_not_added_to():
    """Its answers would be somebody else's."""
    with pytest.raises(CaseFormatError, match="is another case"):
        extended_stubs(START + "  - {tool: a}\n", "b-case", [LOOK], name="x")


@pytest.mark.parametrize(
    "old",
    [
        f"schema: {STUBS_SCHEMA}\nstubs:\n  - {{tool: a}}\ncase: a-case\n",
        f"schema: {STUBS_SCHEMA}\ncase: a-case\nstubs: [{{tool: a}}]\n",
    ],
)
def test_a_file_that_cannot_be_added_to_is_left_alone(old):
    """Better said than broken."""
    with pytest.raises(CaseFormatError, match="cannot be added to"):
        written(old, LOOK)


@pytest.mark.parametrize(
    ("text", "key", "words"),
    [
        ("[]\n", "schema", "expected replay-stubs/1"),
        ("schema: replay-case/1\n", "schema", "give a file of stubs"),
        (f"schema: {STUBS_SCHEMA}\nstubs: []\n", "case", "expected the id of a case"),
        (f"schema: {STUBS_SCHEMA}\ncase: a\nstubs: 5\n", "stubs", "expected a list"),
        (f"schema: {STUBS_SCHEMA}\ncase: a\nstub: []\n", "stub", "write stubs"),
        (START + "  - 5\n", "stubs.0", "expected a mapping"),
        (START + "  - {args: {}}\n", "stubs.0.tool", "expected the name of a tool"),
        (START + "  - {tool: a, outcom: ok}\n", "stubs.0.outcom", "write outcome"),
        (START + "  - {tool: a, zzzzzzzz: ok}\n", "stubs.0.zzzzzzzz", "remove it"),
        (START + "  - {tool: a, id: f1}\n", "stubs.0.id", "is not a key here"),
        (START + "  - {tool: a, basis: recorded}\n", "stubs.0.basis", "is not a key here"),
        (START + "  - {tool: a, seen: many}\n", "stubs.0.seen", "expected an integer"),
        (START + "  - {tool: a, outcome: fine}\n", "stubs.0.outcome", "expected one of ok"),
        (START + "  - {tool: a, outcome: ok, times: 0}\n", "stubs.0.times", "an integer >= 1"),
    ],
)  # fmt: skip
def test_what_is_no_file_of_stubs_is_refused_at_its_place(text, key, words):
    """A typing error must not become a fixture."""
    with pytest.raises(CaseFormatError, match=words) as error:
        parse_stubs(text, name="x")

    assert error.value.key == key
