"""The law of `build_case`: the replay of a case fails as the trace that it was built from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import HealthCheck, Phase, assume, event, given, settings

from tests.strategies import contracts, traces
from workbench.casefile.build import build_case
from workbench.check.judge import judge
from workbench.check.outcomes import resolve_outcomes
from workbench.errors import ContractError, TraceFormatError
from workbench.model.case import CaseSource, Header, SourceKind
from workbench.replay.scripted import replay_path

if TYPE_CHECKING:
    from workbench.model.contract import Contract
    from workbench.model.trace import Trace
    from workbench.model.verdict import Signature


def a_header(contract: Contract, signature: Signature) -> Header:
    """Return a header for a contract."""
    return Header(
        id="drawn",
        title="Drawn",
        owner="tests",
        review_date="2027-02-28",
        fix=contract.fix,
        source=CaseSource(kind=SourceKind.INCIDENT, run_id="run-1"),
        signature=signature,
    )


@settings(
    max_examples=50,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a trace shrinks for minutes
)
@given(traces(), contracts())
def test_the_replay_of_a_case_has_the_signature_of_its_trace(
    trace: Trace, contract: Contract
) -> None:
    """A case that fails otherwise than the incident guards against something else."""
    wanted = judge(trace, contract).signature
    assume(wanted)
    try:
        case = build_case(resolve_outcomes(trace), contract, header=a_header(contract, wanted))
    except (ContractError, TraceFormatError) as error:  # or it names a tool that is not there
        event(f"refused: {error.key}")
        assume(False)  # noqa: FBT003  Hypothesis' own signature
        raise

    replayed = judge(replay_path(case, case.recorded), contract).signature

    assert replayed == wanted
