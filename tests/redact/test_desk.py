"""What a person sees and decides, and takes back."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from workbench.casefile.codec import encode
from workbench.casefile.contract import load_contract
from workbench.casefile.trace import trace_document
from workbench.errors import InputError
from workbench.model.event import Outcome
from workbench.redact.desk import Cluster, Look, decide, look, undo
from workbench.redact.policy import DEFAULT_POLICY, DecisionWord, Policy, Strategy, load_policy

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.desk

KEY = bytes(range(32))
MAIL = "rachel.rivera@fabrikam.com"
CONTRACT = load_contract({"max_calls": {"billing.pause": 0}})
TRACE = a_trace(
    a_user(f"This is Rachel Rivera. Old account ACC-1200034, mail {MAIL}."),
    a_call("billing.pause", args={"account_id": "ACC-4471902 "}, outcome=Outcome.UNKNOWN),
    a_claim("Rachel, acc-4471902 is paused."),
)


def looked(policy: Policy = DEFAULT_POLICY, survivors: tuple[str, ...] | None = None) -> Look:
    """Look at the trace under a policy."""
    return look(TRACE, contract=CONTRACT, policy=policy, key=KEY, survivors=survivors, ner="none")


def holding(seen: Look, text: str) -> Cluster:
    """Return the cluster that a value is in."""
    return next(c for c in seen.clusters if any(x.value.strip() == text for x in c.contexts))


def text_of(seen: Look) -> str:
    """Return the redacted trace as text."""
    return json.dumps(trace_document(seen.redaction.trace))


def test_a_cluster_is_shown_with_all_that_a_person_needs() -> None:
    """Contexts, pseudonyms, facts, and whether it makes the failure happen."""
    cluster = holding(looked(), "ACC-4471902")

    values = {context.value.strip(): context for context in cluster.contexts}
    assert set(values) == {"ACC-4471902", "acc-4471902"}
    assert values["acc-4471902"].before == "Rachel, "
    assert values["acc-4471902"].after == " is paused."
    assert values["acc-4471902"].pseudonym == values["ACC-4471902"].pseudonym.lower().strip()
    assert cluster.on_trigger
    assert cluster.type == "ACCOUNT_ID"
    assert "chars:digits+letters+marks" in cluster.facts_kept
    assert cluster.facts_lost == ()
    assert cluster.decision is None


def test_what_reaches_the_case_comes_first() -> None:
    """Only that needs eyes."""
    seen = looked(survivors=("#1.args.account_id",))

    assert [c.surviving for c in seen.clusters] == sorted(
        (c.surviving for c in seen.clusters), reverse=True
    )
    assert "ACC-4471902" in {x.value.strip() for x in seen.clusters[0].contexts}


@pytest.mark.parametrize("word", [DecisionWord.REJECTED, DecisionWord.RETAINED])
def test_a_decision_is_about_one_cluster_and_can_be_taken_back(word: DecisionWord) -> None:
    """Another value of the same text of the trace is still replaced."""
    cluster = holding(looked(), MAIL)

    policy = decide(DEFAULT_POLICY, cluster, word, by="dana", reason="a test inbox")

    kept = looked(policy)
    assert MAIL in text_of(kept)
    assert "Rivera" not in text_of(kept).replace(MAIL, "")
    assert "1200034" not in text_of(kept)
    assert holding(kept, MAIL).decision == policy.decisions[-1]
    assert {x.stays for x in holding(kept, MAIL).contexts} == {word.value}
    assert kept.redaction.residue.hits == 0
    assert MAIL not in text_of(looked(undo(policy)))
    assert undo(policy) == DEFAULT_POLICY


def test_another_draw_is_another_pseudonym_for_that_cluster_only() -> None:
    """Twice is once more."""
    first = looked()
    cluster = holding(first, "ACC-4471902")

    once = decide(
        DEFAULT_POLICY, cluster, DecisionWord.ACCEPTED, by="d", strategy=Strategy.NEXT_DRAW
    )
    twice = decide(once, cluster, DecisionWord.ACCEPTED, by="d", strategy=Strategy.NEXT_DRAW)

    drawn = [
        next(x.pseudonym for x in holding(s, "ACC-4471902").contexts)
        for s in (first, looked(once), looked(twice))
    ]
    assert len(set(drawn)) == 3
    mails = {next(x.pseudonym for x in holding(s, MAIL).contexts) for s in (first, looked(once))}
    assert len(mails) == 1
    entry = next(e for e in looked(once).redaction.ledger if e.pseudonym == drawn[1].strip())
    assert (entry.decision, entry.strategy) == ("accepted", "next_draw")


def test_a_length_can_be_asked_for_one_cluster() -> None:
    """As with `exact_length`, without a file."""
    trace = a_trace(a_call("t", args={"email": "jo@x.io"}), a_claim("ok"))
    seen = look(trace, policy=DEFAULT_POLICY, key=KEY, ner="none")

    policy = decide(
        DEFAULT_POLICY,
        holding(seen, "jo@x.io"),
        DecisionWord.ACCEPTED,
        by="d",
        strategy=Strategy.EXACT_LENGTH,
    )

    again = look(trace, policy=policy, key=KEY, ner="none")
    assert {len(x.pseudonym) for x in again.clusters[0].contexts} == {len("jo@x.io")}


def test_decisions_without_a_name_or_reason_are_refused() -> None:
    """A record that nobody stands for is none."""
    cluster = holding(looked(), MAIL)

    with pytest.raises(InputError, match="nobody is named"):
        decide(DEFAULT_POLICY, cluster, DecisionWord.SEEN, by=" ")
    with pytest.raises(InputError, match="without a reason"):
        decide(DEFAULT_POLICY, cluster, DecisionWord.RETAINED, by="dana")
    with pytest.raises(InputError, match="strategy is given for what is rejected"):
        decide(DEFAULT_POLICY, cluster, DecisionWord.REJECTED, by="d", strategy=Strategy.NEXT_DRAW)
    with pytest.raises(InputError, match="no decision to take back"):
        undo(DEFAULT_POLICY)


def test_decisions_are_records_of_the_policy_file(tmp_path: Path) -> None:
    """What was clicked gives the same headless."""
    cluster = holding(looked(), "ACC-4471902")
    policy = decide(
        DEFAULT_POLICY, cluster, DecisionWord.ACCEPTED, by="dana", strategy=Strategy.NEXT_DRAW
    )
    file = tmp_path / "redaction.yaml"
    records = [encode(decision) for decision in policy.decisions]
    file.write_text(json.dumps({"schema": "redaction/1", "decisions": records}))

    again = load_policy(file)

    assert again.decisions == policy.decisions
    assert looked(again).redaction.trace == looked(policy).redaction.trace
    assert len(policy.decisions[0].also) == len(cluster.places) - 1


def test_nothing_raw_is_in_a_text_form() -> None:
    """A traceback may show it."""
    assert [raw for raw in ("Rachel", "4471902", "fabrikam") if raw in repr(looked())] == []


def test_more_places_are_checked_as_places(tmp_path: Path) -> None:
    """A mistake in the fifth place is one in the file."""
    file = tmp_path / "redaction.yaml"
    record = {"at": "a", "also": ["b", ""], "decision": "seen", "by": "d"}
    file.write_text(json.dumps({"schema": "redaction/1", "decisions": [record]}))

    with pytest.raises(InputError, match=r"decisions\.0\.also\.1"):
        load_policy(file)


def test_a_value_says_where_in_which_text_it_stands() -> None:
    """A reader is shown it in its line, with all other values of that line masked."""
    cluster = holding(looked(), MAIL)

    for context in cluster.contexts:
        end = context.start + len(context.value)
        assert context.text[context.start : end] == context.value
        assert context.text.startswith("This is ")


def test_a_text_that_nobody_settled_is_there_to_be_read() -> None:
    """All its places come along, so that one look settles it everywhere."""
    trace = a_trace(a_user("Please do pause my plan."), a_call("billing.pause"), a_claim("Done."))

    seen = look(trace, policy=DEFAULT_POLICY, key=KEY, ner="none")

    assert seen.open_texts[0].text == "Please do pause my plan."
    assert seen.open_texts[0].places == ("#0.text",)
    assert "pause my plan" not in repr(seen.open_texts)
