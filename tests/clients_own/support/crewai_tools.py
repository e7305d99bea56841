"""The tools as CrewAI has them."""

from __future__ import annotations

from crewai.tools import tool

from tests.clients_own.support.functions import FUNCTIONS

TOOLS = [tool(function.__name__)(function) for function in FUNCTIONS]
