"""`workbench accept`: a second path through a case."""

from __future__ import annotations

import pytest

from tests.cli.conftest import CASE
from workbench.casefile.case import load_case

pytestmark = pytest.mark.desk


def test_a_repair_is_added_and_said(demo, shell):
    """The cheapest accepted path: cut before the violation, end honestly."""
    said = shell("accept", CASE, "--repair", "--json")

    assert (said.status, said.err) == (0, "")
    assert said.document == {"case": CASE, "path": "repaired", "turns": 2}
    assert [path.name for path in load_case(CASE).accepted] == ["repaired"]


def test_a_run_of_the_mended_agent_is_added_under_the_same_pseudonyms(demo, shell):
    """The same person is the same pseudonym in every path, or fixtures would not match."""
    said = shell("accept", CASE, "mended.json", "--without-ner", "--policy", "redaction.yaml")

    case = load_case(CASE)
    text = (demo / CASE).read_text("utf-8")
    assert said.status == 0, said.err
    assert f"{CASE}: path accepted is accepted" in said.out
    assert [path.name for path in case.accepted] == ["accepted"]
    assert "Carter" not in text


def ledger():
    """Return what the case says of replaced values."""
    note = load_case(CASE).redaction
    assert note is not None
    return note.ledger


def test_places_of_the_ledger_are_said_in_one_way(demo, shell):
    """A reader finds each replaced value once, whichever step wrote the place."""
    before = {entry.pseudonym: entry.at for entry in ledger()}

    shell("accept", CASE, "mended.json", "--without-ner", "--policy", "redaction.yaml")

    after = ledger()
    own = [at for entry in after for at in entry.at if "paths.accepted" in at]
    assert own
    assert all(
        not at.startswith(("paths.0", "paths.1", "input.messages")) for e in after for at in e.at
    )
    for entry in after:
        known = before.get(entry.pseudonym, ())
        assert [at for at in entry.at if at in known] == list(known)


def test_the_owner_accepts_unless_another_name_is_given(demo, shell):
    """Somebody vouches for each accepted path."""
    shell("accept", CASE, "--repair", "--name", "first")
    shell(
        "accept", CASE, "mended.json", "--by", "ada", "--without-ner", "--policy", "redaction.yaml"
    )

    assert [(p.name, p.by) for p in load_case(CASE).accepted] == [
        ("first", "billing"),
        ("accepted", "ada"),
    ]


def test_the_incident_itself_is_not_accepted(demo, shell):
    """What broke the contract cannot show how to keep it; the file stays."""
    before = (demo / CASE).read_bytes()

    said = shell("accept", CASE, "incident.json", "--without-ner", "--policy", "redaction.yaml")

    assert (said.status, said.out) == (1, "")
    assert (demo / CASE).read_bytes() == before


@pytest.mark.parametrize("words", [[], ["mended.json", "--repair"]])
def test_either_a_run_or_a_repair(demo, shell, words):
    """Both, or neither, would be a guess."""
    said = shell("accept", CASE, *words)

    assert said.status == 4
    assert "needs either FROM or --repair\n  Fix: workbench accept CASE --repair" in said.err


def test_without_the_key_only_a_repair_is_possible(demo, shell):
    """Pseudonyms of a forgotten draft cannot be drawn again."""
    assert shell("redact", "small.draft.json", "--forget-key").status == 0

    said = shell("accept", CASE, "mended.json", "--without-ner")

    assert said.status == 4
    assert "Fix:" in said.err
    assert "set WORKBENCH_KEYS" in said.err
    assert shell("accept", CASE, "--repair").status == 0


def test_a_case_of_no_draft_says_so(demo, shell):
    """A case that was written by hand has no pseudonyms of ours."""
    text = (demo / CASE).read_text("utf-8")
    draft = load_case(CASE).source.draft
    (demo / CASE).write_text(text.replace(f"  draft: {draft}\n", ""), "utf-8")

    said = shell("accept", CASE, "mended.json", "--without-ner")

    assert said.status == 4
    assert "source.draft names no draft" in said.err
    assert "Fix: use --repair" in said.err


def test_a_value_of_the_incident_in_the_new_path_is_refused(demo, shell):
    """The person who accepts types a name as well; the file stays."""
    before = (demo / CASE).read_bytes()

    said = shell(
        *("accept", CASE, "mended.json", "--by", "Helen Carter", "--without-ner"),
        *("--policy", "redaction.yaml"),
    )

    assert said.status == 1
    assert "PERSON in view raw" in said.err
    assert "Helen" not in said.err
    assert (demo / CASE).read_bytes() == before


def test_what_was_not_redacted_has_no_ledger_to_grow(demo, shell):
    """A case whose note was removed by hand is still a case."""
    lines = (demo / CASE).read_text("utf-8").split("\n")
    start = lines.index("redaction:")
    end = next(at for at in range(start + 1, len(lines)) if not lines[at].startswith(" "))
    (demo / CASE).write_text("\n".join(lines[:start] + lines[end:]), "utf-8")

    said = shell("accept", CASE, "mended.json", "--without-ner", "--policy", "redaction.yaml")

    assert said.status == 0, said.err
    assert load_case(CASE).redaction is None


def test_what_a_reviewer_left_as_it_is_is_listed_for_the_new_path(demo, shell):
    """A value that stays is a decision; a reader of the case sees where it holds."""
    text = (demo / "mended.json").read_text("utf-8")
    line = "Our line is +1 202 555 0143: I could not confirm"
    (demo / "mended.json").write_text(text.replace("I could not confirm", line), "utf-8")
    policy = (demo / "redaction.yaml").read_text("utf-8")
    policy += "retain:\n  - {at: 'reply:text', reason: our own line, by: ada}\n"
    policy += "  - {at: 'claim:text', reason: our own line, by: ada}\n"
    (demo / "again.yaml").write_text(policy, "utf-8")

    said = shell("accept", CASE, "mended.json", "--without-ner", "--policy", "again.yaml")

    assert said.status == 0, said.err
    entries = ledger()
    assert ("PHONE_NUMBER", ("paths.accepted",)) in [
        (entry.type, entry.at) for entry in entries if entry.pseudonym is None
    ]
