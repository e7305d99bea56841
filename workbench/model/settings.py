"""What a repository says once, in `workbench.toml`, instead of in every command.

Source:
    design page 00, "Surfaces". `casefile.settings` reads it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.model.event import Outcome
from workbench.model.jsonvalue import JsonMap
from workbench.model.trace import Effect

__all__ = [
    "AgentSettings",
    "Folders",
    "OutcomeSetting",
    "ReviewSettings",
    "Settings",
    "ToolSetting",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentSettings:
    """The agent under test."""

    spec: str | None = None
    """As for `--agent`."""
    version: str | None = None
    usd_per_million_input: float | None = None
    """Price of a million tokens that the model reads, for `--budget-usd`."""
    usd_per_million_output: float | None = None
    """Price of a million tokens that the model writes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSetting:
    """What a person declares of one tool."""

    effect: Effect | None = None
    local: bool = False
    """Runs for real in a replay; only for `effect = "pure"`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutcomeSetting:
    """A rule that reads an outcome off a result."""

    tool: str
    """Glob."""
    when: tuple[str, ...]
    """Predicates on the result; all must hold."""
    outcome: Outcome
    detail: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Where things lie, relative to the settings file."""

    cases: str = "cases"
    store: str = "parquet_store"
    keys: str | None = None
    """None: the user's data folder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewSettings:
    """Who reviews, and how early a case is due."""

    owners: tuple[str, ...] = ()
    """Known owners; empty: any."""
    lead_days: int = 14


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All of `workbench.toml`."""

    agent: AgentSettings = AgentSettings()
    tools: dict[str, ToolSetting] = field(default_factory=dict)
    claims: JsonMap = field(default_factory=dict)
    """As `claims` in a contract."""
    outcomes: tuple[OutcomeSetting, ...] = ()
    folders: Folders = Folders()
    review: ReviewSettings = ReviewSettings()

    @property
    def effects(self) -> dict[str, Effect]:
        """Declared effect by tool name."""
        return {name: tool.effect for name, tool in self.tools.items() if tool.effect is not None}
