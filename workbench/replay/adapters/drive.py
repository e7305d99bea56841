"""Drives an agent through the user turns of one trial."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from workbench.replay.adapters.process import Failed, Host
from workbench.replay.adapters.sessions import begin
from workbench.replay.issues import IssueKind
from workbench.replay.trial import Limits, Trial, TrialRecord

if TYPE_CHECKING:
    from workbench.model.case import Case, Path as CasePath
    from workbench.model.jsonvalue import JsonMap
    from workbench.replay.adapters.sessions import Session
    from workbench.replay.adapters.specs import AgentSpec
    from workbench.replay.gateway.http import GatewayServer
    from workbench.replay.isolation.levels import Level, Reached
    from workbench.replay.live import Upstream

__all__ = ["Driven", "Setting", "drive"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How trials are run."""

    limits: Limits = field(default_factory=Limits)
    isolate: Level | None = None
    """The strongest level wanted; None: whatever this machine allows."""
    upstream: Upstream | None = None
    """Where model requests go; None: the script answers them. With one the path is `live_path`."""


_PLAIN: Final = Setting()


@dataclass(frozen=True, slots=True, kw_only=True)
class Driven:
    """A finished trial with an agent."""

    record: TrialRecord
    reached: Reached


def drive(
    case: Case,
    path: CasePath,
    *,
    agent: AgentSpec,
    server: GatewayServer,
    run_id: str,
    setting: Setting = _PLAIN,
) -> Driven:
    """Run one path of a case with an agent.

    Args:
        case: the case.
        path: the script.
        agent: what to start.
        server: the running gateway.
        run_id: of this trial; unique among the trials that run now.
        setting: bounds and isolation.

    Raises:
        InputError: the agent cannot be loaded at all.
    """
    trial = Trial(case, path, run_id=run_id, limits=setting.limits, upstream=setting.upstream)
    host = Host(agent=agent, server=server, isolate=setting.isolate)
    with ExitStack() as stack:
        server.gateway.open(trial)
        stack.callback(server.gateway.close, trial)
        session = begin(trial, host, stack)
        try:
            _converse(case, trial, session)
        except Failed as failure:
            if not trial.stopped.is_set():  # else the reason is noted already
                trial.issue(IssueKind.AGENT_ERROR, str(failure))
        finally:
            trial.stopped.set()
    return Driven(record=trial.finish(), reached=session.reached)


def _converse(case: Case, trial: Trial, session: Session) -> None:
    messages: list[JsonMap] = list(case.input.messages)
    for later in chain(((),), trial.script.user_turns()):
        for turn in later:
            trial.user(turn)
            messages.append({"role": "user", "content": turn.user})
        answer = session.ask(messages)
        text, outcome, state = answer.get("text"), answer.get("outcome"), answer.get("state")
        if not isinstance(text, str) or not isinstance(state, dict | None):
            raise Failed("it answered something that is no text")
        try:
            trial.answer(text, outcome=None if outcome is None else str(outcome), state=state)
        except ValueError:
            raise Failed("it claimed an outcome that is no word of the closed list") from None
        messages.append({"role": "assistant", "content": text})
    for turn in trial.script.last_words:
        trial.user(turn)
