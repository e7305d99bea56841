"""Results that got lost, came late, or belonged to somebody else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.builders import a_call, a_claim, a_trace, a_turn, a_user
from tests.incidents.incident import Incident
from workbench.model.event import CallError, ModelRequest, Outcome
from workbench.model.trace import Effect

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap

__all__ = ["INCIDENTS"]

READ, WRITE, MISSING = Effect.READ, Effect.WRITE, Outcome.MISSING

# --- 8: a call beside a hand-off was never answered --------------------------------------

SHOP = {"stock.count": READ, "handoff_to_buyer": WRITE}

ORPHAN_CALL = Incident(
    number=8,
    name="a call asked for beside a hand-off was never answered",
    contract={"finishes": True, "min_calls": {"stock.count": 1}},
    wrong=a_trace(
        a_user("Order more paper if there is little left."),
        a_turn(
            a_call("stock.count", outcome=MISSING, args={"item": "paper"}),
            a_call("handoff_to_buyer", result={"now": "buyer"}),
        ),
        ModelRequest(n_messages=4),
        tools=SHOP,
    ),
    right=a_trace(
        a_user("Order more paper if there is little left."),
        a_call("stock.count", args={"item": "paper"}, result={"boxes": 2}),
        a_call("handoff_to_buyer", result={"now": "buyer"}),
        a_claim("Two boxes are left; the buyer orders more.", agent="buyer"),
        tools=SHOP,
    ),
    caught_by="finishes",
)

# --- 9: results in the order in which they were ready --------------------------------------

TOWNS = {"weather.at": READ}


LOOKS = [
    a_call("weather.at", args={"town": town}, result={"degrees": degrees})
    for town, degrees in (("Linz", 11), ("Wels", 12), ("Steyr", 9))
]

COMPLETION_ORDER = Incident(
    number=9,
    name="parallel results in the order of completion ended the run",
    contract={"finishes": True},
    wrong=a_trace(
        a_user("Which of Linz, Wels and Steyr is the warmest?"),
        a_turn(*LOOKS, completes=(2, 0, 1)),
        ModelRequest(n_messages=6),
        tools=TOWNS,
    ),
    right=a_trace(
        a_user("Which of Linz, Wels and Steyr is the warmest?"),
        a_turn(*LOOKS, completes=(2, 0, 1)),
        ModelRequest(n_messages=6),
        a_claim("Wels, with 12 degrees."),
        tools=TOWNS,
    ),
    caught_by="finishes",
)

# --- 10: of three reviews one arrived ---------------------------------------------------------

LOST = CallError(type="NoResult", message="nothing was delivered")
CREW = {"crew.review": READ}
PARTS = [
    a_call("crew.review", args={"part": part}, result={"part": part, "remarks": 0})
    for part in ("roof", "walls", "floor")
]
GONE = [
    a_call("crew.review", args={"part": part}, outcome=Outcome.UNKNOWN, error=LOST)
    for part in ("walls", "floor")
]

LOST_RESULTS = Incident(
    number=10,
    name="two of three parallel results were lost and nobody minded",
    contract={"min_calls": {"crew.review#ok": 3}},
    wrong=a_trace(
        a_user("Let the crew review roof, walls and floor."),
        a_turn(PARTS[0], *GONE),
        a_claim("The review is completed."),
        tools=CREW,
    ),
    right=a_trace(
        a_user("Let the crew review roof, walls and floor."),
        a_turn(PARTS[0], *GONE),
        a_turn(*PARTS[1:]),
        a_claim("The review is completed."),
        tools=CREW,
    ),
    caught_by="min_calls",
)

# --- 11: the answer of an earlier call ----------------------------------------------------------

DRAFTS = {"draft.write": WRITE, "draft.edit": WRITE, "draft.read": READ}
SAME: JsonMap = {"name": "speech"}
STEPS = (
    a_user("Write the speech and shorten it."),
    a_call("draft.write", args={**SAME, "text": "long"}, result={"version": 1}),
    a_call("draft.edit", args={**SAME, "text": "short"}, result={"version": 2}),
)

STALE_RESULT = Incident(
    number=11,
    name="a read after an edit returned what was there before it",
    contract={
        "order": [
            {
                "at_most_after": [
                    "draft.edit",
                    {"tool": "draft.read", "result": ["version < 2"]},
                    0,
                ]
            }
        ]
    },
    wrong=a_trace(
        *STEPS,
        a_call("draft.read", args=SAME, result={"version": 1, "text": "long"}),
        a_call("draft.edit", args={**SAME, "text": "short"}, result={"version": 3}),
        a_claim("The speech has been shortened."),
        tools=DRAFTS,
    ),
    right=a_trace(
        *STEPS,
        a_call("draft.read", args=SAME, result={"version": 2, "text": "short"}),
        a_claim("The speech has been shortened."),
        tools=DRAFTS,
    ),
    caught_by="order",
)

# --- 19: the result of another conversation --------------------------------------------------------

BOARDS = {"board.list": READ}

CROSS_WIRED = Incident(
    number=19,
    name="two conversations were given each other's results",
    contract={
        "forbid_call": [
            {
                "tool": "board.list",
                "where": ['session == "s-red"'],
                "result": ['session != "s-red"'],
            }
        ]
    },
    wrong=a_trace(
        a_user("What is on my board?"),
        a_call(
            "board.list",
            args={"session": "s-red"},
            result={"session": "s-blue", "cards": ["salary talks"]},
        ),
        a_claim("One card: salary talks."),
        tools=BOARDS,
    ),
    right=a_trace(
        a_user("What is on my board?"),
        a_call(
            "board.list", args={"session": "s-red"}, result={"session": "s-red", "cards": ["paint"]}
        ),
        a_claim("One card: paint."),
        tools=BOARDS,
    ),
    caught_by="forbid_call",
)

INCIDENTS = (ORPHAN_CALL, COMPLETION_ORDER, LOST_RESULTS, STALE_RESULT, CROSS_WIRED)
