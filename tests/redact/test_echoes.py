"""Literals of a contract become what the values become that they are compared with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import trace_document
from workbench.redact import redact_trace, require_safe
from workbench.redact.echoes import Echoes
from workbench.redact.finding import Finding
from workbench.redact.leaves import Leaf

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json
    from workbench.model.trace import Trace
    from workbench.redact.redaction import Redaction

pytestmark = pytest.mark.desk

KEY = bytes(range(32))


def redacted(trace: Trace, *where: str, tool: str = "book", **options: Any) -> Redaction:  # noqa: ANN401  passed on
    """Redact a trace that a rule about some arguments forbids."""
    contract = load_contract({"forbid_call": [{"tool": tool, "where": [*where]}]})
    return redact_trace(trace, contract=contract, key=KEY, ner="none", **options)


def booking(first: str, last: str) -> Trace:
    """One passenger."""
    passengers: list[Json] = [{"first_name": first, "last_name": last, "dob": "1990-04-01"}]
    return a_trace(
        a_user("Book it."), a_call("book", args={"passengers": passengers}), a_claim("ok")
    )


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ("Jo", "Ng"),
        ("Anh", "Le"),
        ("May", "Young"),
        ("Rose", "Hill"),
        ("明", "李"),
        ("Ana", "O'Neil"),
    ],
)
def test_a_short_or_common_name_is_a_name_under_its_key(first: str, last: str) -> None:
    """The key of the predicate's path says of a literal what the key in the trace says of a value."""
    done = redacted(
        booking(first, last),
        f"passengers.0.last_name == {json.dumps(last, ensure_ascii=False)}",
        f'passengers.0.first_name == "{first}"',
    )

    assert done.signature_same
    require_safe(done)
    assert done.contract is not None
    assert f'"{last}"' not in json.dumps(done.contract.document, ensure_ascii=False)


def test_literals_in_lists_and_under_wildcards_follow() -> None:
    """Whatever the operator."""
    done = redacted(
        booking("Jo", "Ng"),
        'passengers.*.last_name in ["Ng", "Wu"]',
        "passengers.0.dob == 1990-04-01",
    )

    assert done.signature_same
    require_safe(done)


def test_a_declared_field_is_declared_for_literals_too() -> None:
    """A glob over keys names the key of a predicate as well."""
    trace = a_trace(a_call("book", args={"ref": "zz-top"}), a_claim("ok"))
    policy = {"schema": "redaction/1", "fields": {"**.ref": "MEMBER_ID"}}

    done = redacted(trace, "ref == zz-top", policy=policy)

    assert done.signature_same
    assert "zz-top" not in json.dumps(trace_document(done.trace))
    require_safe(done)


def test_a_word_stays_under_another_key() -> None:
    """A class of service is no surname, though somebody has that name."""
    trace = a_trace(
        a_call("book", args={"cabin": "Gold", "customer": {"last_name": "Gold"}}), a_claim("ok")
    )

    done = redacted(trace, "cabin == Gold", "customer.last_name == Gold")

    assert done.signature_same
    assert done.contract is not None
    assert "cabin == Gold" in json.dumps(done.contract.document)
    assert "last_name == Gold" not in json.dumps(done.contract.document)


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        ("please refund Mary-Jane Watson today", "Mary-Jane"),
        ("please refund Mary-Jane Watson today", "refund Mary-Jane Watson"),
        ("mail jane.doe@fabrikam.com now", "fabrikam.com"),
        ("mail jane.doe@fabrikam.com now", "@fabrikam"),
        ("mail jane.doe@fabrikam.com now", "jane.doe"),
        ("account ACC-4471902 now", "4471902"),
        ("account ACC-4471902 now", "ACC-4471"),
    ],
)
def test_a_part_of_a_value_stays_a_part(value: str, literal: str) -> None:
    """`contains` holds afterwards as it did before."""
    trace = a_trace(
        a_user("This is Mary-Jane Watson, jane.doe@fabrikam.com, ACC-4471902."),
        a_call("book", args={"note": value, "full_name": "Mary-Jane Watson"}),
        a_claim("ok"),
    )

    done = redacted(trace, f'note contains "{literal}"')

    assert done.signature_same
    require_safe(done)


def test_plain_words_of_a_literal_are_no_part() -> None:
    """A street is a street."""
    trace = a_trace(a_call("book", args={"address": "12 Main Street"}), a_claim("ok"))

    done = redacted(trace, 'address contains "Street"')

    assert done.signature_same
    assert done.contract is not None
    assert "Street" in json.dumps(done.contract.document)


def test_a_text_that_stays_in_the_trace_stays_in_the_literal() -> None:
    """What is kept for a reason is compared with what is kept."""
    found = Finding(start=0, end=4, type="PERSON", score=0.9, detector="t")
    echoes = Echoes()
    echoes.tell(Leaf(text="Anna", path=("#0", "args", "plan")), ())
    echoes.tell(Leaf(text="Anna", path=("#0", "args", "who")), (found,))

    def of(text: str, *hints: str) -> tuple[str, ...]:
        leaf = Leaf(text=text, path=("contract",), hints=hints)
        return tuple(f.type for f in echoes.of(leaf))

    assert of("Anna", "plan") == ()
    assert of("Anna", "who") == of("Anna", "other") == of("Anna") == ("PERSON",)
    assert of("for Anna and Anna") == ("PERSON", "PERSON")
    assert of("Annas") == of("An") == ()
