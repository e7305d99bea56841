"""A trigger that a person names must be somewhere in the trace."""

from __future__ import annotations

import pytest

from tests.builders import a_call, a_trace, a_user
from workbench.errors import InputError
from workbench.redact import redact_trace

KEY = bytes(range(32))


@pytest.mark.parametrize("place", ["bogus", "#999.text", "no.such_tool:args.account_id"])
def test_a_trigger_that_is_nowhere_is_an_error(place: str):
    """A mistyped place would leave its value without the protection that was asked for."""
    trace = a_trace(
        a_user("pause it"), a_call("billing.pause", args={"account_id": "ACC-1234567 "})
    )

    with pytest.raises(InputError, match="names no value of this trace") as caught:
        redact_trace(trace, key=KEY, ner="none", trigger=(place,))

    assert "Fix:" in str(caught.value)
    assert caught.value.key == place


def test_a_trigger_that_is_there_is_taken():
    """By tool, for all its calls."""
    trace = a_trace(
        a_user("pause it"), a_call("billing.pause", args={"account_id": "ACC-1234567 "})
    )

    redaction = redact_trace(trace, key=KEY, ner="none", trigger=("billing.pause:args.account_id",))

    assert [note.facts for note in redaction.trigger if "account_id" in note.at]
