"""The replaying oracle judges what a case would show."""

from __future__ import annotations

import pickle

from tests.builders import a_call, a_claim, a_contract, a_selector, a_trace, a_user
from workbench.check.judge import judge
from workbench.model.case import CaseSource, Header, SourceKind
from workbench.model.contract import MustCall
from workbench.model.verdict import Signature
from workbench.replay.oracle import replay_oracle


def test_the_oracle_replays_and_judges():
    """It can be sent to another process, as shrinking does."""
    contract = a_contract(MustCall(id="must_call/1", selector=a_selector("billing.pause")))
    header = Header(
        id="a", title="A", owner="o", review_date="2027-01-01",
        source=CaseSource(kind=SourceKind.INCIDENT, run_id="r"), signature=Signature(),
    )  # fmt: skip
    trace = a_trace(a_user(), a_call("billing.status"), a_claim())

    oracle = pickle.loads(pickle.dumps(replay_oracle(contract, header)))  # noqa: S301

    assert oracle(trace).signature == judge(trace, contract).signature
    assert oracle(trace).signature
