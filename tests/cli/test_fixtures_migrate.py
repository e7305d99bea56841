"""`fixtures` and `migrate`: what changes a case file, with its comments."""

from __future__ import annotations

import pytest

from tests.casefile.samples import FULL_CASE, text_of
from tests.casefile.test_migrations import an_old_document, titled
from tests.runner.cases import PAUSE
from tests.runner.provider import call, provider, say
from workbench.casefile.case import load_case
from workbench.casefile.stubs import STUBS_SCHEMA
from workbench.errors import CaseFormatError
from workbench.review.edit import migrate_file

pytestmark = pytest.mark.desk

AGENT = ("--agent", "python:tests.runner.agents:loop")

STUBS = f"""\
schema: {STUBS_SCHEMA}
case: pause-with-unknown-outcome
stubs:
  - {{tool: customer.lookup, args: {{email: c@b.example}}, outcome: ok, result: {{account_id: A-2}}}}
"""


@pytest.fixture
def case(folder):
    """A case with a comment, and reviewed answers beside it."""
    text = PAUSE.replace("fixtures:\n", "fixtures:\n  # from the log of the 30th\n")
    (folder / "pause.case.yaml").write_text(text, "utf-8")
    (folder / "pause.missing.yaml").write_text(STUBS, "utf-8")
    return folder / "pause.case.yaml"


def test_reviewed_answers_are_added_and_comments_survive(case, shell):
    """The stubs stay, for the reviewer of the change."""
    said = shell("fixtures", case.name, "--add", "pause.missing.yaml", "--by", "ann")

    assert (said.status, said.out, said.err) == (0, "pause.case.yaml: f3 added, declared\n", "")
    added = load_case(case).fixtures[-1]
    assert (added.id, added.by, added.basis.value) == ("f3", "ann", "declared")
    assert "# from the log of the 30th" in case.read_text("utf-8")
    assert (case.parent / "pause.missing.yaml").read_text("utf-8") == STUBS


def test_the_owner_declares_unless_named_and_machines_can_read_it(case, shell):
    """Somebody vouches for every declared fixture."""
    said = shell("fixtures", case.name, "--add", "pause.missing.yaml", "--json")

    assert said.document == {"case": "pause.case.yaml", "fixtures": ["f3"]}
    assert load_case(case).fixtures[-1].by == "billing-agents"


def test_adding_twice_is_refused_and_the_case_stays(case, shell):
    """The second would never answer, or answer a call too many."""
    shell("fixtures", case.name, "--add", "pause.missing.yaml")
    before = case.read_bytes()

    said = shell("fixtures", case.name, "--add", "pause.missing.yaml")

    assert said.status == 4
    assert "pause.missing.yaml:4: stubs.0 is fixture f3 again" in said.err
    assert case.read_bytes() == before


@pytest.mark.parametrize("words", [[], ["--add", "gone.yaml"]])
def test_without_stubs_nothing_is_done(case, shell, words):
    """A usage error."""
    assert shell("fixtures", case.name, *words).status == 4


def test_cases_of_today_are_up_to_date(folder, shell):
    """Most of the time there is nothing to do."""
    (folder / "a.case.yaml").write_text(FULL_CASE, "utf-8")

    said = shell("migrate", ".")

    assert (said.status, said.err) == (0, "")
    assert said.out == "0 of 1 case files changed; the format is replay-case/1\n"
    assert (folder / "a.case.yaml").read_text("utf-8") == FULL_CASE


def test_newer_and_broken_cases_are_named_and_the_rest_is_looked_at(folder, shell):
    """Bad input loses nothing."""
    newer = FULL_CASE.replace("replay-case/1", "replay-case/2")
    (folder / "a.case.yaml").write_text(newer, "utf-8")
    (folder / "b.case.yaml").write_text(FULL_CASE.replace("owner: ", "ownr: "), "utf-8")
    (folder / "c.case.yaml").write_text(FULL_CASE, "utf-8")

    said = shell("migrate", ".")

    assert said.status == 4
    assert "a.case.yaml:1: schema is replay-case/2, newer than this workbench" in said.err
    assert 'pip install --upgrade "incident-workbench>=2"' in said.err
    assert "b.case.yaml" in said.err
    assert (folder / "a.case.yaml").read_text("utf-8") == newer


def test_an_older_file_is_rewritten_with_its_comments(folder):
    """The mechanism, with a version that could have been."""
    file = folder / "old.case.yaml"
    text = text_of(an_old_document()).replace("owner:", "# ours\nowner:")
    file.write_text(text, "utf-8")

    assert migrate_file(file, migrations={0: titled})

    assert load_case(file).title.startswith("Pause timed out")
    assert "# ours\nowner:" in file.read_text("utf-8")
    assert not migrate_file(file)


def test_a_step_that_makes_no_case_leaves_the_file(folder):
    """A wrong migration must not destroy what it was given."""
    file = folder / "old.case.yaml"
    file.write_text(text_of(an_old_document()), "utf-8")
    before = file.read_bytes()

    with pytest.raises(CaseFormatError):
        migrate_file(file, migrations={0: dict})

    assert file.read_bytes() == before


def run_live(shell, monkeypatch, *trials):
    """Run the case of the folder live against a stand-in that gives these replies."""
    with provider(*trials) as stand_in:
        base_url = stand_in.upstream.providers[0].base_url
        monkeypatch.setenv("WORKBENCH_LIVE_OPENAI_BASE_URL", base_url)
        monkeypatch.setenv("WORKBENCH_LIVE_OPENAI_API_KEY", "sk-stand-in-0123456789")
        monkeypatch.setenv("WORKBENCH_LIVE_MODEL", "stand-in-1")
        return shell("run", "pause.case.yaml", *AGENT, "--layer", "live", "--json")


def test_stubs_in_another_encoding_are_left_as_a_person_wrote_them(case, shell, monkeypatch):
    """Adding to them would write every letter anew that is none in UTF-8."""
    file = case.parent / "pause.missing.yaml"
    written = file.read_bytes() + "# gepr\xfcft\n".encode("latin-1")
    file.write_bytes(written)
    stray = (call("customer.lookup", email="d@b.example"), say("I could not confirm it."))

    said = run_live(shell, monkeypatch, stray)

    assert said.status == 4
    assert "pause.missing.yaml" in said.err
    assert "UTF-8" in said.err
    assert file.read_bytes() == written


def test_a_live_run_writes_what_it_missed_beside_the_case(case, shell, monkeypatch):
    """Round trip: the run names the calls, a person answers, the next run is covered."""
    file = case.parent / "pause.missing.yaml"
    file.unlink()
    stray = (call("customer.lookup", email="d@b.example"), say("I could not confirm it."))

    said = run_live(shell, monkeypatch, stray)
    again = run_live(shell, monkeypatch, stray)

    assert "no fixture for 1 call of pause-with-unknown-outcome: fill in pause.missing" in said.err
    assert said.document["cases"][0]["coverage"] == [0, 1]
    assert "no fixture for 1 call" in again.err
    text = file.read_text("utf-8")
    assert text.count("d@b.example") == 1
    file.write_text(
        text.replace("outcome: null", "outcome: ok, result: {account_id: A-3}"), "utf-8"
    )
    assert shell("fixtures", case.name, "--add", file.name).status == 0
    assert run_live(shell, monkeypatch, stray).document["cases"][0]["coverage"] == [1, 1]


def test_a_file_of_stubs_that_cannot_be_read_is_not_written_over(case, shell, monkeypatch):
    """Somebody's answers may be in it; the verdict is printed all the same."""
    file = case.parent / "pause.missing.yaml"
    file.write_bytes(b"\xff not ours")
    stray = (call("customer.lookup", email="d@b.example"), say("I could not confirm it."))

    said = run_live(shell, monkeypatch, stray)

    assert said.status == 4
    assert "pause.missing.yaml" in said.err
    assert said.document["cases"]
    assert file.read_bytes() == b"\xff not ours"


def test_a_version_that_never_was_is_refused(folder, shell):
    """The first is 1; a typing error is not guessed away."""
    (folder / "old.case.yaml").write_text(text_of(an_old_document()), "utf-8")

    said = shell("migrate", "old.case.yaml")

    assert said.status == 4
    assert (
        "old.case.yaml:1: schema is replay-case/0, a version that was never published" in said.err
    )
