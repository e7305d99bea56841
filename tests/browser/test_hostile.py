"""The hostile run of the browser tests has markup wherever a recorder can put a text."""

from __future__ import annotations

import pytest

from tests.browser.hostile import CANARY, a_hostile_run, payload
from tests.ui.text_fields import fields_with, text_fields

pytestmark = pytest.mark.desk

ONE_FIELD = {"agent", "at", "source_ref"}
"""Of all kinds of events: one of them is enough."""
CLOSED = {"Source.format"}
"""A name of ours."""


def test_every_text_of_a_run_is_hostile():
    """A field that is new in the format is tried from its first day."""
    held = fields_with(CANARY, a_hostile_run(payload("run")))

    without = text_fields() - held - CLOSED
    assert {name for name in without if name.partition(".")[2] not in ONE_FIELD} == set()
    assert {name.partition(".")[2] for name in held} >= ONE_FIELD
