"""What agent frameworks' own logs and states keep of the scenario, and what they lose."""

from __future__ import annotations

from tests.corpus.generated import Row
from workbench.model.trace import Grade

__all__ = ["FRAMEWORKS"]

_NO_SYSTEM = {"system": "system_missing"}
"""AutoGen hands the system text to the model and to nobody else."""

_TEXT_TOOLS = {
    "order": "calls_written_as_text",
    "result 2": "hidden_retry_possible",
    "mark 2": "hidden_retry_possible",
    "args 3": "calls_written_as_text",
}
"""CrewAI's text path makes one call a turn; the failed try has no event, and what is logged as the
third call is one that this model wrote with a blank in its argument."""

FRAMEWORKS = (
    Row(file="autogen.run_stream.jsonl", format="autogen_stream", lost=_NO_SYSTEM),
    Row(file="autogen.team_state.json", format="autogen_state", lost=_NO_SYSTEM),
    Row(
        file="autogen.event_log.json",
        format="autogen_log",
        lost=_NO_SYSTEM,
        also=frozenset({"failed_calls_not_logged", "messages_not_serialized"}),
    ),
    Row(file="crewai.openai.event_log.json", format="crewai"),
    Row(
        file="crewai.event_log.json",
        format="crewai",
        grade=Grade.NEEDS_FIXTURES,
        lost=_TEXT_TOOLS,
    ),
    Row(file="pydantic-ai.messages.json", format="pydantic_ai"),
)
