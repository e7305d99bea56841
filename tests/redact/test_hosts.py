"""Names of hosts are one name wherever they stand."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import trace_document
from workbench.redact import redact_trace, require_safe
from workbench.redact.assign import Value, assign
from workbench.redact.cues import find_cued
from workbench.redact.draws import Drawer

if TYPE_CHECKING:
    from workbench.model.trace import Trace

pytestmark = pytest.mark.desk

KEY = bytes(range(32))
HOST = "harbour-lights-7.net"
PLACES = (
    f"www.{HOST}",
    f"https://www.{HOST}/a/b?c=1",
    f"see [it](http://{HOST}/x) or **{HOST}**.",
    json.dumps({"page": {"link": f"http://{HOST}:8080"}}),
    f"shop.{HOST}",
)


def browsing() -> Trace:
    """Somebody's own site is named in prose, and visited under many forms."""
    return a_trace(
        a_user(f"My homepage is www.{HOST}/mary-jane."),
        *(a_call("browse", args={"url": text}) for text in PLACES),
        a_claim("Done."),
    )


@pytest.mark.parametrize("literal", [HOST, f"www.{HOST}", f"://{HOST}", HOST.removesuffix(".net")])
def test_a_host_is_contained_where_it_was(literal: str) -> None:
    """Behind `www.`, in a path, in prose, in markdown, in JSON."""
    contract = load_contract(
        {"forbid_call": [{"tool": "browse", "where": [f'url contains "{literal}"']}]}
    )

    done = redact_trace(browsing(), contract=contract, key=KEY, ner="none")

    text = json.dumps(trace_document(done.trace))
    assert done.signature_same
    assert "harbour" not in text
    assert "mary-jane" not in text
    require_safe(done)


def test_all_forms_have_one_name() -> None:
    """Whoever reads the case sees that it is one site."""
    done = redact_trace(browsing(), key=KEY, ner="none")

    text = json.dumps(trace_document(done.trace))
    hosts = set(re.findall(r"[a-z]+-[a-z]+-\d\.[a-z]+", text))
    assert len(hosts) == 1
    assert text.count(hosts.pop()) >= len(PLACES)


def test_a_name_in_a_known_host_stays_in_it() -> None:
    """Sub-domains, of addresses too; one damaged letter makes another host."""
    texts = {
        "fabrikam.com": "DOMAIN_NAME",
        "shop.eu.fabrikam.com": "DOMAIN_NAME",
        "jo.lee@mail.fabrikam.com": "EMAIL_ADDRESS",
        "notfabrikam.com": "DOMAIN_NAME",
        "www.fabrikam.com": "DOMAIN_NAME",
    }

    done = assign([Value(text=t, type=k) for t, k in texts.items()], Drawer(KEY)).pseudonyms

    base = done["fabrikam.com"]
    assert done["shop.eu.fabrikam.com"].endswith(f".{base}")
    assert done["jo.lee@mail.fabrikam.com"].endswith(f".{base}")
    assert done["www.fabrikam.com"] == f"www.{base}"
    assert not done["notfabrikam.com"].endswith(f".{base}")
    assert done["shop.eu.fabrikam.com"].split(".")[0] != "shop"


def test_only_somebodys_own_site_is_found() -> None:
    """Addresses of services are what the trace is about."""
    text = "Docs are at https://www.python.org/doc. My website: https://www.anna-lee.org/cv!"

    found = [(text[f.start : f.end], f.type) for f in find_cued(text)]

    assert found == [("anna-lee.org", "DOMAIN_NAME"), ("/cv", "USERNAME")]
