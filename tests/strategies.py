"""Hypothesis strategies for the values that every part speaks in.

`traces()` draws valid traces of all kinds of events, `contracts()` draws contracts about the same
few tools, so that the two have something to say to one another; `json_values()` draws JSON.
"""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache

from hypothesis import strategies as st

from tests.builders import CallPart, a_call
from workbench.casefile.contract import parse_contract
from workbench.casefile.place import Place
from workbench.errors import ContractError
from workbench.model.contract import Contract, FixPlace
from workbench.model.event import (
    Basis,
    CallError,
    Change,
    Claim,
    ClaimBasis,
    ClaimOutcome,
    ContextChange,
    Decision,
    Event,
    ModelReply,
    ModelRequest,
    Outcome,
    Permission,
    Requestor,
    StateChange,
    SystemMessage,
    Usage,
    UserMessage,
)
from workbench.model.jsonvalue import ABSENT, Json, JsonMap
from workbench.model.trace import Effect, RunStatus, Tool, Trace, Versions, renumbered

__all__ = [
    "TOOLS",
    "contracts",
    "events_of_calls",
    "hostile_texts",
    "json_maps",
    "json_values",
    "texts",
    "traces",
]

TOOLS = ("billing.pause", "billing.status", "customer.lookup", "notify")
"""Tools that `traces` and `contracts` share; `notify` and `billing.pause` are writes."""

_HOSTILE = (
    "",
    " ",
    "no",
    "null",
    "~",
    "0123",
    "1e3",
    "1.10",
    "2027-02-28",
    "12:30:45",
    "<<",
    "=",
    "- a",
    "a: b",
    "a #b",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "`a",
    "{a",
    "[a",
    "a,b",
    '"',
    "'",
    "\\",
    "a\tb",
    "a\nb\n",
    "\r",
    "\x00",
    "\x07",
    "\x7f",
    "\x85",
    "\u2028",
    "\ufeff",
    "\ufffe",
    "a\u0301",
    "漢字",
    "\U0001f600",
    "ACC-4471902 ",
)


@cache
def texts() -> st.SearchStrategy[str]:
    """Short texts without lone surrogates."""
    return st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@cache
def hostile_texts() -> st.SearchStrategy[str]:
    """Texts that YAML, JSON or a reader stumbles over."""
    return st.one_of(st.sampled_from(_HOSTILE), texts())


def _numbers() -> st.SearchStrategy[Json]:
    whole = st.integers(min_value=-(2**53), max_value=2**53)
    return st.one_of(whole, st.floats(allow_nan=False, allow_infinity=False))


@cache
def json_values(*, max_leaves: int = 8) -> st.SearchStrategy[Json]:
    """JSON values that a case can hold: integers within 2^53, finite floats, hostile texts."""
    leaves = st.one_of(st.none(), st.booleans(), _numbers(), hostile_texts())
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(hostile_texts(), inner, max_size=3)
        ),
        max_leaves=max_leaves,
    )


@cache
def json_maps() -> st.SearchStrategy[JsonMap]:
    """JSON mappings."""
    return st.dictionaries(hostile_texts(), json_values(max_leaves=4), max_size=3)


@cache
def _args() -> st.SearchStrategy[Json]:
    plain = st.fixed_dictionaries(
        {"id": st.sampled_from(["A-1", "A-1 ", "B-2"])},
        optional={"amount": st.integers(0, 3), "note": hostile_texts()},
    )
    return st.one_of(plain, st.just({}), json_maps())


@cache
def _results() -> st.SearchStrategy[Json]:
    status = st.fixed_dictionaries({"status": st.sampled_from(["pending", "completed"])})
    return st.one_of(status, json_values(max_leaves=4))


_OUTCOMES = (
    None,
    Outcome.OK,
    Outcome.OK,
    Outcome.OK,
    Outcome.RETRYABLE,
    Outcome.PERMANENT,
    Outcome.UNKNOWN,
    Outcome.DENIED,
    Outcome.MISSING,
)


@cache
@st.composite
def _errors(draw: st.DrawFn) -> CallError:
    """Draw an error that a tool answered."""
    return CallError(
        type=draw(st.none() | st.sampled_from(["TimeoutError", "ValidationError"])),
        message=draw(st.none() | hostile_texts()),
        status=draw(st.none() | st.sampled_from([400, 429, 500, 504])),
        headers=draw(st.just({}) | st.just({"retry-after": "2"})),
        body=draw(st.just(ABSENT) | json_values(max_leaves=3)),
    )


@cache
@st.composite
def _calls(draw: st.DrawFn, by: Requestor) -> CallPart:
    """Draw a call of one of the shared tools, with its result."""
    outcome = draw(st.sampled_from(_OUTCOMES))
    failed = outcome not in (Outcome.OK, Outcome.MISSING)
    args = draw(_args())
    raw = draw(st.sampled_from([json.dumps(args), json.dumps(args, indent=1), "{broken"]))
    return a_call(
        draw(st.sampled_from(TOOLS)),
        outcome=outcome,
        args=ABSENT if raw == "{broken" else args,
        args_raw=raw,
        result=draw(_results()) if not failed or draw(st.booleans()) else ABSENT,
        error=draw(_errors()) if failed else None,
        detail="timeout" if outcome is Outcome.UNKNOWN else None,
        operation_id=draw(st.none() | st.sampled_from(["op-1", "op-2"])),
        by=by,
    )


def events_of_calls(
    calls: list[CallPart], *, first_id: int, turn: int, order: list[int]
) -> list[Event]:
    """Return the requests of calls, then their results in `order`."""
    ids = [f"c{first_id + place}" for place in range(len(calls))]
    asked: list[Event] = [
        replace(call.request, call_id=call_id, turn=turn)
        for call, call_id in zip(calls, ids, strict=True)
    ]
    results = [calls[place].result for place in order]
    return asked + [
        replace(result, call_id=ids[place])
        for place, result in zip(order, results, strict=True)
        if result is not None
    ]


class _Growing:
    """Events of a trace that is being drawn."""

    def __init__(self, draw: st.DrawFn) -> None:
        self.draw = draw
        self.events: list[Event] = []
        self.calls = 0
        self.turns = 0

    def prelude(self) -> None:
        """What is said before the agent acts; some task is always there."""
        if self.draw(st.booleans()):
            self.events.append(SystemMessage(text=self.draw(hostile_texts())))
        if self.draw(st.booleans()):
            self.say("How can I help?")
        self.events.append(UserMessage(text=self.draw(st.just("Pause my plan.") | texts())))

    def say(self, text: str) -> None:
        """A reply without calls."""
        self.turns += 1
        self.events.append(ModelReply(text=text))
        if text:
            self.events.append(Claim(text=text))

    def reply(self) -> None:
        """A reply with a text, calls, or both; sometimes with its request before it."""
        draw = self.draw
        self.turns += 1
        if draw(st.booleans()):
            offered = draw(st.none() | st.just(TOOLS[:2]) | st.just(()))
            self.events.append(ModelRequest(offered_tools=offered))
        text = draw(st.sampled_from(["", "", "Your plan is paused.", "It failed.", "Hm. "]))
        calls = draw(st.lists(_calls(by=Requestor.AGENT), max_size=3))
        ids = tuple(f"c{self.calls + place}" for place in range(len(calls)))
        usage = draw(st.none() | st.just(Usage(input_tokens=10, output_tokens=3)))
        self.events.append(ModelReply(text=text, call_ids=ids, usage=usage))
        if text:
            self.events.append(self.claim(text))
        self.add_calls(calls, turn=self.turns)

    def claim(self, text: str) -> Claim:
        """The claim of a text: structured, or left to the patterns."""
        outcome = self.draw(st.sampled_from([ClaimOutcome.UNKNOWN, *ClaimOutcome]))
        known = outcome is not ClaimOutcome.UNKNOWN
        basis = ClaimBasis.STRUCTURED if known else ClaimBasis.UNKNOWN
        return Claim(text=text, outcome=outcome, basis=basis)

    def others_calls(self) -> None:
        """Calls of the framework."""
        calls = self.draw(st.lists(_calls(by=Requestor.FRAMEWORK), min_size=1, max_size=2))
        self.add_calls(calls, turn=0)

    def user(self) -> None:
        """A later user message."""
        self.events.append(UserMessage(text=self.draw(hostile_texts())))

    def simulator(self) -> None:
        """A user simulator calls tools, then speaks."""
        calls = self.draw(st.lists(_calls(by=Requestor.USER), min_size=1, max_size=2))
        self.add_calls(calls, turn=0)
        self.user()

    def permission(self) -> None:
        """A decision about a tool."""
        decision = self.draw(st.sampled_from(Decision))
        tool = self.draw(st.none() | st.sampled_from(TOOLS))
        actor = self.draw(st.none() | st.sampled_from(["user", "agent"]))
        self.events.append(Permission(decision=decision, tool=tool, actor=actor))

    def state(self) -> None:
        """A change of the world."""
        after = self.draw(st.sampled_from(["active", "paused"]))
        self.events.append(StateChange(name="subscription", after=after, basis=Basis.RECORDED))

    def context(self) -> None:
        """A change of the model's context."""
        change = self.draw(st.sampled_from(Change))
        self.events.append(ContextChange(change=change, before=self.draw(json_values())))

    def add_calls(self, calls: list[CallPart], *, turn: int) -> None:
        """Calls together, then results in a drawn order of completion."""
        order = self.draw(st.permutations(range(len(calls))))
        self.events += events_of_calls(calls, first_id=self.calls, turn=turn, order=order)
        self.calls += len(calls)


@st.composite
def traces(draw: st.DrawFn, *, max_steps: int = 6, agents: bool = True) -> Trace:
    """Draw a valid trace.

    Args:
        draw: of Hypothesis.
        max_steps: most replies, user turns and other happenings after the task.
        agents: whether events may name the agent that did them.
    """
    growing = _Growing(draw)
    growing.prelude()
    steps = (
        growing.reply,
        growing.reply,
        growing.reply,
        growing.user,
        growing.others_calls,
        growing.simulator,
        growing.permission,
        growing.state,
        growing.context,
    )
    for _ in range(draw(st.integers(0, max_steps))):
        start = len(growing.events)
        steps[draw(st.integers(0, len(steps) - 1))]()
        agent = draw(st.sampled_from([None, None, "main", "sub"])) if agents else None
        growing.events[start:] = [replace(e, agent=agent) for e in growing.events[start:]]
    return Trace(
        run_id="run-1",
        versions=Versions(prompt="p@1"),
        tags=draw(st.just(()) | st.just(("demo",))),
        labels=draw(st.just({}) | st.just({"reward": 0.0})),
        status=draw(st.sampled_from(RunStatus)),
        tools=draw(_tools()),
        events=renumbered(_with_final(growing.events)),
    )


@cache
def _tools() -> st.SearchStrategy[tuple[Tool, ...]]:
    declared = (
        Tool(name="billing.pause", effect=Effect.WRITE, description="Pauses a plan."),
        Tool(name="billing.status", effect=Effect.READ, schema={"type": "object"}),
        Tool(name="customer.lookup", effect=Effect.READ),
        Tool(name="notify"),
    )
    return st.sampled_from([declared, declared[:2]])  # evidence names billing.status


def _with_final(events: list[Event]) -> list[Event]:
    last = max((at for at, event in enumerate(events) if isinstance(event, Claim)), default=-1)
    return [
        replace(event, final=at == last) if isinstance(event, Claim) else event
        for at, event in enumerate(events)
    ]


# --- contracts -----------------------------------------------------------------


@cache
def _selectors() -> st.SearchStrategy[Json]:
    tools = st.sampled_from([*TOOLS, "billing.*", "*"])
    classes = st.sampled_from(["any", "executed", "denied", "unknown|timeout"])
    where = st.sampled_from(['id == "A-1 "', "amount > 1", "note exists", "** == 1"])
    result = st.sampled_from(["status == completed", "status absent", "$ exists"])
    return st.one_of(
        tools,
        st.builds("{}#{}".format, tools, classes),
        st.builds(lambda tool, text: {"tool": tool, "where": [text]}, tools, where),
        st.builds(lambda tool, text: {"tool": tool, "result": [text]}, tools, result),
        st.builds(lambda tool: {"tool": tool, "by": "any"}, tools),
        st.builds(lambda tool: {"tool": tool, "agent": "sub"}, tools),
    )


@cache
def _orders() -> st.SearchStrategy[Json]:
    one = _selectors()
    pair = st.lists(one, min_size=2, max_size=2)
    return st.one_of(
        st.builds(lambda kind, items: {kind: items}, st.sampled_from(["before", "after"]), pair),
        st.builds(lambda items: {"immediately_after": items}, pair),
        st.builds(lambda items: {"never_between": items}, st.lists(one, min_size=3, max_size=3)),
        st.builds(lambda items, n: {"at_most_after": [*items, n]}, pair, st.integers(0, 2)),
    )


@cache
def _documents() -> st.SearchStrategy[JsonMap]:
    names = st.sampled_from([*TOOLS, "billing.*#any"])
    counts: st.SearchStrategy[Json] = st.dictionaries(
        names, st.integers(0, 2), min_size=1, max_size=2
    )
    evidence: st.SearchStrategy[Json] = st.sampled_from(
        [
            "billing.status.status == completed",
            {"tool": "billing.*", "pred": "status == completed"},
            {"tool": "customer.lookup", "pred": "$ exists", "args": ["id exists"]},
        ]
    )
    permission = st.builds(
        lambda grant, covers: {"grant": grant, "covers": covers},
        _selectors(),
        st.sampled_from(["same_args", "same_tool", "session"]),
    )
    several = st.lists(_selectors(), min_size=1, max_size=2)
    optional: dict[str, st.SearchStrategy[Json]] = {
        "must_call": several,
        "forbid_call": several,
        "only_call": several,
        "max_calls": counts,
        "min_calls": counts,
        "order": st.lists(_orders(), min_size=1, max_size=2),
        "args": st.just({"billing.pause": {"required": ["id"]}}),
        "success_requires": evidence,
        "answer": st.sampled_from(
            [{"contains": "paused"}, {"not_contains": "paused"}, {"matches": "^Your"}]
        ),
        "limits": st.sampled_from(
            [{"tool_calls": 0}, {"model_calls": 1}, {"identical_calls": 1}, {"output_tokens": 5}]
        ),
        "permissions": st.lists(permission, min_size=1, max_size=1),
        "finishes": st.just(value=True),
    }
    return st.fixed_dictionaries({}, optional=optional).filter(bool)


@st.composite
def contracts(draw: st.DrawFn) -> Contract:
    """Draw a contract that can be judged; its document is what it was read from."""
    document = dict(draw(_documents()))
    if draw(st.booleans()):
        document["states"] = {
            "paused": ["state.subscription == paused", "claim == success"],
            "open": ["billing.status.status == pending"],
        }
        document["final_state"] = draw(st.sampled_from(["paused", "open"]))
    fix = draw(st.sampled_from(FixPlace))
    return _parsed(document, fix)


def _parsed(document: JsonMap, fix: FixPlace) -> Contract:
    """Read a document; a duty that it makes impossible is left out until it can be judged."""
    while True:
        try:
            return parse_contract(document, place=Place(name="drawn"), fix=fix)
        except ContractError as error:
            kind = error.key.split(".")[1] if "." in error.key else ""
            document = {name: value for name, value in document.items() if name != kind}
            if not document or not kind:
                document = {"must_call": ["never.called"]}
