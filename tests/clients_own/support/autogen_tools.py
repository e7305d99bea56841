"""The tools as AutoGen has them."""

from __future__ import annotations

from autogen_core.tools import FunctionTool

from tests.clients_own.support.functions import FUNCTIONS

TOOLS = [FunctionTool(function, function.__doc__ or "") for function in FUNCTIONS]
