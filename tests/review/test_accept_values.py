"""A run of the mended agent speaks of the same people as the incident."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_system, a_trace, a_user
from tests.review.runs import CONTRACT, a_loaded, an_incident
from workbench.casefile.case import load_case
from workbench.errors import RefusedError
from workbench.model.event import UserMessage
from workbench.model.trace import Effect
from workbench.review.accept import accept_run
from workbench.review.export import CaseDetails
from workbench.review.make import make_case
from workbench.review.vault import Vault
from workbench.runner.selftest import check_case

pytestmark = pytest.mark.desk

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

DETAILS = CaseDetails(owner="billing", review_date="2027-02-28")


def mended(*, asked="I am Ada Lovelace. Pause my plan, please.", told="It is paused."):
    """Return a run that pauses once; the values stand where no detector looks."""
    args: JsonMap = {"account_id": "ACC-4471902 ", "email": "ada.lovelace@mail.example.org"}
    trace = a_trace(
        a_system("You are a support agent."),
        a_user(asked),
        a_call("crm.lookup", args={"email": args["email"]}, result={"account_id": "ACC-4471902 "}),
        a_call("billing.pause", args=args, result={"operation": "op_1"}),
        a_call("billing.get", args={"id": "op_1"}, result={"status": "completed"}),
        a_claim(told),
        run_id="run-green",
        tools={
            "crm.lookup": Effect.READ,
            "billing.pause": Effect.WRITE,
            "billing.get": Effect.READ,
        },
    )
    return a_loaded(trace)


def made(folder, run=None):
    """Make the case of the incident."""
    vault = Vault(folder / "keys")
    case = make_case(
        run or a_loaded(), CONTRACT, DETAILS, folder, vault=vault, date="2026-11-30", ner="none"
    )
    return case.path, vault


def test_a_name_that_the_incident_gave_is_replaced_in_the_new_path(tmp_path):
    """`Lovelace, Ada` and a cut-off address are found by nothing but memory."""
    path, vault = made(tmp_path)
    new = {n.text: n.pseudonym for n in vault.needles(load_case(path).source.draft or "")}

    case = accept_run(
        path, mended(told="Lovelace, ADA (acc-4471902): paused."), vault=vault, ner="none"
    )

    text = path.read_text("utf-8")
    assert "ovelace" not in text.lower()
    first, last = new["Ada Lovelace"].split(" ")
    assert f"{last}, {first.upper()}" in text
    assert check_case(case).sound


def test_what_the_new_path_replaced_is_remembered_too(tmp_path):
    """The next path must say the same for it."""
    path, vault = made(tmp_path)
    draft = load_case(path).source.draft or ""

    accept_run(path, mended(told="Told: bob.hart@fabrikam.org."), vault=vault, ner="none")

    assert "bob.hart@fabrikam.org" in {needle.text for needle in vault.needles(draft)}
    assert "Ada Lovelace" in {needle.text for needle in vault.needles(draft)}


def test_texts_of_the_new_path_that_nobody_has_seen_are_named_with_it(tmp_path):
    """Their numbers are those of its own run."""
    path, vault = made(tmp_path)
    before = load_case(path).redaction
    assert before is not None

    accept_run(path, mended(told="I could not confirm that it is paused."), vault=vault, ner="none")

    note = load_case(path).redaction
    assert note is not None
    new = note.unseen[len(before.unseen) :]
    assert note.unseen[: len(before.unseen)] == before.unseen
    assert len(note.unseen) == note.unreviewed
    assert new
    assert all(place.startswith("paths.accepted #") for place in new)


def test_a_value_that_the_case_holds_as_it_is_refuses_the_path(tmp_path):
    """Nothing found it in the incident; a person has to say what it is."""
    trace = an_incident()
    events = tuple(
        replace(e, text=e.text + " It is at blossom-corner.") if isinstance(e, UserMessage) else e
        for e in trace.events
    )
    path, vault = made(tmp_path, a_loaded(replace(trace, events=events)))
    before = path.read_bytes()
    assert b"blossom-corner" in before
    with_key = mended(asked='I am Ada Lovelace. {"username": "blossom-corner"}. Pause my plan.')

    with pytest.raises(RefusedError, match="stand in the case, where nothing found") as refusal:
        accept_run(path, with_key, vault=vault, ner="none")

    assert "blossom" not in str(refusal.value)
    assert path.read_bytes() == before
