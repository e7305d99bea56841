"""A run and the contract it broke become a draft, or a refusal that says why."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.review.runs import CONTRACT, KEY, a_loaded, an_incident
from workbench.casefile.contract import load_contract
from workbench.errors import InputError, RefusedError
from workbench.model.trace import Grade, Loss, Losses, Source
from workbench.review.draft import draft_id, open_draft, require_failure, trace_seal

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

pytestmark = pytest.mark.desk


def test_the_same_question_is_the_same_draft():
    """Same key, same pseudonyms; another contract is another question."""
    trace = an_incident()

    assert draft_id(trace, CONTRACT) == draft_id(an_incident(), CONTRACT)
    assert draft_id(trace, CONTRACT) != draft_id(trace, load_contract({"must_call": ["a.b"]}))
    assert draft_id(trace, CONTRACT) != draft_id(an_incident("other"), CONTRACT)


def test_the_seal_of_a_trace_needs_the_key():
    """A plain digest would let anybody test guesses of the trace's values."""
    trace = an_incident()

    assert trace_seal(trace, KEY) == trace_seal(trace, KEY) != trace_seal(trace, b"x" * 32)
    assert trace_seal(trace, KEY).startswith("hmac:")


def test_a_draft_says_where_it_comes_from():
    """The case carries the store's head, so that a rewritten store shows; no file name."""
    trace = replace(an_incident(), source=Source(file="ada.json", format="trace1"))

    draft = open_draft(a_loaded(trace, head="3-ab"), CONTRACT, key=KEY, incident="INC-7")

    assert (draft.source.run_id, draft.source.store_head) == ("run-7f3a", "3-ab")
    assert (draft.source.imported_from, draft.source.incident) == ("trace1", "INC-7")
    assert draft.source.grade is Grade.REPLAYABLE
    assert draft.raw_signature.clauses == {"max_calls/1", "success_requires/1"}
    assert draft.trace.source is not None
    assert draft.trace.source.file is None
    assert (draft.redaction, draft.shrink) == (None, None)


def test_a_trace_that_was_built_has_no_source():
    """Nothing is made up."""
    draft = open_draft(a_loaded(), CONTRACT, key=KEY)

    assert (draft.source.imported_from, draft.trace.source) == (None, None)


@pytest.mark.parametrize("grade", [Grade.SKELETON, Grade.UNUSABLE])
def test_a_run_that_lost_too_much_is_no_case(grade):
    """Which loss it was is said, so that the recorder can be mended."""
    losses = Losses(
        items=(
            Loss(kind="texts_missing", caps=grade),
            Loss(kind="times_missing", caps=Grade.REPLAYABLE),
        )
    )

    with pytest.raises(InputError, match=f"graded {grade.value}: it lost texts_missing\n  Fix"):
        open_draft(a_loaded(losses=losses), CONTRACT, key=KEY)


def test_a_run_that_keeps_its_contract_is_refused():
    """There is nothing to keep."""
    trace = a_trace(a_user(), a_call("billing.pause"), run_id="fine")

    with pytest.raises(RefusedError, match="does not break this contract"):
        open_draft(a_loaded(trace), load_contract({"max_calls": {"billing.pause": 1}}), key=KEY)


def test_a_clause_that_cannot_be_known_is_refused_unless_listed():
    """A case with a clause that nobody understands would rot."""
    trace = a_trace(a_user(), a_call("billing.pause"), a_call("billing.pause"), a_claim("Hm."))
    document: JsonMap = {
        "max_calls": {"billing.pause": 1},
        "success_requires": [{"tool": "billing.get", "pred": "status == 1"}],
    }
    listed: JsonMap = document | {
        "unproven": [{"clause": "success_requires/1", "reason": "not yet"}]
    }

    with pytest.raises(RefusedError, match=r"inconclusive on this run\n  - success_requires/1: "):
        require_failure(trace, load_contract(document))
    assert require_failure(trace, load_contract(listed)).signature.clauses == {"max_calls/1"}
