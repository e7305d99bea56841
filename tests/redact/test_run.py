"""A trace and its contract, redacted together."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import trace_document
from workbench.check.judge import judge
from workbench.errors import InputError, MissingExtraError, RefusedError
from workbench.model.canonical import args_digest
from workbench.model.event import CallError, Decision, Outcome, Permission, ToolCall, ToolResult
from workbench.model.jsonvalue import parse_text
from workbench.model.trace import Effect, Tool, Trace, calls_of
from workbench.redact import note_of, redact_trace, require_safe

if TYPE_CHECKING:
    from workbench.model.jsonvalue import JsonMap
    from workbench.redact.redaction import Redaction

pytestmark = pytest.mark.desk

KEY = bytes(range(32))
NAME, MAIL, ACCOUNT, PHONE = (
    "Rachel Rivera",
    "rachel.rivera@fabrikam.com",
    "ACC-4471902",
    "+1 415 555 0100",
)
RAW = ("Rachel", "Rivera", "rachel", "rivera", "fabrikam", "4471902", "415 555")


def incident() -> Trace:
    """A damaged id that a lookup hands to a write, with personal data in every corner."""
    profile = {"full_name": NAME, "email": MAIL, "account_id": ACCOUNT + " ", "phone": PHONE}
    trace = a_trace(
        a_user(f"Hi, this is {NAME}. Pause my plan, {MAIL}."),
        a_call(
            "crm.get",
            args={"url": f"https://api.example/users/{MAIL.replace('@', '%40')}?full=1"},
            result={"status": 200, "body": json.dumps({"profile": json.dumps(profile)})},
        ),
        a_call(
            "billing.pause",
            args={"account_id": ACCOUNT + " ", "by_mail": {MAIL: {"limit": 3}}},
            outcome=Outcome.UNKNOWN,
            detail="timeout",
            error=CallError(
                status=504,
                message=f"no answer for {ACCOUNT}",
                headers={"x-request-id": "f91c85fd0f6e4d7f", "x-account": ACCOUNT},
                body={"account": ACCOUNT, "at": "2026-01-02T03:04:05Z"},
            ),
        ),
        a_claim("Your plan is paused."),
    )
    tool = Tool(
        name="billing.pause",
        effect=Effect.WRITE,
        description=f"Pauses a plan, e.g. of {ACCOUNT}",
        schema={
            "type": "object",
            "properties": {
                "account_id": {"type": "string", "pattern": "^ACC-[0-9]{7}$", "examples": [ACCOUNT]}
            },
        },
    )
    call = next(e for e in trace.events if isinstance(e, ToolCall) and e.tool == "billing.pause")
    grant = Permission(
        seq=len(trace.events),
        decision=Decision.GRANTED,
        tool=call.tool,
        args_digest=args_digest(call.args),  # type: ignore[arg-type]
    )
    return replace(
        trace,
        tools=(tool,),
        events=(*trace.events, grant),
        session=f"s-{ACCOUNT}",
        tags=("vip", MAIL),
    )


CONTRACT: JsonMap = {
    "forbid_call": [{"tool": "billing.pause", "where": [f'account_id == "{ACCOUNT} "']}],
    "success_requires": [{"tool": "billing.get_operation", "pred": "status == completed"}],
    "answer": {"not_contains": [NAME]},
}


def redacted(trace: Trace | None = None, **options: Any) -> Redaction:  # noqa: ANN401  passed on
    """Redact the incident."""
    contract = load_contract(options.pop("contract", CONTRACT))
    return redact_trace(trace or incident(), contract=contract, key=KEY, ner="none", **options)


def _text(done: Redaction) -> str:
    assert done.contract is not None
    document = {"trace": trace_document(done.trace), "contract": done.contract.document}
    return json.dumps(document, ensure_ascii=False)


def test_nothing_found_survives_and_the_failure_does() -> None:
    """The two promises."""
    done = redacted()

    assert [raw for raw in RAW if raw in _text(done)] == []
    assert done.signature_same
    assert done.residue.hits == 0
    assert done.trigger_facts_lost == ()
    require_safe(done)
    assert done.contract is not None
    assert (
        judge(done.trace, done.contract).signature
        == judge(incident(), load_contract(CONTRACT)).signature
    )


def test_one_value_has_one_pseudonym_everywhere() -> None:
    """In prose, a URL, JSON in JSON, an argument, a header, a schema and the contract."""
    done = redacted()
    calls = calls_of(done.trace)
    args: Any = calls[1].args
    account = args["account_id"]
    assert calls[0].result is not None
    assert calls[1].result is not None
    result: Any = calls[0].result.result
    profile = json.loads(json.loads(result["body"])["profile"])
    error = calls[1].result.error
    assert error is not None
    assert done.contract is not None

    assert profile["account_id"] == account
    assert account.startswith("ACC-")
    assert account.endswith(" ")
    assert error.headers["x-account"] == account.strip()
    assert error.body == {"account": account.strip(), "at": "2026-01-02T03:04:05Z"}
    assert f'account_id == "{account}"' in json.dumps(done.contract.document).replace("\\", "")
    assert list(args["by_mail"]) == [profile["email"]]
    assert profile["email"].replace("@", "%40") in str(calls[0].args)
    assert profile["full_name"] in _text(done)
    assert done.trace.tools[0].schema is not None
    assert account.strip() in json.dumps(done.trace.tools[0].schema)
    assert done.trace.session == f"s-{account.strip()}"


def test_structure_stays() -> None:
    """Request ids, times, tool names, property names and formats are no personal data."""
    before, after = incident(), redacted().trace

    assert [type(e) for e in after.events] == [type(e) for e in before.events]
    assert [e.at for e in after.events] == [e.at for e in before.events]
    assert after.tools[0].name == "billing.pause"
    assert after.tools[0].schema is not None
    assert "account_id" in str(after.tools[0].schema)
    assert "f91c85fd0f6e4d7f" in json.dumps(trace_document(after))
    for event in after.events:
        if isinstance(event, ToolCall) and event.args_raw is not None:
            assert parse_text(event.args_raw).value == event.args
        if isinstance(event, ToolResult) and event.result_raw is not None:
            assert parse_text(event.result_raw).value == event.result


def test_a_grant_still_covers_its_call() -> None:
    """A digest of raw arguments is a leak, and one that fits no call changes the verdict."""
    done = redacted().trace
    call = next(e for e in done.events if isinstance(e, ToolCall) and e.tool == "billing.pause")
    grant = next(e for e in done.events if isinstance(e, Permission))

    assert grant.args_digest == args_digest(call.args)  # type: ignore[arg-type]


def test_a_grant_of_unknown_arguments_gets_a_draw() -> None:
    """Distinct stays distinct, and nothing can be looked up."""
    trace = incident()
    old = trace.events[-1]
    assert isinstance(old, Permission)
    grant = replace(old, args_digest="sha256:" + "0" * 64)

    done = redacted(replace(trace, events=(*trace.events[:-1], grant))).trace

    last = done.events[-1]
    assert isinstance(last, Permission)
    assert last.args_digest is not None
    assert last.args_digest.startswith("sha256:")
    assert last.args_digest != "sha256:" + "0" * 64


def test_the_trigger_is_found_and_told() -> None:
    """The damaged id of the call that timed out, with the fact that matters."""
    notes = {note.at: note.facts for note in redacted().trigger}

    at = next(at for at in notes if at.endswith("args.account_id"))
    assert "trailing_space" in notes[at]
    assert "invalid:schema" in notes[at]


def test_the_ledger_holds_no_raw_value() -> None:
    """It is committed with the case, keys of mappings included."""
    note = note_of(redacted())

    assert [raw for raw in RAW if raw in repr(note)] == []
    assert {entry.decision for entry in note.ledger} == {"rule"}
    assert "EMAIL_ADDRESS" in {entry.type for entry in note.ledger}
    assert note.detectors["presidio"]
    assert "ner" not in note.detectors


def test_retained_and_rejected_values_stay_at_their_places_only() -> None:
    """A reason exempts a place, not a value."""
    policy = {
        "schema": "redaction/1",
        "retain": [{"at": "session", "reason": "needed by the support tool"}],
        "decisions": [{"at": "tags", "decision": "rejected", "by": "dana"}],
    }

    done = redacted(policy=policy)

    assert done.trace.session == f"s-{ACCOUNT}"
    assert MAIL in done.trace.tags
    assert ACCOUNT not in json.dumps([str(e) for e in done.trace.events])
    assert done.residue.hits == 0
    kept = [e for e in done.ledger if e.decision in ("retained", "rejected")]
    assert {(e.decision, e.pseudonym, e.at) for e in kept} == {
        ("retained", None, ("session",)),
        ("rejected", None, ("tags.1",)),
    }


def test_declared_ids_are_replaced() -> None:
    """Nobody else can know the user's own ids."""
    trace = a_trace(
        a_user("see MBR~77x and the bin"), a_call("t", args={"ref": "zz-top"}), a_claim("ok")
    )
    policy: JsonMap = {
        "schema": "redaction/1",
        "patterns": [{"pattern": "MBR~[0-9a-z]+", "type": "MEMBER_ID"}],
        "fields": {"**.ref": "MEMBER_ID"},
    }

    done = redact_trace(trace, key=KEY, ner="none", policy=policy)

    assert "MBR~77x" not in json.dumps(trace_document(done.trace))
    assert "zz-top" not in json.dumps(trace_document(done.trace))


def test_a_declared_prefix_stays() -> None:
    """The user says which part is schema."""
    trace = a_trace(a_user("see MBR~77x-1 there"), a_claim("ok"))
    rule: JsonMap = {"pattern": "MBR~[0-9a-z-]+", "type": "MEMBER_ID", "prefix": "MBR~"}

    done = redact_trace(
        trace, key=KEY, ner="none", policy={"schema": "redaction/1", "patterns": [rule]}
    )

    assert "MBR~" in json.dumps(trace_document(done.trace))
    assert "77x-1" not in json.dumps(trace_document(done.trace))


def test_declared_order_and_length_are_drawn() -> None:
    """Sorted pages stay sorted, and a field of fixed width stays as wide."""
    ids: list[Any] = [f"ACC-{n}000{n}17" for n in range(1, 10)]
    trace = a_trace(a_call("t", args={"account_id": [*ids], "email": "jo@x.io"}), a_claim("ok"))
    policy: dict[str, Any] = {
        "schema": "redaction/1",
        "ordered": ["**.account_id"],
        "exact_length": ["**.email"],
    }

    done = redact_trace(trace, key=KEY, ner="none", policy=policy)

    args: Any = calls_of(done.trace)[0].args
    assert args["account_id"] == sorted(args["account_id"])
    assert not set(args["account_id"]) & set(ids)
    assert len(args["email"]) == len("jo@x.io")
    require_safe(done)


@pytest.mark.parametrize(
    ("asked", "args"),
    [
        ("exact_length", {"client_ip": "8.8.4.4"}),
        ("ordered", {"client_ip": [f"8.8.{n}.4" for n in range(100, 130)]}),
    ],
)
def test_what_cannot_be_drawn_as_asked_is_refused(asked: str, args: JsonMap) -> None:
    """Reserved ranges have neither every length nor every order; that is said, not passed over."""
    policy: JsonMap = {"schema": "redaction/1", asked: ["**.client_ip"]}

    done = redact_trace(
        a_trace(a_call("t", args=args), a_claim("ok")), key=KEY, ner="none", policy=policy
    )

    assert asked in {note.fact for note in done.trigger_facts_lost}
    with pytest.raises(RefusedError, match=asked):
        require_safe(done)


def test_only_surviving_prose_is_unreviewed() -> None:
    """A person reads what reaches the case, and says so by name."""
    everything = redacted().unreviewed
    some = redacted(survivors=["#1.text"]).unreviewed
    seen = {"schema": "redaction/1", "decisions": [{"at": "**", "decision": "seen", "by": "dana"}]}

    assert everything > some >= 0
    assert redacted(policy=seen).unreviewed == 0
    assert redacted(survivors=["#0.text"]).surviving < redacted().surviving


def test_a_pattern_with_a_value_is_refused_with_its_place() -> None:
    """Only a person can rewrite a pattern."""
    contract = {
        "must_call": ["x"],
        "answer": {"matches": [r"rachel\.rivera@fabrikam\.com|rachel.rivera@fabrikam.com"]},
    }

    with pytest.raises(RefusedError, match=r"contract\.answer\.matches\.0") as refusal:
        redacted(contract=contract)

    assert "fabrikam" not in str(refusal.value)


def test_a_broken_signature_is_named_and_refused() -> None:
    """When no draw keeps the failure, nothing is exported."""
    trace = a_trace(a_call("t", args={"account_id": ACCOUNT}), a_claim("ok"))
    contract = {"args": {"t": {"properties": {"account_id": {"not": {"pattern": "4[4]71902"}}}}}}

    done = redacted(trace, contract=contract)

    assert not done.signature_same
    assert any("account_id" in place for place in done.broken_by)
    with pytest.raises(RefusedError, match="answers otherwise"):
        require_safe(done)


def test_another_draw_keeps_what_the_first_broke() -> None:
    """The next strategy is tried before a person is asked."""
    trace = a_trace(a_call("t", args={"account_id": "ACC-7777771"}), a_claim("ok"))
    contract = {
        "forbid_call": [{"tool": "t", "where": ['account_id matches "^ACC-[1-9]{6}[0-4]$"']}]
    }

    assert redacted(trace, contract=contract).signature_same


def test_losses_are_refused() -> None:
    """Residue and a lost fact of the trigger, each with its place."""
    done = redacted()
    note = done.facts_kept[0]

    with pytest.raises(RefusedError, match="lost"):
        require_safe(replace(done, trigger_facts_lost=(note,)))
    with pytest.raises(RefusedError, match="still there"):
        require_safe(replace(done, residue_at=("EMAIL_ADDRESS in view raw",)))


def test_what_is_still_there_is_told_with_both_places() -> None:
    """A person has to see what was found, and what of it nothing may replace, to decide."""
    options = json.dumps({"options": {"zebra42horse": "wide"}})
    trace = a_trace(
        a_user("my password is zebra42horse"), a_call("t", result=options), a_claim("ok")
    )
    done = redacted(trace)

    assert done.residue_at == (
        "SECRET of #0.text stands at #3.result too, in view raw, escapes, split",
    )
    with pytest.raises(RefusedError, match=r"still there: SECRET of #0\.text") as refused:
        require_safe(done)
    assert "zebra" not in str(refused.value)


def test_a_key_that_should_be_gone_is_not_shown() -> None:
    """Nobody renames what a tool's schema calls an argument, and the refusal must not say it."""
    keys = ("zebra42horse", "tiger77paw8")
    schema: JsonMap = {"type": "object", "properties": {key: {} for key in keys}}
    args: JsonMap = {keys[0]: f"my password is {keys[1]}", keys[1]: 1}
    trace = a_trace(a_user(f"my password is {keys[0]}"), a_call("t", args=args), a_claim("ok"))
    done = redacted(replace(trace, tools=(Tool(name="t", schema=schema),)))

    assert [note.partition(",")[0] for note in done.residue_at] == [
        "SECRET of #0.text stands at #2.args too",
        'SECRET of #2.args."..." stands at #2.args too',
    ]


def test_names_in_prose_need_a_model_or_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence would read as safety."""
    monkeypatch.setenv("WORKBENCH_SPACY_MODEL", "no_such_model_anywhere")

    with pytest.raises(MissingExtraError, match="ner-en"):
        redact_trace(incident(), key=KEY)


def test_a_short_key_is_refused() -> None:
    """An empty key would make every draw public."""
    with pytest.raises(InputError, match="at least 16"):
        redact_trace(incident(), key=b"short")


def test_raw_values_are_in_no_log_and_no_text_form(caplog: pytest.LogCaptureFixture) -> None:
    """A canary in every corner."""
    caplog.set_level(logging.DEBUG)

    done = redacted()

    assert [raw for raw in RAW if raw in caplog.text + repr(done)] == []


def test_hostile_traces_end() -> None:
    """Deep, long and broken arguments are data."""
    deep = "[" * 50_000
    trace = a_trace(
        a_call("t", args_raw=deep),
        a_call("t", args_raw='{"email": "' + MAIL),
        a_call("t", args={"x": "a." * 4000 + "@", "y": "z" * 300_000}),
        a_claim("ok"),
    )

    done = redact_trace(trace, key=KEY, ner="none")

    assert MAIL not in json.dumps(trace_document(done.trace))


PROBE = """
import sys
from workbench.redact import redact_trace
from workbench.redact.presidio import find_patterns, find_names
list(find_patterns("call 4155550100")); list(find_names("We met Ann Lee there."))   # imports probe ::1
from workbench.model.event import UserMessage
from workbench.model.trace import Trace
FORBIDDEN = ("socket.", "http.client.", "urllib.", "subprocess.", "os.system", "os.exec", "os.fork")
def deny(event, args):
    if event.startswith(FORBIDDEN):
        raise SystemExit("opened: " + event)
sys.addaudithook(deny)
text = "Alice Johnson <alice@example.co.uk> moved to Berlin, +1 415 555 0100, 4111 1111 1111 1111"
trace = Trace(run_id="r", events=(UserMessage(seq=0, text=text),))
done = redact_trace(trace, key=bytes(32))
assert "Alice" not in repr(done.trace) and "Berlin" not in repr(done.trace), done.trace
print("clean")
"""


def test_no_socket_is_opened() -> None:
    """In a fresh interpreter, since an audit hook stays."""
    done = subprocess.run(
        [sys.executable, "-c", PROBE], capture_output=True, text=True, check=False
    )

    assert done.stdout.strip() == "clean", done.stderr[-400:]
