"""A status in an error's text counts where something answered with it, and nowhere else."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from workbench.check.http_status import status_in


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("billing backend 504: upstream timeout", 504),
        ("billing backend 504: retry-after=2", 504),
        ("HTTP 502", 502),
        ("HTTP/1.1 503 Service Unavailable", 503),
        ("HTTPError: 504", 504),
        ("HTTP error 429", 429),
        ("HTTP status code: 500", 500),
        ("Error code: 429 - {'error': {'message': 'slow down'}}", 429),
        ("status=503, body empty", 503),
        ('{"status_code": 502}', 502),
        ("request failed with status code 504", 504),
        ("the service returned 503.", 503),
        ("server responded with a 502", 502),
        ("got HTTP 504 after 3 attempts", 504),
        ("Server error '504 Gateway Timeout' for url", 504),
        ("Client error '404 Not Found' for url", 404),
        ("504 Server Error: Gateway Timeout for url", 504),
        ("ApiError(500): upstream", None),
        ("503: overloaded", 503),
        ("upstream 504", 504),
        ("error: 504 Gateway Time-out", 504),
    ],
)
def test_words_of_transport_make_a_number_a_status(text, status):
    """As clients, proxies and frameworks write it."""
    assert status_in([text]) == status


@pytest.mark.parametrize(
    "text",
    [
        "account 504: closed",
        "order 429 is not paid",
        "Account 404 not found",
        "row 503 of 600 is invalid",
        "query returned 504 rows",
        "received 429 items, expected 430",
        "amount 500.00 exceeds the limit",
        "took 504 ms",
        "port 5040 refused",
        "HTTP 200",
        "status: 204",
        "room 502",
        "line 500: syntax error",
        "op_504 failed",
        "v504.2",
        "the number 504",
        "4294967296",
        "",
    ],
)
def test_a_number_alone_is_none(text):
    """Accounts, rows and amounts have numbers too; an outcome must not hang on them."""
    assert status_in([text]) is None


def test_the_first_text_with_a_status_counts():
    """Message before body."""
    assert status_in(["no luck", "HTTP 503", "HTTP 404"]) == 503


@given(st.text(alphabet="abc xyz,.-_#/", max_size=30), st.integers(min_value=400, max_value=599))
def test_a_number_among_words_without_transport_is_no_status(words, number):
    """Whatever stands before it: a letter, a blank, a sign."""
    assert status_in([f"{words} item {number} of the list"]) is None


@given(st.text(max_size=60))
def test_what_is_found_is_a_failure(text):
    """Never a success, never a number outside the class."""
    found = status_in([text])

    assert found is None or 400 <= found <= 599
