"""The search for canaries finds them in every form that a writer may use, and only then."""

from __future__ import annotations

import base64
import gzip
import html
import json
from urllib.parse import quote

import pytest

from tests.ui.canaries import Canaries, a_canary_store, files_of, leaks_in, search
from tests.ui.text_fields import fields_with, text_fields
from workbench.casefile.codec import encode
from workbench.casefile.contract import load_contract
from workbench.casefile.draft import save_draft
from workbench.model.settings import Settings
from workbench.review.draft import open_draft
from workbench.review.redact import redact_into
from workbench.review.source import Lookup, find_run
from workbench.review.vault import Vault

CANARIES = Canaries()
MAIL = CANARIES.mail("planted")
WORD = CANARIES.word("planted")
SPLIT = WORD[:4] + "{}" + WORD[4:]

FORMS = {
    "plain": MAIL,
    "upper case": MAIL.upper(),
    "JSON": json.dumps({"a": json.dumps([MAIL + '"\n'])}),
    "JSON escapes": "".join(f"\\u{ord(c):04x}" for c in WORD),
    "escapes of escapes": "".join(f"\\\\u{ord(c):04x}" for c in WORD),
    "hex escapes": "".join(f"\\x{ord(c):02x}" for c in WORD),
    "HTML": html.escape(f"<b>{MAIL}</b>"),
    "HTML numbers": "".join(f"&#{ord(c)};" for c in WORD),
    "URL": quote(f"/a b/{MAIL}", safe=""),
    "all of a URL": "".join(f"%{ord(c):02X}" for c in WORD),
    "twice a URL": "".join(f"%25{ord(c):02X}" for c in WORD),
    "base64": base64.b64encode(MAIL.encode()).decode(),
    "base64, one before": base64.b64encode(f"x{MAIL}".encode()).decode(),
    "base64, two before": base64.urlsafe_b64encode(f"xy{MAIL}".encode()).decode(),
    "hex": MAIL.encode().hex(),
    "reversed": MAIL[::-1],
    "visible escape": SPLIT.format("\u27e8U+202E\u27e9"),
    "visible escape of JSON": SPLIT.format("\\u202e"),
    "zero width": SPLIT.format("\u200b"),
    "soft hyphen": SPLIT.format("\u00ad"),
    "markup": SPLIT.format('</span><span class="match">'),
    "spaced": " ".join(WORD),
    "lines": SPLIT.format("\\\n"),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_planted_canary_is_found(form):
    """A search that cannot find is green for ever."""
    text = f'{{"cells": ["before {FORMS[form]} after"]}}'

    (hit,) = search(text.encode(), CANARIES, where="a notebook")

    assert hit.place == "planted"
    assert hit.where == "a notebook"


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: data.decode().encode("utf-16")])
def test_packed_and_wide_texts_are_looked_through(pack):
    """Checkpoints and databases need not be UTF-8."""
    assert search(pack(MAIL.encode()), CANARIES)


def test_what_is_no_canary_is_not_found():
    """Nor would a search be of use that finds everything."""
    others = Canaries(words={"other": "zq7wwww999x"})
    text = json.dumps([f"zq7{n:05}" for n in range(500)] + [WORD[:-1], WORD[1:]])

    assert search(text.encode(), CANARIES) == []
    assert search(MAIL.encode(), others) == []


def test_names_of_files_are_searched_and_kept_folders_are_not(tmp_path):
    """A draft could be named after its run."""
    for folder in ("saved", "kept"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / f"{MAIL}.json").write_text("{}", "utf-8")

    hits = leaks_in(files_of(tmp_path, but=[tmp_path / "kept"]), CANARIES)

    assert [(hit.place, hit.where) for hit in hits] == [("planted", "name of a file")]


@pytest.mark.desk
def test_every_canary_is_in_the_store(tmp_path):
    """A field without its canary would prove nothing."""
    canaries = Canaries()
    run = a_canary_store(tmp_path / "store", canaries)
    found = find_run(run, Lookup(store=str(tmp_path / "store"), settings=Settings()))

    held = json.dumps(encode(found.trace), default=str)
    assert [place for place, word in canaries.words.items() if word not in held] == []
    assert len(canaries.words) > 50


CLOSED = {
    "Source.format": "a name of ours",
    "Source.place": "a number of a line, of ours",
}
"""Fields of a text that no recorder chooses."""


@pytest.mark.desk
def test_every_field_of_a_trace_has_its_canary(tmp_path):
    """A field that is new in the format is searched for from its first day."""
    run = a_canary_store(tmp_path / "store", Canaries())
    found = find_run(run, Lookup(store=str(tmp_path / "store"), settings=Settings()))

    held = fields_with(r"zq7\w+x", found.trace)

    without = {name for name in text_fields() - held if not name.endswith(".at")}
    assert without == set(CLOSED)
    assert "UserMessage.at" in held  # it is one field of all kinds


@pytest.mark.desk
def test_a_redacted_draft_holds_no_canary_but_what_it_must(tmp_path):
    """Whatever field a recorder puts a value into, times that are none included, it is replaced."""
    canaries, key = Canaries(), bytes(32)
    run = a_canary_store(tmp_path / "store", canaries)
    loaded = find_run(run, Lookup(store=str(tmp_path / "store"), settings=Settings()))
    raw = open_draft(loaded, load_contract({"max_calls": {"billing.pause": 0}}), key=key)

    draft, _ = redact_into(Vault(tmp_path / "keys"), raw, key=key, ner="none")

    save_draft(draft, tmp_path / "redacted.json")
    hits = search((tmp_path / "redacted.json").read_bytes(), canaries)
    assert {hit.place for hit in hits} == {"tool name", "schema key"}  # the protocol of the tools
