"""Twenty incidents that really happened, told anew, each caught and each curable."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.incidents import arguments, claims, loops, parallel, writes
from workbench.casefile.build import build_case
from workbench.casefile.contract import load_contract
from workbench.check.diagnose import diagnose
from workbench.check.hints import texts_in
from workbench.check.judge import judge
from workbench.check.mutate import dead_clauses
from workbench.check.oracle import recorded_oracle
from workbench.check.outcomes import resolve_outcomes
from workbench.model.case import CaseSource, Header, SourceKind
from workbench.model.trace import calls_of
from workbench.model.verdict import Result
from workbench.redact import redact_trace
from workbench.replay.scripted import replay_path
from workbench.shrink import shrink_trace

if TYPE_CHECKING:
    from tests.incidents.incident import Incident
    from workbench.model.trace import Trace

INCIDENTS = sorted(
    (
        *writes.INCIDENTS,
        *arguments.INCIDENTS,
        *loops.INCIDENTS,
        *parallel.INCIDENTS,
        *claims.INCIDENTS,
    ),
    key=lambda incident: incident.number,
)
each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.name)


def test_all_twenty_are_here():
    """One of each kind."""
    assert [incident.number for incident in INCIDENTS] == list(range(1, 21))


@each
def test_the_incident_is_red_and_a_right_path_is_green(incident: Incident):
    """A contract that is red on everything protects nobody."""
    contract = load_contract(incident.contract)

    wrong, right = judge(incident.wrong, contract), judge(incident.right, contract)

    assert wrong.result is Result.FAIL
    assert (right.result, right.violations) == (Result.PASS, ())


@each
def test_every_clause_can_turn_red(incident: Incident):
    """Broken on purpose on the right path, one clause at a time."""
    assert dead_clauses(incident.right, load_contract(incident.contract)) == ()


@each
def test_the_catching_clause_is_proposed_among_the_first_three(incident: Incident):
    """Of the kind that the contract uses, red on the incident, green on the right path."""
    proposed = [
        given.clause
        for given in diagnose(incident.wrong)[:3]
        if judge(incident.right, load_contract(given.contract)).result is Result.PASS
        and judge(incident.wrong, load_contract(given.contract)).result is Result.FAIL
    ]

    assert incident.caught_by in {kind.partition(".")[0] for kind in proposed}
    assert incident.caught_by in incident.contract


@each
def test_a_right_path_raises_no_certain_suggestion(incident: Incident):
    """Whoever did it right is left alone."""
    assert [given for given in diagnose(incident.right) if given.confidence == "high"] == []


@each
def test_the_incident_replays_as_it_was(incident: Incident):
    """What went wrong survives being written as a case and played again."""
    contract = load_contract(incident.contract)
    signature = judge(incident.wrong, contract).signature
    header = Header(
        id="incident",
        title=incident.name,
        owner="tests",
        review_date="2030-01-01",
        source=CaseSource(kind=SourceKind.INCIDENT, run_id=incident.wrong.run_id),
        signature=signature,
    )

    case = build_case(resolve_outcomes(incident.wrong), contract, header=header)

    assert judge(replay_path(case, case.recorded), contract).signature == signature


@pytest.mark.desk
@each
def test_redaction_keeps_the_incident(incident: Incident):
    """Whatever values it replaces, the same clauses are broken in the same way."""
    contract = load_contract(incident.contract)
    trace = resolve_outcomes(incident.wrong)

    done = redact_trace(trace, contract=contract, key=b"k" * 32, ner="none")

    assert done.signature_same
    assert done.trigger_facts_lost == ()


@each
def test_shrinking_keeps_the_incident(incident: Incident):
    """What is left is no longer than it was and fails in the same way."""
    contract = load_contract(incident.contract)
    trace = resolve_outcomes(incident.wrong)

    shrunk = shrink_trace(trace, recorded_oracle(contract)).trace

    assert len(shrunk.events) <= len(trace.events)
    assert judge(shrunk, contract).signature == judge(trace, contract).signature


@each
def test_sentences_hold_no_text_of_the_trace(incident: Incident):
    """They go into logs and reports; only names of tools may stand in them."""
    trace = incident.wrong
    said = [given.sentence for given in diagnose(trace)]
    said += [answer.sentence for answer in judge(trace, load_contract(incident.contract)).clauses]
    names = sorted({call.tool for call in calls_of(trace)}, key=len, reverse=True)

    for sentence in said:
        bare = sentence
        for name in names:
            bare = bare.replace(name, "TOOL")
        spoken = [text for text in texts_of(trace) if text in bare]
        assert [text for text in spoken if text not in str(incident.contract)] == []


def texts_of(trace: Trace) -> list[str]:
    """Return every text of five characters or more that a person, a model or a tool wrote."""
    found = [getattr(event, "text", "") for event in trace.events]
    for call in calls_of(trace):
        found += [call.request.args_raw or "", *texts_in(call.args)]
        if call.result is not None:
            found += [*texts_in(call.result.result), call.result.detail or ""]
            found += [call.result.error.message or ""] if call.result.error else []
    return [text for text in found if len(text) >= 5]
