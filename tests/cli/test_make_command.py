"""`make`: from a run to a case in one command, and what it says meanwhile."""

from __future__ import annotations

import re
import sys

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.cli.conftest import CASE, CONTRACT, DETAILS, REDACT_KEYS, RUN, cases_in, save_trace
from workbench.casefile.case import load_case
from workbench.cli import progress
from workbench.model.event import Outcome

pytestmark = pytest.mark.desk

STEPS = [
    *("reading run-leafbox-2041", "redacting: what reaches the case", "redacting: values in texts"),
    *("redacting: the same values elsewhere", "redacting: pseudonyms", "shrinking"),
]


def test_make_says_in_a_log_which_step_it_is_in(demo, shell, monkeypatch):
    """Two minutes without a word look like a hang; a line a step, and no value of the trace."""
    monkeypatch.setattr(progress, "PATIENCE_S", 0)

    said = shell("make", RUN, *CONTRACT, *DETAILS[:4], "-o", "out", "--json")

    assert said.status == 0
    assert said.err.splitlines() == [f"{step} ..." for step in STEPS]
    assert set(said.document) == {"case", "state", "steps"}


def test_quick_work_leaves_nothing_in_a_log(demo, shell, monkeypatch):
    """CI reads stderr; a case that is made at once has nothing to say there."""
    monkeypatch.setattr(progress, "PATIENCE_S", 600)

    said = shell("make", RUN, *CONTRACT, *DETAILS[:4], "-o", "out")

    assert (said.status, said.err) == (0, "")


def test_make_draws_its_steps_for_whoever_watches(demo, shell, monkeypatch):
    """Texts are counted, the search says what is left, and the line is gone at the end."""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    said = shell("make", RUN, *CONTRACT, *DETAILS[:4], "-o", "out")

    assert said.status == 0
    assert re.search(
        r"\rredacting: values in texts: \[#{10}\.{10}\] 50 %, (\d+) of \d+ texts", said.err
    )
    assert re.search(r"\rshrinking: \d+ calls, \d+ events left, trying ", said.err)
    assert said.err.endswith("\r\x1b[2K")
    assert "Helen" not in said.err


def test_redact_says_its_steps_too(demo, shell, monkeypatch):
    """The same work, the same words."""
    monkeypatch.setattr(progress, "PATIENCE_S", 0)

    said = shell("redact", RUN, *CONTRACT, "-o", "new.draft.json")

    assert said.status == 0
    assert said.err.splitlines() == [f"{step} ..." for step in STEPS[:-1]]


def test_make_does_it_all(demo, shell):
    """For a script: run in, case out."""
    said = shell("make", RUN, *CONTRACT, *DETAILS, "-o", "made", "--json")
    document = said.document

    assert (said.status, said.err) == (0, "")
    assert set(document) == {"case", "state", "steps"}
    assert [step["step"] for step in document["steps"]] == ["redact", "shrink", "export"]
    assert set(document["steps"][0]) == {"step", *REDACT_KEYS}
    assert document["steps"][1]["events"][0] == 134
    assert load_case(demo / document["case"]).signature == load_case(demo / CASE).signature


def test_make_is_told_to_people(demo, shell):
    """The same as the single steps say."""
    said = shell("make", RUN, *CONTRACT, *DETAILS, "-o", "made/x.case.yaml", "--incident", "INC-7")

    assert said.status == 0
    assert " values replaced in " in said.out
    assert "134 -> 18 events in " in said.out
    assert "made/x.case.yaml is proposed: " in said.out
    assert load_case(demo / "made/x.case.yaml").source.incident == "INC-7"


def test_make_takes_the_surest_suggestion(demo, shell):
    """And says which, since a person must be able to disagree."""
    said = shell("make", RUN, *DETAILS, "-o", "made", "--json")

    assert said.status == 0, said.err
    assert "contract taken from success_without_read_back: {" in said.err
    assert load_case(demo / said.document["case"]).contract.clauses


def test_make_without_a_sure_suggestion_asks_for_a_contract(folder, shell):
    """A guess would become a rule."""
    save_trace(a_trace(a_user(), a_call("a.get", outcome=Outcome.OK), a_claim("Hm.")), folder / "a")

    said = shell("make", "a", *DETAILS, "-o", "made")

    assert said.status == 4
    assert "suggests a clause with high confidence\n  Fix: state what it broke" in said.err
    assert not (folder / "made").exists()


def test_make_shows_what_it_was_not_sure_of_and_the_next_command(folder, shell):
    """The way on: read the suggestions, write one down, make the case with it."""
    repeated = [a_call("pay.send", args={"to": "x"}, outcome=Outcome.UNKNOWN) for _ in range(2)]
    save_trace(a_trace(a_user(), *repeated, a_claim("Hm.")), folder / "a")

    said = shell("make", "a", *DETAILS, "-o", "made")

    assert said.status == 4
    assert "medium: repeated_write_after_unknown\n  pay.send was called again" in said.err
    assert "Fix: if one of these is it: workbench diagnose RUN --write FILE" in said.err

    written = shell("diagnose", "a", "--write", "c.yaml")
    assert written.status == 0, written.err
    assert "c.yaml; read it, then --contract" in written.out
    assert (folder / "c.yaml").stat().st_mode & 0o777 == 0o600
    assert shell("judge", "a", "--contract", "c.yaml").status == 1
    assert shell("make", "a", "--contract", "c.yaml", *DETAILS, "-o", "made").status == 0


def test_nothing_suggested_writes_no_contract(folder, shell):
    """An empty contract would hold for ever."""
    save_trace(a_trace(a_user(), a_call("a.get", outcome=Outcome.OK), a_claim("Hm.")), folder / "a")

    said = shell("diagnose", "a", "--write", "c.yaml")

    assert said.status == 4
    assert "Fix: state the contract by hand" in said.err
    assert not (folder / "c.yaml").exists()


def test_make_refuses_as_its_steps_do(demo, shell):
    """A value typed into a title ends the line before anything is written."""
    said = shell("make", RUN, *CONTRACT, *DETAILS, "-o", "made", "--title", "Helen Carter")

    assert (said.status, said.out) == (1, "")
    assert not (demo / "made").exists()
    assert cases_in(demo / "cases") == [demo / CASE]
