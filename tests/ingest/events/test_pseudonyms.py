"""Every class of pseudonym that can be told from a real value is told, and no real value is."""

from __future__ import annotations

import json

import pytest

from tests.ingest.samples import an_openai_call, an_openai_chat, lost, read_as
from workbench.ingest.events.pseudonyms import count_pseudonyms
from workbench.redact.builders import Draw, build_sequence
from workbench.redact.draws import Drawer
from workbench.redact.special import address_for

pytestmark = pytest.mark.desk

DRAWER = Drawer(b"k" * 32)


def drawn(kind: str, surface: str, number: int) -> str:
    """What redaction puts in the place of a value of digits."""
    key = "".join(char for char in surface if char.isdigit())
    draw = Draw(
        drawer=DRAWER,
        label=f"{kind}:{number}",
        counter=0,
        key=key,
        surface=surface,
        unit=lambda at, _: str((at * 7 + number) % 10),
    )
    units = iter(build_sequence(kind, draw))
    return "".join(next(units) if char.isdigit() else char for char in surface)


@pytest.mark.parametrize(
    ("kind", "surface"),
    [
        ("CREDIT_CARD", "4111111111111111"),
        ("CREDIT_CARD", "4111 1111 1111 1111"),
        ("CREDIT_CARD", "4111-1111-1111-1111"),
        ("PHONE_NUMBER", "+1 415-867-5309"),
        ("PHONE_NUMBER", "(415) 867-5309"),
        ("PHONE_NUMBER", "415.867.5309"),
        ("PHONE_NUMBER", "4158675309"),
    ],
)
def test_what_the_builders_draw_is_known(kind: str, surface: str) -> None:
    """The real value is not counted, each of its pseudonyms is."""
    assert count_pseudonyms(json.dumps({"value": surface})) == 0

    for number in range(30):
        made = drawn(kind, surface, number)
        assert count_pseudonyms(json.dumps({"value": made, "text": f"to {made}."})) == 2, made


@pytest.mark.parametrize("address", ["81.2.69.142", "2a02:6b8::2:242"])
def test_drawn_addresses_are_known(address: str) -> None:
    """Documentation ranges; a private address stays private and looks like any other."""
    assert count_pseudonyms(address) == 0

    for number in range(30):
        made = address_for(address, address, DRAWER, number)
        assert count_pseudonyms(json.dumps({"ip": made})) == 1, made


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("kolu.bern@vartu.example", 1),
        ("kolu@vartu.co.zqb and kolu@vartu.xd", 2),
        ("https://shop.vartu.example/x?y", 1),
        ("user_01@mail-01.invalid", 1),
        ("198.18.4.5 and 198.19.255.1", 2),
        ("anna@example.com and anna@mail.example.com", 0),
        ("see docs.example.md or file.example", 0),
        ("415-555-2002 and 555-0142", 0),
        ("192.0.2.1.5 and 1.192.0.2.1 and 192.0.20.1 and 192.0.2.300", 0),
        ("198.180.4.5", 0),
        ("999999 and 1999999000000001 and 0.9999991234567", 0),
        ("12001:db8:1", 0),
    ],
)
def test_only_ranges_that_nobody_has_count(text: str, count: int) -> None:
    """A false alarm on real traces would teach people to overlook it."""
    assert count_pseudonyms(text) == count


def test_a_pseudonym_that_a_tool_was_called_with_is_a_loss() -> None:
    """A redacted ticket was pasted into the agent: its tools get values that nobody has."""
    chat = an_openai_chat()
    chat[2:3] = [
        {
            "role": "assistant",
            "tool_calls": [an_openai_call("c1", "call", '{"phone": "+1 415-555-0142"}')],
        }
    ]

    _, losses = read_as("openai_chat", chat)

    assert lost(losses)["masked_value_used"] == 1


def test_counting_takes_linear_time() -> None:
    """Hostile text must not stop the import."""
    for text in ("a.example@" * 20_000, "555-01" * 30_000, "2001:db8:" * 20_000, "9999-99" * 9000):
        assert count_pseudonyms(text) >= 0
