"""Flags of `workbench ingest FILE...`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.cli.flags.shared import add_json, add_store, add_tools

if TYPE_CHECKING:
    from argparse import ArgumentParser

__all__ = ["FORMATS", "WORK", "add_arguments"]

FORMATS: Final = (
    "trace1",
    "results",
    "openai_chat",
    "anthropic_messages",
    "tau_bench",
    "tau2_bench",
    "agentdojo",
    "otlp",
    "langsmith",
    "langfuse",
    "langchain",
    "langchain_events",
    "openai_responses",
    "agents_run_state",
    "agents_spans",
    "managed_agents",
    "http_cassette",
    "agent_framework",
    "autogen_stream",
    "autogen_state",
    "autogen_log",
    "crewai",
    "pydantic_ai",
    "swe_agent",
    "mini_swe_agent",
    "openhands",
    "openhands_events",
    "claude_code",
    "inspect",
    "google_adk",
    "google_adk_case",
    "whowhen",
)
"""Names of the bundled formats: loading their importers takes longer than all else that help needs."""
WORK: Final = "workbench.cli.ingest"


def add_arguments(parser: ArgumentParser) -> None:
    """State the flags."""
    parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="trace files")
    parser.add_argument(
        "--format",
        default="auto",
        metavar="FORMAT",
        help=f"of the files: auto, {', '.join(FORMATS)}, or one that another package adds",
    )
    parser.add_argument(
        "--explain",
        metavar="RUN",
        help="say also what this run lost (without a FILE: `workbench doctor RUN`)",
    )
    add_tools(parser)
    add_store(parser)
    add_json(parser)
