"""The tools as the OpenAI Agents SDK has them."""

from __future__ import annotations

from agents import function_tool

from tests.clients_own.support.functions import FUNCTIONS

TOOLS = [function_tool(function) for function in FUNCTIONS]
