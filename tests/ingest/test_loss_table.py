"""Every loss that any importer can name says what brings it back, or that nothing does.

The kinds are read off the sources, so that a new one without a remedy is found here.
"""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Final

import pytest

import workbench.ingest
from workbench.ingest.events.losses import counted_losses

pytestmark = pytest.mark.desk

NOTHING_BRINGS_BACK: Final = {
    "args_as_literal": "the arguments are there; only their form is odd",
    "args_not_exact": "the format has no text of arguments",
    "args_not_json": "what the model wrote is there, byte for byte",
    "calls_written_as_text": "the agent has no other form",
    "conversations_mixed": "nothing is missing",
    "demonstrations_left_out": "they are no acts of the run",
    "branches_left_out": "a person left them; they are no part of the conversation",
    "injected_context_left_out": "they are in raw, and no act of the run",
    "requests_failed": "the provider refused them; nobody answered",
    "requests_skipped": "they are no chats",
    "results_from_cache": "the tool did not run",
    "lone_surrogates": "no UTF-8 text can hold them",
    "records_joined": "nothing is missing",
    "results_as_literal": "the results are there; only their form is odd",
    "results_reused": "the record itself has two",
    "results_too_deep": "the text is there",
    "spans_repeated": "nothing is missing",
    "unreadable": "the reason stands there",
}
"""Kind -> why it has no remedy."""


def losses_in_sources() -> dict[str, list[bool]]:
    """Kind -> for each place that makes such a loss, whether it gives a remedy."""
    found: dict[str, list[bool]] = {}
    for path in sorted(Path(workbench.ingest.__file__).parent.rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        names = {
            node.target.id: node.value
            for node in tree.body
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or getattr(node.func, "id", "") != "Loss":
                continue
            given = {word.arg: word.value for word in node.keywords}
            kind = given.get("kind")
            kind = names.get(kind.id) if isinstance(kind, ast.Name) else kind
            if isinstance(kind, ast.Constant) and isinstance(kind.value, str):
                found.setdefault(kind.value, []).append("fix" in given)
    return found


def counted_kinds() -> dict[str, str]:
    """Kinds of the table of counted losses, with their remedies."""
    from workbench.ingest.events import losses

    return {loss.kind: loss.fix for kind in losses._COUNTED for loss in counted_losses({kind: 1})}


def test_every_loss_has_a_remedy_or_a_reason_for_none() -> None:
    """A person who reads what is missing wants to know what to change."""
    bare = {kind for kind, fixes in losses_in_sources().items() if not all(fixes)}
    bare |= {kind for kind, fix in counted_kinds().items() if not fix}

    assert bare == NOTHING_BRINGS_BACK.keys()
