"""Runs that went round in circles."""

from __future__ import annotations

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.incidents.incident import Incident
from workbench.model.event import CallError, Outcome
from workbench.model.trace import Effect

__all__ = ["INCIDENTS"]

READ, WRITE, PERMANENT = Effect.READ, Effect.WRITE, Outcome.PERMANENT

# --- 5: the error did not say what was wrong --------------------------------------------

PARCELS = {"parcel.track": READ}
UNFIT = CallError(type="ParseError", message="input could not be read")

BLIND_RETRIES = Incident(
    number=5,
    name="an error without content was answered by the same call",
    contract={"limits": {"identical_calls": 2}, "finishes": True},
    wrong=a_trace(
        a_user("Where is parcel P-556?"),
        *[a_call("parcel.track", outcome=PERMANENT, args={"nr": "P-556"}, error=UNFIT)] * 4,
        tools=PARCELS,
    ),
    right=a_trace(
        a_user("Where is parcel P-556?"),
        a_call("parcel.track", outcome=PERMANENT, args={"nr": "P-556"}, error=UNFIT),
        a_call("parcel.track", args={"number": "P-556"}, result={"place": "Graz"}),
        a_claim("It is in Graz."),
        tools=PARCELS,
    ),
    caught_by="limits",
)

# --- 6: nothing found looked like an empty page -------------------------------------------

WEB = {"page.fetch": READ}

EMPTY_SUCCESS = Incident(
    number=6,
    name="a page that is not there came back as an empty success",
    contract={"limits": {"identical_calls": 2}},
    wrong=a_trace(
        a_user("What does the notice for June say?"),
        *[a_call("page.fetch", args={"address": "/notices/june"}, result="")] * 12,
        tools=WEB,
    ),
    right=a_trace(
        a_user("What does the notice for June say?"),
        a_call("page.fetch", args={"address": "/notices/june"}, result=""),
        a_call("page.fetch", args={"address": "/notices"}, result="May, July"),
        a_claim("There is no notice for June."),
        tools=WEB,
    ),
    caught_by="limits",
)

# --- 7: too large to read, read again ------------------------------------------------------

DISK = {"disk.read": READ}
TOO_LARGE = CallError(type="SizeError", message="larger than the limit of 256 KB")
WHOLE = a_call("disk.read", outcome=PERMANENT, args={"name": "log.txt"}, error=TOO_LARGE)

OVERSIZED_READ = Incident(
    number=7,
    name="a file beyond the limit was read again and again",
    contract={"limits": {"identical_calls": 2}, "finishes": True},
    wrong=a_trace(a_user("What is the last line of the log?"), *[WHOLE] * 6, tools=DISK),
    right=a_trace(
        a_user("What is the last line of the log?"),
        WHOLE,
        a_call("disk.read", args={"name": "log.txt", "lines": [-1, -1]}, result="stopped"),
        a_claim("It says that it stopped."),
        tools=DISK,
    ),
    caught_by="limits",
)

# --- 18: each thought that the other would do it --------------------------------------------

DESKS = {"handoff_to_sales": WRITE, "handoff_to_support": WRITE, "ticket.close": WRITE}
TO_SALES = a_call("handoff_to_sales", agent="support", result={"now": "sales"})
TO_SUPPORT = a_call("handoff_to_support", agent="sales", result={"now": "support"})

HAND_OFF_LOOP = Incident(
    number=18,
    name="two agents handed the work back and forth",
    contract={"max_calls": {"handoff_to_sales": 2, "handoff_to_support": 2}, "finishes": True},
    wrong=a_trace(
        a_user("I want to give the printer back."), *[TO_SALES, TO_SUPPORT] * 6, tools=DESKS
    ),
    right=a_trace(
        a_user("I want to give the printer back."),
        TO_SALES,
        TO_SUPPORT,
        a_call("ticket.close", agent="support", args={"how": "taken back"}),
        a_claim("We take it back; a label is on its way.", agent="support"),
        tools=DESKS,
    ),
    caught_by="max_calls",
)

INCIDENTS = (BLIND_RETRIES, EMPTY_SUCCESS, OVERSIZED_READ, HAND_OFF_LOOP)
