"""The tools as LangChain has them."""

from __future__ import annotations

from langchain_core.tools import tool

from tests.clients_own.support.functions import FUNCTIONS

TOOLS = [tool(function) for function in FUNCTIONS]
