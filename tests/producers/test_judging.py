"""What is said of producers can fail, and the document is of the versions that are locked."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.corpus.generated import Row
from tests.producers.judging import Emission, problems, read_all
from tests.producers.scripts.support import scenario
from tests.producers.takes import PRODUCERS
from tools.environments import ROOT
from tools.producers import DOCUMENT, environment_of
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from pathlib import Path

    from tests.producers.judging import Read

_ROW = Row(
    file="chat.json",
    format="openai_chat",
    lost={"mark": "errors_unmarked"},
    also=frozenset({"no_timestamps"}),
)


@pytest.fixture
def runs(tmp_path: Path) -> list[Read]:
    """The scenario as a chat that kept everything but the mark of the error."""
    answers = iter(
        ['{"status": "active"}', '{"error": "504"}', '{"status": "pending"}'],
    )
    messages: list[object] = [
        {"role": "system", "content": scenario.SYSTEM},
        {"role": "user", "content": scenario.TASK},
    ]
    for turn in scenario.TURNS:
        calls = [
            {"id": i, "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
            for i, name, args in turn
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": calls})
        messages += [
            {"role": "tool", "tool_call_id": i, "content": next(answers)} for i, _, _ in turn
        ]
    messages.append({"role": "assistant", "content": scenario.CLAIM})
    (tmp_path / "chat.json").write_text(json.dumps(messages), "utf-8")
    return read_all(tmp_path, Emission(row=_ROW))


def test_what_is_as_expected_has_no_problem(runs: list[Read]) -> None:
    """The scripts' scenario is the one that facets are read from."""
    assert list(problems(runs, Emission(row=_ROW))) == []


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (replace(_ROW, lost={}), "missing [('mark 2', 'error')]"),
        (replace(_ROW, lost={**_ROW.lost, "claim": "x"}), "claim is there after all"),
        (replace(_ROW, lost={**_ROW.lost, "order": "x"}), "the order is there after all"),
        (replace(_ROW, also=frozenset()), "losses ['errors_unmarked', 'no_timestamps']"),
        (replace(_ROW, grade=Grade.SKELETON), "is replayable; expected skeleton"),
        (replace(_ROW, format="tau_bench"), "read as openai_chat; expected tau_bench"),
        (replace(_ROW, runs=2), "1 runs; expected 2"),
    ],
)
def test_what_is_not_as_expected_is_named(runs: list[Read], row: Row, said: str) -> None:
    """A new loss is as bad as a lost one: somebody has to look at it."""
    assert any(problem.startswith(said) for problem in problems(runs, Emission(row=row)))


def test_spans_and_permissions_that_nobody_expected_are_named(runs: list[Read]) -> None:
    """A span in no dialect is what a new version of a recorder looks like."""
    strange = replace(runs[0], dialects=frozenset({"genai"}), strangers=frozenset({"rerank"}))
    emission = Emission(row=_ROW, decisions=("denied",))

    found = list(problems([strange], emission))

    assert found == [
        "spans in ['genai']; expected []",
        "spans in no dialect: ['rerank']; expected []",
        "permissions (); expected ('denied',)",
    ]


def test_no_run_is_a_problem() -> None:
    """An emission that nobody could read is not fine."""
    assert list(problems([], Emission(row=_ROW))) == ["0 runs; expected 1"]


@pytest.mark.parametrize("producer", PRODUCERS, ids=lambda producer: producer.name)
def test_the_document_is_of_the_locked_versions(producer) -> None:
    """After `make producers` with new locks the table has to be written again."""
    text = DOCUMENT.read_text("utf-8")

    for name, version in environment_of(producer).versions().items():
        assert f"{name} {version}" in text
    script = ROOT / "tests" / "producers" / "scripts" / f"{producer.script or producer.name}.py"
    assert script.is_file()
