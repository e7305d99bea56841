"""What is found in texts, and what is not."""

# ruff: noqa: RUF001  full width is data here
from __future__ import annotations

import json

import pytest

from workbench.errors import MissingExtraError
from workbench.redact import find_values
from workbench.redact.detect import models_for
from workbench.redact.presidio import find_patterns

pytestmark = pytest.mark.desk


def found(text: str, *, ner: str = "none", key_path: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    """Return (type, text) of all findings."""
    return [(f.type, text[f.start : f.end]) for f in find_values(text, ner=ner, key_path=key_path)]


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        ("write to ann.lee@contoso.org now", "EMAIL_ADDRESS", "ann.lee@contoso.org"),
        ("write to ann.lee@@contoso.org now", "EMAIL_ADDRESS", "ann.lee@@contoso.org"),
        ("7,Lee,ann.lee@contoso.org,x", "EMAIL_ADDRESS", "ann.lee@contoso.org"),
        ("a@x.org,ann.lee@contoso.org,b@y.org", "EMAIL_ADDRESS", "ann.lee@contoso.org"),
        ("ann,lee@contoso.org", "EMAIL_ADDRESS", "ann,lee@contoso.org"),
        ("ann@contoso,com", "EMAIL_ADDRESS", "ann@contoso,com"),
        (
            "https://x.example/u?mail=ann.lee%40contoso.org&y=1",
            "EMAIL_ADDRESS",
            "ann.lee%40contoso.org",
        ),
        ("call +44 20 7946 0958 today", "PHONE_NUMBER", "+44 20 7946 0958"),
        ("call 415/555.0199 today", "PHONE_NUMBER", "415/555.0199"),
        ("my number is 4155550199", "PHONE_NUMBER", "4155550199"),
        ("手机 138 1234 5678", "PHONE_NUMBER", "138 1234 5678"),
        ("card 4111 1111 1111 1112 declined", "CREDIT_CARD", "4111 1111 1111 1112"),
        ("IBAN DE89 3704 0044 0532 0130 00.", "IBAN_CODE", "DE89 3704 0044 0532 0130 00"),
        ("ssn 704-25-733", "US_SSN", "704-25-733"),
        ("from 203.0.113.9 and 2a02:8109:9ec0::1f", "IP_ADDRESS", "203.0.113.9"),
        ("from 203.0.113.9 and 2a02:8109:9ec0::1f", "IP_ADDRESS", "2a02:8109:9ec0::1f"),
        ("证件 11010519491231002X 有效", "ZH_ID", "11010519491231002X"),
        ("for account 0044719025 only", "ACCOUNT_ID", "0044719025"),
        ("usr-83120365 did it", "ACCOUNT_ID", "usr-83120365"),
        ("Authorization: Bearer abcdef0123456789abcdef", "SECRET", "abcdef0123456789abcdef"),
        ("Authorization: Basic correcthorsebattery", "SECRET", "correcthorsebattery"),
        ("as bearer correcthorsebatterystaple", "SECRET", "correcthorsebatterystaple"),
        ("with basic dXNlcjpwYXNz", "SECRET", "dXNlcjpwYXNz"),
        ("postgres://svc:hunter2secret@db/x", "SECRET", "hunter2secret"),
        ("token ghp_0123456789abcdefghij0123", "SECRET", "ghp_0123456789abcdefghij0123"),
        ("Hello, my name is Ann Lee and I wait", "PERSON", "Ann Lee"),
        ("please ask Dr. Ann Lee about it", "PERSON", "Dr. Ann Lee"),
        ("客户许燕要求退款", "PERSON", "许燕"),
        ("张先生要求退款并投诉", "PERSON", "张"),
        ("寄到杭州市西湖区文三路12号楼3单元即可", "LOCATION", "杭州市西湖区文三路12号楼3单元"),
        ("ship it to 12 Long Meadow Lane, Apt 4 please", "LOCATION", "12 Long Meadow Lane, Apt 4"),
        ("user=ann_lee ip=10.2.3.4 took=12ms", "IP_ADDRESS", "10.2.3.4"),
        ("customer_email: ann.lee(at)contoso", "EMAIL_ADDRESS", "ann.lee(at)contoso"),
        ("ＡＣＣ-4471902 missing", "ACCOUNT_ID", "ＡＣＣ-4471902"),
    ],
)
def test_values_in_texts(text: str, kind: str, value: str) -> None:
    """Well-formed and damaged, English and Chinese, in prose, logs, headers and addresses."""
    assert (kind, value) in found(text)


@pytest.mark.parametrize(
    "text",
    [
        "2026-01-02T03:04:05.678901Z",
        "trace 4bf92f3577b34da6a3ce929d0e0e4736 span 00f067aa0ba902b7",
        "the basic connectivity, basic troubleshooting. BASIC TROUBLESHOOTING, Basic Configuration",
        "some basic step-by-step help, basic diagnostics/configuration; the bearer acknowledges",
        "Authorization: Basic authentication is required",
        "f91c85fd-a0a5-4518-87e3-0f1105628748",
        "agent/3.11.2 (linux; cpython 3.11.7)",
        "build 2026.4.292 took 4628ms, 3 of 5",
        "support-agent@v43",
        "react@18.2.0",
        "commit 075fdb1c2418101c92b0855c292a369643de2808",
        "total 1,234,567,890.50 EUR",
        "order 7451033778 of 2026-05-17",
        "ratio 0.564738291",
        "PENDING_REVIEW",
        "@property def f(): ...",
        "chatcmpl-4a90c2dc26a22119a282305811a56",
        "127.0.0.1:8080",
    ],
)
def test_what_is_no_personal_data_stays(text: str) -> None:
    """Request ids, hashes, versions, times and amounts are what an incident is read by."""
    assert found(text) == []


@pytest.mark.parametrize(
    ("document", "kinds"),
    [
        ({"customer": {"name": "Ann Lee", "id": "77120"}}, ["PERSON", "ACCOUNT_ID"]),
        ({"product": {"name": "Desk Lamp"}}, []),
        ({"name": "Ann Lee", "phone": "5550199"}, ["PERSON", "PHONE_NUMBER"]),
        (
            {"account": "checking", "email": "none", "max_tokens": 5, "next_page_token": "abcdef"},
            [],
        ),
        ({"accountNumber": 4471902, "amount": 4471902.5}, ["ACCOUNT_ID"]),
        ({"dob": "1985-02-13", "created_at": "1985-02-13"}, ["DATE_OF_BIRTH"]),
        ({"user_id": "mia_li_3668"}, ["USERNAME"]),
        ({"user_id": "3668123"}, ["ACCOUNT_ID"]),
        ({"Set-Cookie": "sid=8f7a6b5c4d; Path=/; HttpOnly"}, ["SECRET"]),
        ({"X-Api-Key": "k3yk3y", "state": "open"}, ["SECRET"]),
        (
            {"ship_to": {"name": "Ann Lee", "street": "1 Way", "city": "Bonn", "zip": "53111"}},
            ["PERSON", "LOCATION", "LOCATION", "LOCATION"],
        ),
        ({"姓名": "许燕", "地址": "西湖区", "订单": "83120365"}, ["PERSON", "LOCATION"]),
        ({"ann.lee@contoso.org": {"limit": 3}}, ["EMAIL_ADDRESS"]),
    ],
)
def test_keys_speak_for_their_values(document: object, kinds: list[str]) -> None:
    """A key is the best context that there is, for values that could be meant."""
    assert [kind for kind, _ in found(json.dumps(document, ensure_ascii=False))] == kinds


def test_positions_are_of_the_outer_text() -> None:
    """At any depth of JSON in strings, with escapes."""
    inner = json.dumps({"email": "zoë@contoso.org", "q": 'a"b'})
    text = json.dumps({"result": json.dumps({"body": inner}), "é": "é"})

    spans = find_values(text, ner="none")

    assert [text[f.start : f.end] for f in spans] == ["zo\\\\\\\\u00eb@contoso.org"]


def test_the_key_path_counts_for_a_bare_text() -> None:
    """A leaf out of its document."""
    assert found("Ann Lee", key_path=("customer", "full_name")) == [("PERSON", "Ann Lee")]


@pytest.mark.parametrize(
    "text",
    [
        "a." * 4000 + "@",
        "@" * 20_000,
        "1" * 100_000,
        "1-" * 50_000,
        "[" * 100_000,
        "%40" * 20_000,
        "Dr. " * 20_000,
        "A " * 50_000,
        "张" * 50_000,
        "=" * 50_000,
        '{"a":' * 20_000,
        "x" * 2_000_000,
    ],
)
def test_hostile_texts_end(text: str) -> None:
    """No pattern of ours backtracks without bound."""
    assert isinstance(find_values(text, ner="none"), tuple)


def test_time_that_runs_out_is_told() -> None:
    """What was not read counts as found, never as clean."""
    ticks = iter(range(0, 1000, 20))

    text = " ".join(f"call 415 555 01{n:02d} ." for n in range(60))
    spans = list(find_patterns(text, clock=lambda: float(next(ticks)), limit_s=10))

    assert [f.type for f in spans] == ["UNCHECKED"]
    assert spans[0].end == len(text)


def test_prose_needs_a_model_for_bare_names() -> None:
    """Without a model a name without a cue is not found; with one it is."""
    text = "Yesterday evening Margaret Thatcher visited our office in Berlin with a friend."

    assert ("PERSON", "Margaret Thatcher") not in found(text)
    assert ("PERSON", "Margaret Thatcher") in found(text, ner="en")
    assert ("PERSON", "许燕") in found("昨天下午许燕来电话说要退款", ner="zh")


def test_words_for_models_are_a_closed_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that was asked for by name must be there."""
    assert models_for("both").chinese
    with pytest.raises(ValueError, match="klingon"):
        models_for("klingon")

    monkeypatch.setenv("WORKBENCH_SPACY_MODEL", "no_such_model_anywhere")
    assert not models_for("auto").english


def test_a_missing_model_is_named() -> None:
    """Fresh interpreter, because a loaded model stays."""
    import subprocess
    import sys

    code = "from workbench.redact import find_values; find_values('we met Ann Lee there', ner='en')"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={"WORKBENCH_SPACY_MODEL": "no_such_model_anywhere", "PATH": ""},
    )

    assert MissingExtraError.__name__ in done.stderr
    assert "ner-en" in done.stderr
    assert "Ann" not in done.stderr.replace(code, "")
