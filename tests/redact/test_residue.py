"""A table of hides: each is found."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from urllib.parse import quote

import pytest

from workbench.redact.residue import Needle, needle_of, scan, view_count

pytestmark = pytest.mark.desk

MAIL = "jane.doe+x@fabrikam.com"
CARD = "4459845551439728"
PHONE = "289-218-4011"
NEEDLES = (
    needle_of(MAIL, "EMAIL_ADDRESS"),
    needle_of(CARD, "CREDIT_CARD"),
    needle_of(PHONE, "PHONE_NUMBER"),
)


def _b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


HIDES = {
    "raw": MAIL,
    "upper": MAIL.upper(),
    "in_a_word": f"xx{MAIL}yy",
    "url": quote(MAIL, safe=""),
    "url_twice": quote(quote(MAIL, safe=""), safe=""),
    "base64_at_0": _b64(MAIL.encode()),
    "base64_at_1": _b64(b"a " + MAIL.encode() + b" zz"),
    "base64_at_2": _b64(b"ab " + MAIL.encode() + b" zz"),
    "base64_cut": _b64(b"abc" + MAIL.encode())[1:],
    "base64url": base64.urlsafe_b64encode(b"??>>" + MAIL.encode() + b"??").decode(),
    "hex": MAIL.encode().hex(),
    "hex_upper": MAIL.encode().hex().upper(),
    "hex_colons": ":".join(f"{b:02x}" for b in MAIL.encode()),
    "escapes": "".join(f"\\u{ord(c):04x}" for c in MAIL),
    "x_escapes": "".join(f"\\x{ord(c):02x}" for c in MAIL),
    "json_in_json": json.dumps(json.dumps(MAIL.replace("@", "\u0040"))),
    "decimal_entities": "".join(f"&#{ord(c)};" for c in MAIL),
    "hex_entities": "".join(f"&#x{ord(c):x};" for c in MAIL),
    "named_entity": MAIL.replace("@", "&commat;"),
    "gzip": _b64(gzip.compress(json.dumps({"m": MAIL}).encode(), mtime=0)),
    "jwt": "eyJhbGciOiJIUzI1NiJ9." + _b64(json.dumps({"sub": MAIL}).encode()).rstrip("=") + ".x",
    "full_width": "".join(chr(ord(c) + 0xFEE0) for c in MAIL),
    "zero_width": "\u200b".join(MAIL),
    "reversed": MAIL[::-1],
    "spaced_digits": " ".join(CARD),
    "dotted_digits": ".".join(CARD),
    "grouped_digits": "4459 8455 5143 9728",
    "other_separators": "(289) 218.4011",
    "no_separators": "2892184011",
    "md5": hashlib.md5(MAIL.encode(), usedforsecurity=False).hexdigest(),
    "sha1": hashlib.sha1(MAIL.encode(), usedforsecurity=False).hexdigest(),
    "sha256": hashlib.sha256(MAIL.encode()).hexdigest(),
    "sha256_of_lower": hashlib.sha256(MAIL.lower().encode()).hexdigest().upper(),
}


@pytest.mark.parametrize("name", HIDES)
def test_a_hidden_value_is_found_and_blocks(name: str) -> None:
    """Whoever reads the case can undo each of these."""
    document = json.dumps({"text": f"see {HIDES[name]} there"}, ensure_ascii=False).encode()

    hits = scan(document, NEEDLES)

    assert any(hit.blocking for hit in hits)


def test_a_value_cut_in_two_is_found() -> None:
    """Two adjacent texts of a list read as one."""
    hits = scan(json.dumps({"parts": ["jane.doe+x", "@fabrikam.com"]}).encode(), NEEDLES)

    assert {hit.view for hit in hits} == {"split"}


def test_a_word_that_the_seam_cuts_is_no_value() -> None:
    """Only the ends of two texts are joined, and where an end begins is no boundary of a word."""
    needle = [needle_of("Services", "PERSON", word=True)]
    ends = ["a TechServices " + "x" * n for n in range(40, 64)]
    starts = ["y " * 20 + "z" * n + " ServicesTech" for n in range(24)]

    assert scan(json.dumps([*ends, *starts]).encode(), needle) == ()
    assert scan(json.dumps(["a Serv", "ices b"]).encode(), needle)


def test_keys_and_names_of_files_count() -> None:
    """A key is text like any other."""
    assert scan(json.dumps({MAIL: 1}).encode(), NEEDLES)


def test_clean_bytes_have_no_hits() -> None:
    """A false alarm teaches people to click it away."""
    words = "The customer asked for a refund of 128.40 EUR on 2026-01-02T03:04:05.678901Z."
    noise = [hashlib.sha256(str(n).encode()).hexdigest() for n in range(50)]

    assert scan(json.dumps([words, *noise]).encode(), NEEDLES) == ()


def test_short_values_are_shown_and_do_not_block() -> None:
    """Four digits may be anything; a person settles them."""
    hits = scan(b'{"tail": "4711"}', [needle_of("4711", "CREDIT_CARD")])

    assert hits
    assert not any(hit.blocking for hit in hits)


def test_a_single_word_of_a_name_counts_only_as_it_is_written() -> None:
    """`Rose` is a person, `rose` is a flower or a verb."""
    needle = [needle_of("Rosemarie", "PERSON", word=True)]

    assert scan(b'{"a": "for Rosemarie"}', needle)
    assert not scan(b'{"a": "for rosemarie"}', needle)


def test_a_needle_shows_nothing_of_its_value() -> None:
    """It may end up in a traceback."""
    assert MAIL not in repr(NEEDLES[0])
    assert repr(Needle(text="ab")) == "Needle(value, 2 characters)"
    assert view_count() >= 14


@pytest.mark.parametrize(
    "data", [b"", b"\xff\xfe\x00", b"A" * 200_000, b"\\" * 50_000, b"%25" * 30_000]
)
def test_any_bytes_can_be_scanned(data: bytes) -> None:
    """The scan is the last gate: it must not fall over."""
    assert scan(data, NEEDLES) == ()


def test_damaged_encodings_are_no_error() -> None:
    """Text that only looks like gzip, base64 or a token."""
    bad = f"eyJhbGciOi.{'A' * 17} {_b64(bytes([31, 139]) + b'nothing inside')} {'eyJx'}"

    assert scan(bad.encode(), NEEDLES) == ()
