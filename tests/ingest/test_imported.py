"""One record to what the store keeps; a record that an importer breaks on costs itself only."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.ingest.importers.test_cassettes import a_run as a_cassette
from tests.ingest.samples import an_anthropic_chat, an_openai_chat, read, write_lines
from workbench.errors import MissingExtraError
from workbench.ingest import formats
from workbench.ingest.imported import BROKE
from workbench.model.trace import Grade

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk


def broken_by(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Let the importer of OpenAI chats raise."""

    def read_it(*_: object, **__: object) -> Any:  # noqa: ANN401
        raise error

    entry = replace(formats.FORMATS["openai_chat"], read=read_it)
    monkeypatch.setitem(formats.FORMATS, "openai_chat", entry)
    formats.known_formats.cache_clear()


@pytest.fixture(autouse=True)
def _fresh_table() -> Any:  # noqa: ANN401
    yield
    formats.known_formats.cache_clear()


def test_a_bug_of_an_importer_costs_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ten thousand runs must not be lost for one; the bytes are kept and the reason is named."""
    broken_by(monkeypatch, KeyError("text of a trace"))
    path = write_lines(tmp_path / "runs.jsonl", an_openai_chat(), an_anthropic_chat())

    bad, good = read(path)

    assert bad.trace is None
    assert bad.losses.grade is Grade.UNUSABLE
    assert bad.parse_error == f"runs.jsonl:1: {BROKE}KeyError"
    assert json.loads(bad.raw) == an_openai_chat()
    assert good.trace is not None


def test_a_missing_package_is_no_bug(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its message says what to install; to store the file as unusable would hide that."""
    missing = MissingExtraError("demo", needed_for="demo files", extra="desk")
    broken_by(monkeypatch, missing)

    with pytest.raises(MissingExtraError):
        read(write_lines(tmp_path / "runs.jsonl", an_openai_chat()))


def test_a_block_whose_kind_is_no_text_is_no_crash(tmp_path: Path) -> None:
    """Found by damaging files."""
    chat: Any = an_anthropic_chat()
    for message in chat["messages"]:
        if isinstance(message["content"], list):
            message["content"].append({"type": {}, "text": "x"})

    (run,) = read(write_lines(tmp_path / "a.jsonl", chat))

    assert BROKE not in (run.parse_error or "")


@pytest.mark.parametrize("date", ["Fri, 99999999999999999999 May 2026 10:00:00 GMT", "x", "", 5])
def test_a_date_that_is_none_is_left_out(tmp_path: Path, date: object) -> None:
    """Found by damaging files."""
    cassette: Any = a_cassette()
    for exchange in cassette["interactions"]:
        exchange["response"]["headers"] = {"Date": [date]}

    (run,) = read(write_lines(tmp_path / "a.jsonl", cassette))

    assert run.trace is not None
    assert not any(event.at for event in run.trace.events)
