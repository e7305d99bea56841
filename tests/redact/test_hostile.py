"""Hostile texts end in time, whatever they were made to do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace
from workbench.errors import RefusedError
from workbench.redact import redact_trace

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = [pytest.mark.desk, pytest.mark.slow]

KEY = bytes(range(32))
MEGA = 10_000_000
TEXTS: dict[str, Callable[[], str]] = {
    "one_letter": lambda: "z" * MEGA,
    "words": lambda: "lorem ipsum dolor " * (MEGA // 18),
    "digits": lambda: "7" * MEGA,
    "spaced_digits": lambda: "7 " * (MEGA // 2),
    "signs": lambda: "@" * MEGA,
    "dots_before_a_sign": lambda: "a." * (MEGA // 2) + "@",
    "addresses": lambda: "ab@cd.example, " * (MEGA // 15),
    "quotes": lambda: '"' * MEGA,
    "backslashes": lambda: "\\" * MEGA,
    "brackets": lambda: "[" * MEGA,
    "deep_json": lambda: "[" * 100_000 + "]" * 100_000,
    "percent": lambda: "%25" * (MEGA // 3),
    "pairs": lambda: "email=" * (MEGA // 6),
    "base64": lambda: "QUFB" * (MEGA // 4),
    "ideographs": lambda: "客户张" * (MEGA // 3),
    "zero_width": lambda: "a\u200b" * (MEGA // 2),
}


@pytest.mark.parametrize("length", [150_000, MEGA])
@pytest.mark.parametrize("name", TEXTS)
def test_a_hostile_text_ends_in_time(name: str, length: int) -> None:
    """In one argument: replaced, or refused since it was not read to its end (always at 10 MB)."""
    trace = a_trace(a_call("t", args={"x": TEXTS[name]()[:length]}), a_claim("ok"))
    started = time.process_time()

    try:
        done = redact_trace(trace, key=KEY, ner="none", survivors=())
        assert len(done.trace.events) == len(trace.events)
    except RefusedError as refusal:
        assert "not read to its end" in str(refusal)  # noqa: PT017  either end is right

    assert time.process_time() - started <= 30
