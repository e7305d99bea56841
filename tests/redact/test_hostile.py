"""Hostile texts end in time, whatever they were made to do."""

from __future__ import annotations

import time

import pytest

from tests.builders import a_call, a_claim, a_trace
from workbench.errors import RefusedError
from workbench.redact import redact_trace

pytestmark = [pytest.mark.desk, pytest.mark.slow]

KEY = bytes(range(32))
MEGA = 10_000_000
TEXTS = {
    "one_letter": "z" * MEGA,
    "words": "lorem ipsum dolor " * (MEGA // 18),
    "digits": "7" * MEGA,
    "spaced_digits": "7 " * (MEGA // 2),
    "signs": "@" * MEGA,
    "dots_before_a_sign": "a." * (MEGA // 2) + "@",
    "addresses": "ab@cd.example, " * (MEGA // 15),
    "quotes": '"' * MEGA,
    "backslashes": "\\" * MEGA,
    "brackets": "[" * MEGA,
    "deep_json": "[" * 100_000 + "]" * 100_000,
    "percent": "%25" * (MEGA // 3),
    "pairs": "email=" * (MEGA // 6),
    "base64": "QUFB" * (MEGA // 4),
    "ideographs": "客户张" * (MEGA // 3),
    "zero_width": "a\u200b" * (MEGA // 2),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_ends_in_time(name: str) -> None:
    """10 MB in one argument: replaced, or refused since it was not read to its end."""
    trace = a_trace(a_call("t", args={"x": TEXTS[name]}), a_claim("ok"))
    started = time.monotonic()

    try:
        done = redact_trace(trace, key=KEY, ner="none", survivors=())
        assert len(done.trace.events) == len(trace.events)
    except RefusedError as refusal:
        assert "not read to its end" in str(refusal)  # noqa: PT017  either end is right

    assert time.monotonic() - started <= 30
