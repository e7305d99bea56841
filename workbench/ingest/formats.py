"""The table of formats, and how a record is recognised.

A record is recognised by its shape, never by its file's name. Two chat formats can look alike;
then the file's other records decide, and when they cannot either, the reader asks.

Another package adds a format by an entry point in the group `workbench.importers` whose object
is a `Format`. Such packages are loaded when a file is read, not before.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Final

from workbench.casefile.place import nearest
from workbench.errors import InputError
from workbench.ingest.importers.agent_framework import FORMAT as AGENT_FRAMEWORK
from workbench.ingest.importers.agentdojo import FORMAT as AGENTDOJO
from workbench.ingest.importers.agents_run_state import FORMAT as AGENTS_RUN_STATE
from workbench.ingest.importers.agents_spans import FORMAT as AGENTS_SPANS
from workbench.ingest.importers.anthropic_messages import FORMAT as ANTHROPIC_MESSAGES
from workbench.ingest.importers.autogen import STATE as AUTOGEN_STATE, STREAM as AUTOGEN_STREAM
from workbench.ingest.importers.autogen_log import FORMAT as AUTOGEN_LOG
from workbench.ingest.importers.cassettes import FORMAT as HTTP_CASSETTE
from workbench.ingest.importers.claude_code import FORMAT as CLAUDE_CODE
from workbench.ingest.importers.crewai import FORMAT as CREWAI
from workbench.ingest.importers.google_adk import CASE as GOOGLE_ADK_CASE, SESSION as GOOGLE_ADK
from workbench.ingest.importers.inspect_log import FORMAT as INSPECT
from workbench.ingest.importers.langchain import FORMAT as LANGCHAIN
from workbench.ingest.importers.langchain_events import FORMAT as LANGCHAIN_EVENTS
from workbench.ingest.importers.langfuse import FORMAT as LANGFUSE
from workbench.ingest.importers.langsmith import FORMAT as LANGSMITH
from workbench.ingest.importers.managed_agents import FORMAT as MANAGED_AGENTS
from workbench.ingest.importers.mini_swe_agent import FORMAT as MINI_SWE_AGENT
from workbench.ingest.importers.native import FORMAT as NATIVE
from workbench.ingest.importers.openai_chat import FORMAT as OPENAI_CHAT
from workbench.ingest.importers.openai_responses import FORMAT as OPENAI_RESPONSES
from workbench.ingest.importers.openhands import EVENTS as OPENHANDS_EVENTS, FORMAT as OPENHANDS
from workbench.ingest.importers.pydantic_ai import FORMAT as PYDANTIC_AI
from workbench.ingest.importers.results_record import FORMAT as RESULTS
from workbench.ingest.importers.swe_agent import FORMAT as SWE_AGENT
from workbench.ingest.importers.tau import TAU2_BENCH, TAU_BENCH
from workbench.ingest.importers.whowhen import FORMAT as WHOWHEN
from workbench.ingest.otlp.read import FORMAT as OTLP
from workbench.ingest.records.format import Format
from workbench.ingest.records.format_index import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from workbench.model.jsonvalue import Json

__all__ = ["AUTO", "FORMATS", "candidates", "checked_format", "format_index", "known_formats"]

AUTO: Final = "auto"
GROUP: Final = "workbench.importers"

FORMATS: Final[dict[str, Format]] = {
    entry.name: entry
    for entry in (
        NATIVE,
        RESULTS,
        OPENAI_CHAT,
        ANTHROPIC_MESSAGES,
        TAU_BENCH,
        TAU2_BENCH,
        AGENTDOJO,
        OTLP,
        LANGSMITH,
        LANGFUSE,
        LANGCHAIN,
        LANGCHAIN_EVENTS,
        OPENAI_RESPONSES,
        AGENTS_RUN_STATE,
        AGENTS_SPANS,
        MANAGED_AGENTS,
        HTTP_CASSETTE,
        AGENT_FRAMEWORK,
        AUTOGEN_STREAM,
        AUTOGEN_STATE,
        AUTOGEN_LOG,
        CREWAI,
        PYDANTIC_AI,
        SWE_AGENT,
        MINI_SWE_AGENT,
        OPENHANDS,
        OPENHANDS_EVENTS,
        CLAUDE_CODE,
        INSPECT,
        GOOGLE_ADK,
        GOOGLE_ADK_CASE,
        WHOWHEN,
    )
}
"""Our own formats by name, in the order in which they are shown."""


@cache
def known_formats() -> Mapping[str, Format]:
    """Return our formats and those of installed packages, by name.

    Raises:
        InputError: an installed importer cannot be loaded, or is none.
    """
    return {**FORMATS, **_loaded(entry_points(group=GROUP))}


@cache
def format_index() -> Callable[[Json], tuple[Format, ...]]:
    """Return a function that says which of the known formats a record may have by its keys.

    Raises:
        InputError: as `known_formats`.
    """
    return index_of(known_formats().values())


def _loaded(found: Iterable[EntryPoint]) -> dict[str, Format]:
    formats: dict[str, Format] = {}
    for point in sorted(found):
        try:
            entry = point.load()
        except Exception as error:  # noqa: BLE001  a stranger's module may raise anything
            raise _unfit(point, f"cannot be loaded: {type(error).__name__}") from None
        if not isinstance(entry, Format):
            raise _unfit(point, f"is a {type(entry).__name__}; expected a Format")
        if entry.name in FORMATS or entry.name in formats or entry.name == AUTO:
            raise _unfit(point, f"has the name {entry.name!r}, which is taken")
        formats[entry.name] = entry
    return formats


def _unfit(point: EntryPoint, reason: str) -> InputError:
    package = "unknown" if point.dist is None else point.dist.name
    return InputError(
        f"importer {point.name!r} of package {package!r} {reason}",
        key=GROUP,
        fix=f"mend or uninstall {package}",
    )


def checked_format(name: str) -> str:
    """Return `name` if it is `auto` or a format.

    Raises:
        InputError: it is neither.
    """
    known = (AUTO, *known_formats())
    if name in known:
        return name
    near = nearest(name, known)
    raise InputError(
        f"{name!r} is no format; expected auto, or one of {len(known) - 1} formats",
        key="--format",
        fix="`workbench ingest --help` lists them" if near is None else f"--format {near}",
    )


def candidates(record: Json, *, wanted: str = AUTO) -> tuple[str, ...]:
    """Return the formats that `record` may have: those that own it, else those that could.

    Args:
        record: of a file.
        wanted: the only format that counts, or `auto`.
    """
    possible = format_index()(record)
    special = [one for one in possible if not one.general and one.owns(record)]
    if wanted != AUTO:
        entry = known_formats()[wanted]
        hidden = entry.general and special
        return (wanted,) if entry.recognises(record) and not hidden else ()
    found = special or [one for one in possible if one.general and one.owns(record)]
    found = found or [one for one in possible if one.recognises(record)]
    return tuple(entry.name for entry in found)
