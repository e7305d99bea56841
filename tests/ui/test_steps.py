"""Redaction and shrinking of an incident, opened from its review."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.ui.review_builders import CONTRACT, TRACE, a_vault
from tests.ui.stores import a_store
from workbench.casefile.draft import load_draft
from workbench.errors import InputError
from workbench.review.incident import Incident, open_draft
from workbench.ui.controllers.steps import redacted_path, redaction_of, shrink_of, small_path

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk


def an_incident(folder: Path) -> Incident:
    """Return the review of a stored run."""
    store = a_store(folder / "store", TRACE)
    return open_draft(TRACE.run_id, store=store, reviewer="Ana")


def test_an_incident_goes_from_raw_to_redacted_to_small(tmp_path: Path) -> None:
    """Each step reads what the one before wrote, beside the store."""
    incident = an_incident(tmp_path)
    redaction = redaction_of(incident, CONTRACT, vault=a_vault(tmp_path), ner="none")
    redaction.write()
    redaction.wait()

    shrink = shrink_of(incident)
    shrink.start()
    shrink.wait()

    assert (redaction.failure, shrink.failure) == (None, None)
    assert load_draft(redacted_path(incident)).redaction is not None
    assert load_draft(small_path(incident)).shrink is not None
    assert redaction.reviewer == shrink.reviewer == "Ana"


def test_a_raw_incident_is_not_shrunk(tmp_path: Path) -> None:
    """Redaction comes first; a raw trace would never be exported."""
    with pytest.raises(InputError, match="is not redacted yet"):
        shrink_of(an_incident(tmp_path))
