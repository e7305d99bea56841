"""An oracle that replays: does this trace still fail when only its fixtures answer?"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from workbench.casefile.build import build_case
from workbench.check.judge import judge
from workbench.check.outcomes import resolve_outcomes
from workbench.replay.scripted import replay_path

if TYPE_CHECKING:
    from workbench.check.oracle import Oracle
    from workbench.model.case import Header
    from workbench.model.contract import Contract
    from workbench.model.trace import Trace
    from workbench.model.verdict import Verdict

__all__ = ["replay_oracle"]


def replay_oracle(contract: Contract, header: Header) -> Oracle:
    """Return an oracle that judges the replay of a case built from the trace; picklable."""
    return partial(_judge_replay, contract=contract, header=header)


def _judge_replay(trace: Trace, *, contract: Contract, header: Header) -> Verdict:
    case = build_case(resolve_outcomes(trace), contract, header=header)
    return judge(replay_path(case, case.recorded), contract)
