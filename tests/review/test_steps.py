"""Redact, shrink, export, make, accept as functions: what a notebook calls."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.review.runs import CONTRACT, KEY, a_loaded, an_incident
from workbench.casefile.case import load_case
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import trace_document
from workbench.check.diagnose import diagnose
from workbench.check.judge import judge
from workbench.errors import InputError, RefusedError
from workbench.model.case import CaseState
from workbench.model.event import Claim, ClaimBasis, ClaimOutcome, ToolCall
from workbench.model.ledger import LedgerEntry
from workbench.redact.residue import Needle
from workbench.replay.scripted import replay_path
from workbench.review import accept, export, make
from workbench.review.accept import accept_repair
from workbench.review.draft import open_draft
from workbench.review.export import CaseDetails, case_of, export_draft, with_claims
from workbench.review.make import make_case, surest_suggestion
from workbench.review.redact import redact_draft, surviving_places
from workbench.review.shrink import OracleKind, minimal_raw, shrink_draft
from workbench.review.vault import Vault
from workbench.shrink import shrink_trace

pytestmark = pytest.mark.desk

DETAILS = CaseDetails(owner="billing", review_date="2027-02-28")
DATE = "2026-11-30"


@pytest.fixture(scope="module")
def raw():
    """A raw draft."""
    return open_draft(a_loaded(), CONTRACT, key=KEY)


@pytest.fixture(scope="module")
def redacted(raw):
    """The same, redacted, with its redaction."""
    return redact_draft(raw, key=KEY, ner="none")


def test_only_what_survives_is_asked_about():
    """A person's eyes are for what reaches the case; places are those of the raw trace."""
    minimal = minimal_raw(a_loaded().trace, CONTRACT)

    places = surviving_places(minimal)

    assert {"run_id", "tags", "versions", "tools", "contract"} < places
    assert "#6.args.account_id" in places
    assert len(minimal.events) <= len(an_incident().events)


def test_the_same_failure_before_and_after(raw, redacted):
    """And the person is gone."""
    draft, redaction = redacted

    assert redaction.signature_same
    assert draft.raw_signature == raw.raw_signature
    assert "lovelace" not in str(trace_document(draft.trace)).lower()
    assert draft.redaction is not None
    assert draft.source.trace_digest == raw.source.trace_digest


def test_a_draft_is_redacted_once_and_before_it_is_shrunk(raw, redacted):
    """The order is fixed: a shrunk raw trace would hide what was there."""
    with pytest.raises(InputError, match="was redacted already"):
        redact_draft(redacted[0], key=KEY)
    small, _ = shrink_draft(raw)
    with pytest.raises(InputError, match="redaction comes before"):
        redact_draft(small, key=KEY)
    with pytest.raises(InputError, match="was shrunk already"):
        shrink_draft(small)


@pytest.mark.parametrize("kind", list(OracleKind))
def test_shrinking_keeps_the_trigger_and_the_signature(redacted, kind):
    """Either oracle."""
    small, shrunk = shrink_draft(redacted[0], kind=kind)

    assert shrunk.verdict.signature == redacted[0].raw_signature
    assert {n.at for n in small.trigger} <= {n.at for n in redacted[0].trigger}
    assert small.trigger
    assert small.shrink is not None


def test_an_oracle_that_answers_otherwise_is_refused(redacted, monkeypatch):
    """The draft on disk stays what it was."""

    def otherwise(trace, oracle, **options):
        done = shrink_trace(trace, oracle, **options)
        signature = replace(done.verdict.signature, clauses=frozenset({"other/1"}))
        return replace(done, verdict=replace(done.verdict, signature=signature))

    monkeypatch.setattr("workbench.review.shrink.shrink_trace", otherwise)

    with pytest.raises(RefusedError, match="fails in another way"):
        shrink_draft(redacted[0])


def test_a_raw_draft_is_no_case(raw):
    """Whatever else is right with it."""
    with pytest.raises(InputError, match="a raw trace is never exported"):
        case_of(raw, DETAILS, date=DATE)


def test_a_case_is_proposed_and_says_who_made_it(redacted):
    """Its id is readable, and distinct by draft; claims say what they claim."""
    case = case_of(redacted[0], DETAILS, date=DATE)

    assert case.state is CaseState.PROPOSED
    assert case.id == f"max-calls-billing-pause-{redacted[0].draft[2:8]}"
    assert [(h.date, h.by, h.change) for h in case.history] == [(DATE, "billing", "created")]
    assert "billing.pause" in case.title


def test_a_title_made_of_what_broke_holds_no_position():
    """A reader of a list of cases has no trace at hand; numbers of other things stay."""
    contract = load_contract(
        {"success_requires": [{"tool": "billing.get", "pred": 'status == "completed"'}]}
    )
    draft, _ = redact_draft(open_draft(a_loaded(), contract, key=KEY), key=KEY, ner="none")

    case = case_of(draft, DETAILS, date=DATE)

    said = judge(draft.trace, contract).violations[0].sentence
    assert re.search(r", at [0-9]+, does not show it$", said)
    assert case.title == re.sub(r", at [0-9]+,", "", said)


def test_a_case_that_would_fail_otherwise_is_refused(redacted, monkeypatch):
    """The replay is the last word; the recorded trace said something else."""

    def shorter(case, path):
        trace = replay_path(case, path)
        seen = 0
        events = []
        for event in trace.events:
            seen += isinstance(event, ToolCall) and event.tool == "billing.pause"
            if seen < 2:
                events.append(event)
        return replace(trace, events=tuple(events))

    monkeypatch.setattr(export, "replay_path", shorter)

    with pytest.raises(RefusedError, match=r"when it is replayed\n  - the incident: .*\n  - now: "):
        case_of(redacted[0], DETAILS, date=DATE)


def test_claims_say_what_the_contract_reads_in_them():
    """The case's reader sees why it is a false promise; what is stated stays."""
    trace = an_incident()

    (claim,) = [e for e in with_claims(trace, CONTRACT).events if isinstance(e, Claim)]

    assert (claim.outcome, claim.basis) == (ClaimOutcome.SUCCESS, ClaimBasis.PATTERN)
    assert with_claims(with_claims(trace, CONTRACT), CONTRACT) == with_claims(trace, CONTRACT)


def test_short_hits_are_counted_for_a_person(redacted, tmp_path):
    """A first name in a title may be a plain word; nobody activates before it was seen."""
    draft, _ = redacted
    needles = (Needle(text="Ada", exact_case=True, label="PERSON"),)
    before = draft.redaction.unreviewed
    details = replace(DETAILS, title="Ada was told too early")

    case, path = export_draft(
        draft, details, tmp_path, needles=needles, date=DATE, vault=Vault(tmp_path / "keys")
    )

    assert path.exists()
    assert case.redaction is not None
    assert case.redaction.unreviewed > before
    assert case.redaction.residue.hits == 0


def test_make_without_a_contract_takes_the_surest_suggestion(tmp_path):
    """The same that the command prints."""
    run = a_loaded()

    made = make_case(
        run, None, DETAILS, tmp_path, vault=Vault(tmp_path / "keys"), date=DATE, ner="none"
    )

    assert made.path.exists()
    assert load_case(made.path) == made.case
    assert made.case.contract.document
    assert surest_suggestion(run.trace).confidence == "high"


def test_less_sure_suggestions_are_passed_over(monkeypatch):
    """`make` is headless: nobody would look at a guess."""
    run = a_loaded()
    sure = diagnose(run.trace)
    unsure = [replace(suggestion, confidence="low") for suggestion in sure]
    monkeypatch.setattr(make, "diagnose", lambda _trace: [*unsure, *sure])
    assert surest_suggestion(run.trace) == next(s for s in sure if s.confidence == "high")

    monkeypatch.setattr(make, "diagnose", lambda _trace: unsure)

    with pytest.raises(
        InputError, match="high confidence\n  Fix: if one of these is it: workbench diagnose"
    ):
        surest_suggestion(run.trace)


def test_a_repair_of_a_case_is_written_into_its_file(redacted, tmp_path):
    """Named, and vouched for by the owner unless somebody else does."""
    vault = Vault(tmp_path / "keys")
    case, path = export_draft(redacted[0], DETAILS, tmp_path, needles=(), date=DATE, vault=vault)

    done = accept_repair(path, name="mended", by="ada")

    assert load_case(path) == done
    assert [(p.name, p.by) for p in done.accepted] == [("mended", "ada")]
    assert load_case(path).id == case.id


def test_what_is_not_in_the_case_leaves_its_ledger(redacted):
    """Entries say where a value is; one that is nowhere says nothing. What was left stays."""
    case = case_of(redacted[0], DETAILS, date=DATE)
    assert case.redaction is not None
    entries = (
        LedgerEntry(at=("#9.text",), type="PERSON", pseudonym="Not There", decision="rule"),
        LedgerEntry(at=("#1.text",), type="PERSON", pseudonym="Pause my", decision="rule"),
        LedgerEntry(at=("input.0.content",), type="PERSON", decision="retained"),
    )

    found = list(accept._placed(entries, case))

    assert [(entry.pseudonym, entry.at) for entry in found] == [
        ("Pause my", ("input.1.content",)),
        (None, ("input.0.content",)),
    ]


def test_values_of_any_type_are_searched_for_pseudonyms():
    """A number can be one; null cannot."""
    found = list(accept._texts({"a": [1, None, "x", True], "b c": 2.5}, "f1.result"))

    assert found == [
        ("f1.result.a.0", "1"),
        ("f1.result.a.2", "x"),
        ("f1.result.a.3", "True"),
        ('f1.result."b c"', "2.5"),
    ]
