"""Whose key draws: a draft's own, the one that cases share, or one given by hand."""

from __future__ import annotations

import pytest

from tests.cli.conftest import RUN
from workbench.casefile.case import load_case
from workbench.casefile.draft import load_draft

pytestmark = pytest.mark.desk

FLAGS = ("--without-ner", "--policy")
DETAILS = ("--owner", "billing", "--review-date", "2027-02-28", "--without-ner")


@pytest.fixture
def empty(demo, monkeypatch):
    """The demo's folder with no key yet, two contracts, and a policy that shares."""
    monkeypatch.setenv("WORKBENCH_KEYS", str(demo / "other-keys"))
    policy = (demo / "redaction.yaml").read_text("utf-8")
    (demo / "shared.yaml").write_text(policy + "\nshare_across_cases: true\n", "utf-8")
    contract = (demo / "contract.yaml").read_text("utf-8")
    (demo / "second.yaml").write_text(contract + "\nlimits: {tool_calls: 1}\n", "utf-8")
    return demo


def pseudonyms(path):
    """Return type and pseudonym of what a draft replaced, by place."""
    note = load_draft(path).redaction
    assert note is not None
    return {e.at: (e.type, e.pseudonym) for e in note.ledger if e.at[0].startswith("#")}


def redacted(shell, contract, policy, out, *more):
    """Redact the demo's run."""
    said = shell("redact", RUN, "--contract", contract, *FLAGS, policy, "-o", out, *more)
    assert said.status == 0, said.err
    return pseudonyms(out)


def test_a_policy_that_shares_gives_two_cases_the_same_pseudonyms(empty, shell):
    """Whoever follows one customer over several incidents asks for it; nobody else gets it."""
    first = redacted(shell, "contract.yaml", "shared.yaml", "a.json")
    second = redacted(shell, "second.yaml", "shared.yaml", "b.json")

    both = first.keys() & second.keys()
    assert len(both) >= 5
    assert {at: first[at] for at in both} == {at: second[at] for at in both}
    assert load_draft("a.json").draft != load_draft("b.json").draft


def test_without_it_the_same_person_differs(empty, shell):
    """Cases in a public repository must not be joined by their pseudonyms."""
    first = redacted(shell, "contract.yaml", "redaction.yaml", "a.json")
    second = redacted(shell, "second.yaml", "redaction.yaml", "b.json")

    both = first.keys() & second.keys()
    assert {at for at in both if first[at] == second[at]} == set()


def test_a_draft_with_a_key_of_its_own_does_not_share(empty, shell):
    """Its old pseudonyms are in a case perhaps: the two ways must not be mixed."""
    redacted(shell, "contract.yaml", "redaction.yaml", "a.json")

    said = shell(
        "redact", RUN, "--contract", "contract.yaml", *FLAGS, "shared.yaml", "-o", "b.json"
    )

    assert said.status == 4
    assert "has a key of its own, and its policy shares one" in said.err
    assert "--forget-key" in said.err
    assert not (empty / "b.json").exists()


def test_forgetting_says_that_the_shared_key_stays(empty, shell):
    """Else a person believes that nothing can be drawn again."""
    redacted(shell, "contract.yaml", "shared.yaml", "a.json")

    said = shell("redact", "a.json", "--forget-key")

    assert said.status == 0
    assert "shared-by-cases" in said.out
    assert (empty / "other-keys" / "shared-by-cases").is_file()
    assert not (empty / "other-keys" / load_draft("a.json").draft).exists()


def test_a_path_is_accepted_with_the_key_that_was_given_by_hand(empty, shell):
    """The vault has no key of such a draft, only what it replaced."""
    (empty / "key").write_bytes(b"k" * 32)
    redacted(shell, "contract.yaml", "redaction.yaml", "a.json", "--key-file", "key")
    assert shell("export", "a.json", *DETAILS, "-o", "by-hand.case.yaml").status == 0
    accept = ("accept", "by-hand.case.yaml", "mended.json", *FLAGS, "redaction.yaml")

    without = shell(*accept)
    said = shell(*accept, "--key-file", "key")

    assert without.status == 4
    assert "--key-file" in without.err
    assert said.status == 0, said.err
    case = load_case("by-hand.case.yaml")
    assert [path.name for path in case.accepted] == ["accepted"]
    assert "Carter" not in (empty / "by-hand.case.yaml").read_text("utf-8")
