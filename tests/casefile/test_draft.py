"""`draft/1`: every step reads one and writes one, for its owner alone."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings

from tests.builders import a_call, a_trace, a_user
from tests.casefile.samples import a_case
from tests.strategies import contracts, traces
from workbench.casefile.contract import load_contract
from workbench.casefile.draft import draft_document, load_draft, parse_draft, save_draft
from workbench.casefile.place import Place
from workbench.errors import CaseFormatError, InputError
from workbench.model.draft import Draft, DraftSource
from workbench.model.trace import Grade
from workbench.model.verdict import First, Signature

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.contract import Contract
    from workbench.model.jsonvalue import JsonMap
    from workbench.model.trace import Trace


def a_draft() -> Draft:
    """Return a draft with everything in it."""
    case = a_case()
    return Draft(
        draft="d-5b1e07",
        source=DraftSource(
            run_id="run-1", trace_digest="hmac:00", grade=Grade.REPLAYABLE, incident="INC-1"
        ),
        raw_signature=Signature(
            clauses=frozenset({"forbid_call/1"}),
            first=First(clause="forbid_call/1", kind="tool_call", tool="x", outcome="ok"),
        ),
        trace=a_trace(a_user("Hello \ud800 \u2028"), a_call("x")),
        contract=load_contract({"forbid_call": ["x"], "fix": "code"}),
        redaction=case.redaction,
        trigger=case.trigger,
        shrink=case.shrink,
    )


def changed(**fields: object) -> JsonMap:
    """Return the draft's document with fields changed; None for a removed one."""
    document = json.loads(json.dumps(draft_document(a_draft())))
    document.update(fields)
    return {name: item for name, item in document.items() if item != "GONE"}


def test_a_draft_is_read_as_it_was_written(tmp_path: Path) -> None:
    """Also a text that is no Unicode, as a broken exporter may write it."""
    path = tmp_path / "d.json"

    save_draft(a_draft(), path)

    assert load_draft(path) == a_draft()


def test_a_raw_draft_says_so() -> None:
    """`redaction: null` is what export looks at."""
    document = draft_document(replace(a_draft(), redaction=None, shrink=None, trigger=()))

    assert document["redaction"] is None
    assert document["shrink"] is None
    assert parse_draft(document, place=Place(name="d")).redaction is None


def test_only_the_owner_may_read_a_draft_and_saving_replaces_it_whole(tmp_path: Path) -> None:
    """It may hold a raw trace; a half-written one would lose the review."""
    path = tmp_path / "d.json"
    path.write_text("old")
    path.chmod(0o644)

    save_draft(a_draft(), path)

    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in tmp_path.iterdir()] == ["d.json"]


def test_a_draft_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    """And leaves nothing behind."""
    with pytest.raises(CaseFormatError, match="cannot be written"):
        save_draft(a_draft(), tmp_path / "none" / "d.json")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(traces(), contracts())
def test_any_trace_and_contract_travel_in_a_draft(trace: Trace, contract: Contract) -> None:
    """The steps compose: what one writes the next one reads."""
    draft = replace(a_draft(), trace=trace, contract=contract)

    document = json.loads(json.dumps(draft_document(draft)))

    assert parse_draft(document, place=Place(name="d")) == draft


@pytest.mark.parametrize(
    ("document", "key", "words"),
    [
        (changed(schema="draft/2"), "schema", "expected draft/1"),
        (changed(draft="../x"), "draft", "expected d- and hex digits"),
        (changed(draft=5), "draft", "expected d- and hex digits"),
        (changed(trce=1), "trce", "write trace"),
        (changed(zzz=1), "zzz", "remove it"),
        (changed(source="GONE"), "source", "is missing"),
        (changed(source={}), "source.run_id", "is missing"),
        (changed(contract={"must_cal": []}), "contract.must_cal", "write must_call"),
        (changed(contract={"fix": "x", "finishes": True}), "contract.fix", "expected one of"),
        (changed(trace={}), "trace.schema", "expected trace/1"),
        (changed(redaction=[]), "redaction", "expected a mapping"),
        (changed(raw_signature={}), "raw_signature", "expected a mapping of `clauses`"),
    ],
)
def test_a_broken_draft_is_named_at_its_place(document: JsonMap, key: str, words: str) -> None:
    """Each step trusts what it reads."""
    with pytest.raises(InputError) as caught:
        parse_draft(document, place=Place(name="d.json"))

    assert caught.value.key == key
    assert words in str(caught.value)


def test_what_is_no_mapping_is_no_draft() -> None:
    """A list of drafts is none."""
    with pytest.raises(CaseFormatError, match="expected a draft/1 mapping"):
        parse_draft([], place=Place(name="d"))
