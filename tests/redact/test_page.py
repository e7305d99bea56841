"""The worked example of the page about redaction is true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from workbench.casefile.strict_yaml import load_yaml
from workbench.casefile.trace import load_trace, trace_document
from workbench.redact import redact_trace
from workbench.redact.policy import Policy, load_policy

pytestmark = pytest.mark.desk

PAGE = Path(__file__).parents[2] / "docs" / "redaction.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = [
    re.sub(r"(?m)^    ", "", block) for block in re.findall(r"(?m)(?:^    .*\n|^\n(?=    ))+", TEXT)
]
POLICY: Any = load_yaml(BLOCKS[0], name="page")[0]
TRACE = load_trace(json.loads(BLOCKS[1]))
EXPECTED: Any = load_yaml(BLOCKS[2], name="page")[0]
KEY = bytes(range(32))


def test_the_example_comes_out_as_the_page_says() -> None:
    """A reader who copies it sees the same."""
    done = redact_trace(TRACE, policy=load_policy(POLICY), key=KEY, ner="none")
    text = json.dumps(trace_document(done.trace))

    assert list(done.unseen) == EXPECTED["unseen"]
    assert {entry.type for entry in done.ledger if entry.pseudonym} == set(EXPECTED["replaced"])
    assert all(kept in text for kept in EXPECTED["stays"])
    assert "20418" not in text
    assert "Avery" not in text


def test_without_the_file_an_equal_text_is_listed_once() -> None:
    """And one rule at that place settles both."""
    done = redact_trace(TRACE, key=KEY, ner="none")
    notes = [place for place in done.unseen if "note" in place]

    assert notes == ["#3.result.note"]

    policy = load_policy(
        {
            "schema": "redaction/1",
            "decisions": [{"at": notes[0], "decision": "seen", "by": "ada"}],
        }
    )
    again = redact_trace(TRACE, policy=policy, key=KEY, ner="none")
    assert set(again.unseen) == set(done.unseen) - {notes[0]}


def test_every_key_of_the_format_is_on_the_page() -> None:
    """A key that nobody can read about is a key that nobody uses."""
    known = set(Policy.__dataclass_fields__) - {"name"}

    assert {key for key in known if f"`{key}`" not in TEXT} == set()
