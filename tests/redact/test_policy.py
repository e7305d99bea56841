"""`redaction.yaml` is read strictly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from workbench.errors import CaseFormatError
from workbench.redact.detect import Ner
from workbench.redact.policy import DecisionWord, find_declared, load_policy
from workbench.redact.special import Dates

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk

FULL = """
schema: redaction/1
fields: {"**.member_ref": MEMBER_ID}
patterns: [{pattern: "MBR-[0-9]{4}", type: MEMBER_ID, prefix: "MBR-"}]
retain: [{at: "#3.args.city", reason: a public place, by: dana}]
trigger: ["#7.args.note"]
decisions: [{at: "user:text", decision: seen, by: dana}]
dates: shift_28_years
ner: none
exact_length: ["**.email"]
ordered: ["**.account_id"]
share_across_cases: true
"""


def test_every_field_is_read(tmp_path: Path) -> None:
    """All that a person can declare."""
    file = tmp_path / "redaction.yaml"
    file.write_text(FULL)

    policy = load_policy(file)

    assert policy.name == "redaction@1"
    assert policy.fields == {"**.member_ref": "MEMBER_ID"}
    assert policy.dates is Dates.SHIFT_28_YEARS
    assert policy.ner is Ner.NONE
    assert policy.decisions[0].decision is DecisionWord.SEEN
    assert [glob.text for glob in policy.globs("trigger")] == ["#7.args.note"]
    assert [f.type for f in find_declared(policy, "for MBR-1234")] == ["MEMBER_ID"]
    assert policy.share_across_cases


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": None}, "schema is not known|schema is missing"),
        ({"schema": "redaction/9"}, "schema is not known"),
        ({"feilds": {}}, "write fields"),
        ({"name": "x"}, "name is not a field"),
        ({"dates": "sometimes"}, "expected one of shift_weeks"),
        ({"patterns": [{"pattern": "(", "type": "X"}]}, "is not an RE2 pattern"),
        ({"patterns": [{"pattern": "a*", "type": "X"}]}, "matches the empty text"),
        ({"patterns": [{"pattern": "(?=x)", "type": "X"}]}, "is not an RE2 pattern"),
        ({"trigger": [" . "]}, "is no place"),
        ({"fields": {"**.**.**.x": "X"}}, "is no place"),
        ({"retain": [{"at": "", "reason": "x"}]}, "is no place"),
        ({"decisions": [{"at": "x", "decision": "seen"}]}, "by is missing"),
    ],
)
def test_what_is_wrong_is_named(change: dict[str, Any], message: str) -> None:
    """A typing error in a policy must not turn into a leak."""
    with pytest.raises(CaseFormatError, match=message):
        load_policy({"schema": "redaction/1", **change})
