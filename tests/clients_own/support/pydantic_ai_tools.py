"""The tools as Pydantic AI has them."""

from __future__ import annotations

from pydantic_ai.toolsets import FunctionToolset

from tests.clients_own.support.functions import FUNCTIONS

TOOLSET = FunctionToolset(list(FUNCTIONS))
