"""A trigger that a person names must be somewhere in the trace."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_trace, a_user
from workbench.casefile.contract import load_contract
from workbench.errors import InputError
from workbench.model.event import Outcome, ToolCall
from workbench.redact import redact_trace

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json, JsonMap

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


@pytest.mark.parametrize("end", ["finishes/1", "wrap_up"])
def test_where_only_the_end_is_wrong_early_failures_are_no_trigger(end: str):
    """A run that stops without a word is not made to by a look-up that failed long before."""
    lost = a_call("crm.get", args={"account_id": "ACC-1234567"}, outcome=Outcome.PERMANENT)
    late = a_call("crm.put", args={"account_id": "ACC-7654321"}, outcome=Outcome.MISSING)
    trace = a_trace(a_user("do it"), lost, a_call("crm.list", args={"n": 1}), late)
    names: JsonMap = {"names": {"finishes/1": end}} if end != "finishes/1" else {}

    def triggers(**contract: Json) -> set[str]:
        redaction = redact_trace(
            trace, contract=load_contract(contract | names), key=KEY, ner="none"
        )
        return {note.at for note in redaction.trigger if "account_id" in note.at}

    early, last = (
        f"#{e.seq}.args.account_id"
        for e in trace.events
        if isinstance(e, ToolCall) and isinstance(e.args, dict) and "account_id" in e.args
    )
    assert triggers(finishes=True) == {last}
    assert triggers(finishes=True, forbid_call=["crm.list"]) == {early, last}
