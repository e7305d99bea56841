"""Inspect: the log of an evaluation with its scripted model, in both of its formats."""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from inspect_ai import Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ModelOutput,
    ModelUsage,
    get_model,
)
from inspect_ai.solver import generate, system_message, use_tools
from inspect_ai.tool import ToolCall, ToolError, tool

from tests.producers.scripts.support import scenario

_USAGE = ModelUsage(input_tokens=100, output_tokens=20, total_tokens=120)
"""Given, or a tokenizer is downloaded to count."""


@tool
def lookup_account():
    """Offer the tool."""

    async def execute(account_id: str) -> str:
        """Find an account.

        Args:
            account_id: as on the invoice.
        """
        return str(scenario.run("lookup_account", {"account_id": account_id})[0])

    return execute


@tool
def get_operation():
    """Offer the tool."""

    async def execute(operation_id: str) -> str:
        """Read how far an operation is.

        Args:
            operation_id: as the billing system gave it.
        """
        text, failed = scenario.run("get_operation", {"operation_id": operation_id})
        if failed:
            raise ToolError(text)
        return text

    return execute


def _outputs():
    for turn in scenario.TURNS:
        calls = [ToolCall(id=i, function=name, arguments=args) for i, name, args in turn]
        message = ChatMessageAssistant(content="", tool_calls=calls)
        choice = ChatCompletionChoice(message=message, stop_reason="tool_calls")
        yield ModelOutput(model=scenario.MODEL, choices=[choice], usage=_USAGE)
    message = ChatMessageAssistant(content=scenario.CLAIM)
    choice = ChatCompletionChoice(message=message, stop_reason="stop")
    yield ModelOutput(model=scenario.MODEL, choices=[choice], usage=_USAGE)


def _log(form):
    model = get_model("mockllm/model", custom_outputs=list(_outputs()))
    task = Task(
        dataset=[Sample(input=scenario.TASK)],
        solver=[
            system_message(scenario.SYSTEM),
            use_tools(lookup_account(), get_operation()),
            generate(),
        ],
    )
    with tempfile.TemporaryDirectory() as folder:
        evaluate(task, model=model, log_dir=folder, log_format=form, display="none")
        (found,) = Path(folder).glob(f"*.{form}")
        return {f"log.{form}": found.read_bytes()}


TAKES = {form: partial(_log, form) for form in ("eval", "json")}
