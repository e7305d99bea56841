"""Arguments that were cut off or masked, and what became of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from tests.incidents.incident import Incident
from workbench.model.event import CallError, Outcome
from workbench.model.trace import Effect, Tool

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

__all__ = ["INCIDENTS"]

WRITE, READ, PERMANENT = Effect.WRITE, Effect.READ, Outcome.PERMANENT

# --- 3: cut-off arguments reached the tool as an empty mapping -------------------------

MEMO: JsonMap = {"folder": "minutes", "body": "Agreed: the fair opens in May."}
CUT = '{"folder": "minutes", "body": "Agreed: the fa'
PROBLEM = CallError(type="ValueError", message="a folder is needed")
MEMO_TOOLS = (
    Tool(
        name="memo.save",
        effect=WRITE,
        schema={"type": "object", "required": ["folder", "body"]},
    ),
)
ORDER = "Save what we agreed on in the folder for minutes."

CUT_ARGUMENTS = Incident(
    number=3,
    name="cut-off arguments were dispatched as nothing",
    contract={"args": {"memo.save": {"type": "object", "required": ["folder", "body"]}}},
    wrong=a_trace(
        a_user(ORDER),
        a_call("memo.save", outcome=PERMANENT, args_raw=CUT, error=PROBLEM),
        a_claim("The folder does not exist, so nothing could be saved."),
        tools=MEMO_TOOLS,
    ),
    right=a_trace(
        a_user(ORDER),
        a_call("memo.save", args=MEMO, result={"saved": True}),
        a_claim("The memo was saved."),
        tools=MEMO_TOOLS,
    ),
    caught_by="args",
)

# --- 4: cut-off arguments ended the loop ------------------------------------------------

LOOP_ENDED = Incident(
    number=4,
    name="cut-off arguments ended the run without an answer",
    contract={"finishes": True},
    wrong=a_trace(
        a_user(ORDER),
        a_call("memo.save", outcome=Outcome.MISSING, args_raw=CUT),
        tools=MEMO_TOOLS,
    ),
    right=a_trace(
        a_user(ORDER),
        a_call("memo.save", outcome=PERMANENT, args_raw=CUT, error=PROBLEM),
        a_call("memo.save", args=MEMO, result={"saved": True}),
        a_claim("The memo was saved."),
        tools=MEMO_TOOLS,
    ),
    caught_by="finishes",
)

# --- 20: the mask of a transcript came back as a value ----------------------------------

FILES = {"archive.open": READ}
UNKNOWN_KEY = CallError(status=400, message="that key opens nothing")

MASKED_VALUE = Incident(
    number=20,
    name="a mask from an earlier transcript was used as the value",
    contract={
        "forbid_call": [{"tool": "archive.open", "where": ['key matches "^[*]+$"']}],
        "limits": {"identical_calls": 2},
    },
    wrong=a_trace(
        a_user("Open the box again that we opened yesterday."),
        *[a_call("archive.open", outcome=None, args={"key": "*****"}, error=UNKNOWN_KEY)] * 3,
        a_claim("I could not open it."),
        tools=FILES,
    ),
    right=a_trace(
        a_user("Open the box again that we opened yesterday."),
        a_turn(text="Which key does it have?"),
        a_user("box-19-c"),
        a_call("archive.open", args={"key": "box-19-c"}, result={"letters": 4}),
        a_claim("There are 4 letters in it."),
        tools=FILES,
    ),
    caught_by="forbid_call",
)

INCIDENTS = (CUT_ARGUMENTS, LOOP_ENDED, MASKED_VALUE)
