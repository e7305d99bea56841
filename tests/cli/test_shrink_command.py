"""`workbench shrink --texts`, `--stimulus`: what else may go, and what may not yet."""

from __future__ import annotations

from workbench.casefile.draft import load_draft
from workbench.model.case import Stimulus
from workbench.model.event import Claim


def claims_of(path):
    """Return what people were told in a draft's trace."""
    return [event.text for event in load_draft(path).trace.events if isinstance(event, Claim)]


def test_texts_lose_words_on_request_and_the_draft_can_still_be_exported(demo, shell):
    """The case is smaller and still fails as the incident did."""
    whole = shell("shrink", "redacted.draft.json", "-o", "whole.json", "--json").document
    said = shell("shrink", "redacted.draft.json", "--texts", "-o", "cut.json", "--json")

    assert said.status == 0, said.err
    assert said.document["signature"] == whole["signature"]
    assert said.document["minimal"]["behaviour"] is True
    assert sum(map(len, claims_of(demo / "cut.json"))) < sum(
        map(len, claims_of(demo / "whole.json"))
    )
    details = ("--owner", "billing", "--review-date", "2027-02-28", "--without-ner")
    exported = shell("export", "cut.json", *details, "-o", "cases/cut.case.yaml")
    assert exported.status == 0, exported.err
    assert shell("check", "cases/cut.case.yaml").status in (0, 5)


def test_value_flow_is_what_keeps_the_stimulus(demo, shell):
    """The default, by its name."""
    said = shell("shrink", "redacted.draft.json", "--stimulus", "flow", "-o", "x.json")

    note = load_draft(demo / "x.json").shrink
    assert said.status == 0
    assert note is not None
    assert note.minimal.stimulus is Stimulus.KEPT_BY_FLOW


def test_a_live_stimulus_is_refused_until_there_is_a_live_oracle(demo, shell):
    """Only trials of the real model could show what it did not need to see."""
    said = shell("shrink", "redacted.draft.json", "--stimulus", "live", "-o", "x.json")

    assert (said.status, said.out) == (4, "")
    assert "there is no live oracle yet" in said.err
    assert "Fix: --stimulus flow" in said.err
    assert not (demo / "x.json").exists()
