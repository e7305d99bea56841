"""A report leaves the room: it shows how it failed, holds no value, and runs nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.review.runs import CONTRACT, KEY, a_loaded, an_incident
from tests.runner.cases import a_pause_case
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import trace_document
from workbench.check.judge import judge
from workbench.model.event import Decision as Granted, Outcome, Permission
from workbench.model.ledger import LedgerEntry, RedactionNote, Residue, TriggerNote
from workbench.review.draft import open_draft
from workbench.review.markup import joined, tag
from workbench.review.masking import masked_case
from workbench.review.redact import redact_draft
from workbench.review.report import report_of_case, report_of_draft
from workbench.review.report_lanes import bars_of, lanes_picture
from workbench.review.report_page import report_page
from workbench.review.shrink import OracleKind, shrink_draft
from workbench.runner.repair import repair

pytestmark = pytest.mark.desk

DAY = "2026-11-30"
PAYLOADS = (
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "'-alert(1)-'",
    "</style><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
    "javascript:alert(1)",
    "&lt;script&gt;alert(1)",
    "{{constructor.constructor('alert(1)')()}}",
    "<a href=javascript:alert(1)>x</a>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "]]><!--<script>",
    "\u202egnp.exe\u2066 \u200b\u0000\u001b[31m",
)
ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "main", "header", "footer", "section"),
    *("p", "h1", "h2", "h3", "dl", "dt", "dd", "div", "span", "strong", "code", "pre", "a"),
    *("ol", "ul", "li", "table", "caption", "thead", "tbody", "tr", "th", "td"),
    *("svg", "desc", "rect", "line", "circle", "text"),
}


class Elements(HTMLParser):
    """Collects what a browser would make of a page."""

    def __init__(self):
        super().__init__()
        self.names = set()
        self.attributes = []

    def handle_starttag(self, tag, attrs):
        """Note an element."""
        self.names.add(tag)
        self.attributes += attrs


def elements(page):
    """Return the elements of a page."""
    parser = Elements()
    parser.feed(page)
    return parser


def words(page):
    """Return the page's text."""
    text = re.sub(r"<style>.*?</style>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", " ", text)


@pytest.fixture(scope="module")
def raw():
    """A raw draft."""
    return open_draft(a_loaded(), CONTRACT, key=KEY)


@pytest.fixture(scope="module")
def small(raw):
    """The same, redacted and shrunk."""
    return shrink_draft(redact_draft(raw, key=KEY, ner="none")[0], kind=OracleKind.RECORDED)[0]


def test_a_draft_says_what_broke_what_was_replaced_and_what_is_left(small):
    """The questions of a post-mortem, in its order."""
    report = report_of_draft(small, file="small.draft.json", date=DAY)

    page = words(report_page(report))

    assert report.title == report.verdict.violations[0].sentence
    assert report.same_failure
    assert "clauses broken" in page
    assert f"{small.shrink.events[0]} → {small.shrink.events[1]}" in page
    assert "EMAIL_ADDRESS" in page
    assert "schema: replay-case/1" in page
    assert "review_date: named-at-export" in page
    assert "workbench export small.draft.json --owner OWNER" in page
    assert "The failure is the same before and after." in page


def test_a_raw_draft_is_shown_masked_and_has_no_case(raw):
    """Somebody may attach it all the same."""
    page = report_page(report_of_draft(raw, file="raw.json", date=DAY))

    assert "ada.lovelace" not in page
    assert "Ada Lovelace" not in page
    assert "ACC-4471902" not in page
    assert "This trace is raw." in page
    assert "the draft is raw: a case is made of it once it is redacted" in page
    assert "workbench redact raw.json" in page


def test_a_redacted_draft_is_shrunk_next(raw):
    """The commands are those that are left."""
    redacted, _ = redact_draft(raw, key=KEY, ner="none")

    report = report_of_draft(redacted, file="r.json", date=DAY)

    assert report.commands[0] == "workbench shrink r.json -o r.json"
    assert "it was not shrunk yet" in report_page(report)


def test_a_draft_that_changed_its_failure_says_so(small):
    """Nobody may read "the same" where it is not."""
    other = replace(small, raw_signature=replace(small.raw_signature, clauses=frozenset({"x/1"})))

    page = words(report_page(report_of_draft(other, file="x", date=DAY)))

    assert "The failure is NOT the one of the incident." in page
    assert "There is none yet: the draft no longer fails as the incident did" in page


def test_a_case_says_whose_it_is_and_how_to_run_it():
    """A reader who never opens a notebook."""
    case = repair(a_pause_case(), name="repaired", by="ann")
    case = replace(case, why={"cause": "a blank", "n": 3})

    report = report_of_case(case, file="cases/pause.case.yaml")
    page = words(report_page(report))

    assert ("owner", "billing-agents") in report.facts
    assert ("accepted paths", "repaired") in report.facts
    assert report.why == (("cause", "a blank"),)
    assert "workbench run cases/pause.case.yaml --agent" in page
    assert "a@b.example" not in page
    assert "ACC-4471902" not in page
    assert "Your plan is paused" not in page


def test_what_broke_links_to_its_event():
    """A sentence without its evidence convinces nobody."""
    report = report_of_case(a_pause_case(), file="x")

    found = elements(report_page(report))

    links = {value for name, value in found.attributes if name == "href"}
    targets = {f"#{value}" for name, value in found.attributes if name == "id"}
    assert links
    assert links <= targets


@pytest.mark.parametrize("payload", PAYLOADS)
def test_no_text_of_a_trace_is_markup(payload):
    """In every field that a stranger can write; control and bidi characters are shown."""
    trace = a_trace(
        a_user(payload),
        a_call(payload, args={payload: payload}, result={payload: [payload]}),
        a_call("t", args={"a": payload}, outcome=Outcome.UNKNOWN, detail=payload),
        a_claim(payload),
        run_id=payload,
    )
    last = replace(trace.events[-1], agent=payload)
    trace = replace(trace, events=(*trace.events[:-1], last), tags=(payload,))
    contract = load_contract({"max_calls": {"t": 0}})
    note = RedactionNote(
        policy=payload,
        ledger=(
            LedgerEntry(at=(payload,), type=payload, pseudonym=payload, decision="rule"),
            LedgerEntry(at=(payload,), type=payload, decision="retained"),
        ),
        residue=Residue(views=1, hits=0),
        unreviewed=1,
    )
    draft = replace(
        open_draft(a_loaded(trace), contract, key=KEY, incident=payload),
        redaction=note,
        trigger=(TriggerNote(at=payload, facts=(payload,)),),
    )
    case = replace(a_pause_case(), title=payload, owner=payload, why={payload: payload})
    case = replace(case, source=replace(case.source, incident=payload))

    pages = [
        report_page(report_of_draft(draft, file=payload, date=DAY)),
        report_page(report_of_case(case, file=payload)),
    ]

    for page in pages:
        found = elements(page)
        assert found.names <= ALLOWED
        assert [name for name, _ in found.attributes if name.startswith(("on", "src"))] == []
        assert {name for name, _ in found.attributes} & {"style", "action", "data"} == set()
        assert all(value[:1] == "#" for name, value in found.attributes if name == "href")
        assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u0000\u001b]", page)
    if "\u202e" in payload:
        assert "\\u202e" in pages[1]


def test_the_page_forbids_scripts_and_requests():
    """A viewer obeys the page, whatever is in it."""
    page = report_page(report_of_case(a_pause_case(), file="x"))

    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)
    assert policy is not None
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy[1]
    assert "http://" not in page
    assert "https://" not in page
    assert "url(" not in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page


def test_a_long_trace_is_cut_around_what_broke_and_says_so():
    """Twenty thousand rows are no page; what is left out is counted."""
    calls = [a_call(f"tool.{n % 20}", args={"n": n}) for n in range(1200)]
    bad = a_call("billing.pause", outcome=Outcome.UNKNOWN)
    trace = a_trace(*calls[:600], bad, *calls[600:], a_claim("done"))
    contract = load_contract({"max_calls": {"billing.pause": 0, "tool.1": 0}})
    draft = open_draft(a_loaded(trace), contract, key=KEY)

    report = report_of_draft(draft, file="x", date=DAY)
    first, *others = report.verdict.violations
    wide = replace(first, evidence=tuple(range(0, 3000, 10)))
    wide_report = replace(report, verdict=replace(report.verdict, violations=(wide, *others)))

    page, full = report_page(report), report_page(wide_report)

    assert "56 of 3605 events: what is near the violations." in words(page)
    assert 'id="e1801"' in page
    assert " events …" in page
    assert "400 of 3605 events: what is near the violations." in words(full)
    assert "12 of 300 places are shown." in words(full)
    assert len(full) < 1_000_000


def test_more_violations_than_numbers_are_counted():
    """The picture numbers 99."""
    trace = a_trace(*(a_call(f"t{n}") for n in range(120)))
    contract = load_contract({"max_calls": {f"t{n}": 0 for n in range(120)}})
    draft = open_draft(a_loaded(trace), contract, key=KEY)

    page = words(report_page(report_of_draft(draft, file="x", date=DAY)))

    assert "99 of 120 violations are shown." in page


def test_the_picture_gives_a_lane_to_what_failed():
    """Among many tools the one that matters must not be one of the others."""
    others = [a_call(f"tool.{n}") for n in range(20)]
    granted = Permission(decision=Granted.GRANTED, tool="billing.pause")
    bad = a_call("billing.pause", outcome=Outcome.UNKNOWN)
    trace = a_trace(*others, granted, bad, a_claim("done"))

    picture = lanes_picture(trace, judge(trace, CONTRACT))

    assert "billing.pause" in picture
    assert "other tools" in picture
    assert "permissions, state" in picture
    assert [bar.lane for bar in bars_of(trace) if bar.bad] == ["billing.pause"]


def test_a_picture_of_very_many_steps_keeps_what_failed():
    """A browser draws two thousand bars, not twenty thousand."""
    calls = [a_call("t") for _ in range(2500)]
    trace = a_trace(*calls, a_call("billing.pause", outcome=Outcome.UNKNOWN))

    picture = lanes_picture(trace, judge(trace, CONTRACT))

    drawn = re.search(r"(\d+) of (\d+) steps", picture)
    assert drawn is not None
    assert int(drawn[1]) <= 2000 < int(drawn[2])
    assert 'class="bar tool bad"' in picture


def test_an_honest_trace_has_a_page_too(raw):
    """The contract may have been changed since."""
    draft = replace(raw, contract=load_contract({"max_calls": {"billing.pause": 9}}))

    page = words(report_page(report_of_draft(draft, file="x", date=DAY)))

    assert "nothing is violated" in page
    assert "No clause is broken." in page


def test_a_case_without_findings_and_one_that_was_stopped_say_so():
    """Zero is an answer; so is "not proven"."""
    case = a_pause_case()
    note = RedactionNote(policy="p", residue=Residue(views=1, hits=0), unreviewed=2)
    notes = tuple(TriggerNote(at=f"f{n}", facts=("valid",)) for n in range(50))

    report = report_of_case(replace(case, redaction=note, trigger=notes), file="x")
    page = words(report_page(report))

    assert "No value was found that had to be replaced." in page
    assert "2 texts seen by nobody yet" in page
    assert "40 of 50 places are shown." in page


def test_a_shrink_that_was_stopped_is_not_called_minimal(small):
    """The reason stands beside the figures."""
    note = replace(small.shrink, minimal=replace(small.shrink.minimal, behaviour=False))
    note = replace(note, why_stopped="the budget ended", nodes=None)

    page = words(report_page(report_of_draft(replace(small, shrink=note), file="x", date=DAY)))

    assert "not proven minimal: the budget ended" in page


def test_the_preview_keeps_the_build_and_masks_what_was_said():
    """How a case is made can be read; whom it is about cannot."""
    masked = masked_case(
        {
            "title": "as typed",
            "input": {"messages": [{"role": "user", "content": "Ada"}], "n": 7, "ok": True},
            "tools": [{"name": "t", "effect": "read", "schema": {"x": 1}, "description": "Ada"}],
            "paths": [{"name": "recorded", "turns": [{"text": "Ada", "outcome": "success"}]}],
            "fixtures": [
                {"id": "f1", "tool": "t", "detail": "http_504", "result": {"a b": ["Ada"]}},
                {"id": "f2", "tool": "t", "detail": "of Ada", "times": "any"},
                "Ada",
            ],
            "also_covers": ["run-ada"],
            "expect": {"signature": {"clauses": ["x"]}, "failing_version": "ada@1"},
        }
    )

    assert masked == {
        "title": "as typed",
        "input": {
            "messages": [{"role": "text(4)", "content": "text(3)"}],
            "n": "number",
            "ok": True,
        },
        "tools": [{"name": "t", "effect": "read", "schema": "masked", "description": "text(3)"}],
        "paths": [{"name": "recorded", "turns": [{"text": "text(3)", "outcome": "success"}]}],
        "fixtures": [
            {
                "id": "f1",
                "tool": "t",
                "detail": "http_504",
                "result": {"key(3) no. 1": ["text(3)"]},
            },
            {"id": "f2", "tool": "t", "detail": "text(6)", "times": "any"},
            "text(3)",
        ],
        "also_covers": ["text(7)"],
        "expect": {"signature": {"clauses": ["x"]}, "failing_version": "text(5)"},
    }


@pytest.mark.parametrize(
    "attributes",
    [
        {"onclick": "x"},
        {"style": "x"},
        {"src": "x"},
        {"class_": 'x" onclick="y'},
        {"href": "javascript:x"},
        {"a b": "x"},
    ],
)
def test_no_attribute_runs_or_loads(attributes):
    """Even if we wrote it ourselves by mistake."""
    with pytest.raises(AssertionError):
        tag("p", "x", **attributes)

    assert joined("a<", tag("rect", x=1.5)) == 'a&lt;<rect x="1.5"/>'


def test_the_incident_of_the_tests_holds_what_must_not_be_found():
    """Else the tests above would find nothing in anything."""
    text = str(trace_document(an_incident()))

    assert "ada.lovelace" in text
    assert "ACC-4471902" in text
