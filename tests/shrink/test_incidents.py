"""The twenty incidents that really happened: each becomes minimal, by both oracles."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.incidents.test_incidents import INCIDENTS
from tests.shrink.brute import droppable, orphans
from tests.shrink.test_with_judge import a_header
from workbench.casefile.build import build_case
from workbench.casefile.contract import load_contract
from workbench.check.judge import judge
from workbench.check.oracle import recorded_oracle
from workbench.check.outcomes import resolve_outcomes
from workbench.replay.oracle import replay_oracle
from workbench.replay.scripted import replay_path
from workbench.shrink import is_projection, shrink_trace

if TYPE_CHECKING:
    from tests.incidents.incident import Incident
    from workbench.model.case import Case

each = pytest.mark.parametrize("incident", INCIDENTS, ids=lambda incident: incident.name)


@each
def test_an_incident_becomes_minimal_and_stays_red(incident: Incident):
    """No call and no claim can go alone, checked without anything of the search."""
    contract = load_contract(incident.contract)
    oracle = recorded_oracle(contract)

    shrunk = shrink_trace(incident.wrong, oracle)

    assert oracle(shrunk.trace).signature == oracle(incident.wrong).signature
    assert shrunk.minimal.behaviour
    assert droppable(shrunk.trace, oracle) == []
    assert orphans(shrunk.trace) == []
    assert is_projection(shrunk.trace, incident.wrong)
    assert shrunk.calls <= 60


@each
def test_the_replay_has_the_last_word_and_the_case_holds_no_idle_fixture(incident: Incident):
    """What is exported was replayed; every fixture of it is reached by the recorded path."""
    contract = load_contract(incident.contract)
    wrong = resolve_outcomes(incident.wrong)
    target = judge(wrong, contract).signature
    header = a_header(target)

    shrunk = shrink_trace(wrong, replay_oracle(contract, header))

    case = build_case(shrunk.trace, contract, header=header)
    assert judge(replay_path(case, case.recorded), contract).signature == target
    assert idle_fixtures(case) == []
    assert shrunk.minimal.behaviour


def idle_fixtures(case: Case) -> list[str]:
    """Return the fixtures without which the recorded path replays as it does with them."""
    whole = replay_path(case, case.recorded)
    return [
        fixture.id
        for fixture in case.fixtures
        if replay_path(
            replace(case, fixtures=tuple(f for f in case.fixtures if f is not fixture)),
            case.recorded,
        )
        == whole
    ]
