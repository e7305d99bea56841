"""Where addresses of mail start and end."""

from __future__ import annotations

import pytest

from workbench.redact.mail import mail_spans

pytestmark = pytest.mark.desk


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("to ann.lee@163.com now", ["ann.lee@163.com"]),
        ("to ann@2x.io", ["ann@2x.io"]),
        ("ann@students,ox.ac.uk", ["ann@students,ox.ac.uk"]),
        ('"ann@hey.com."', ["ann@hey.com."]),
        ("ann@hey.com.", ["ann@hey.com."]),
        ("write to ann@hey.com. Then wait.", ["ann@hey.com"]),
        ("ann@hey.com_", ["ann@hey.com_"]),
        ("react@18.2.0 prompt@v43 x@1.2.3-beta", []),
        ("git clone https://user:pass@host.example/x", []),
        ("@ alone, a @ b", []),
    ],
)
def test_an_address_is_taken_with_its_damage(text: str, values: list[str]) -> None:
    """Hosts may start with a digit; versions are no hosts."""
    assert [text[start:end] for start, end in mail_spans(text)] == values
