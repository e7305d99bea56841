"""`runs`, `show`, `judge`, `diagnose`, `store`: commands that only read."""

from __future__ import annotations

import json

import pytest

from tests.builders import a_call, a_claim, a_trace, a_user
from tests.cli.conftest import RUN, save_trace
from workbench.model.event import Outcome

pytestmark = pytest.mark.desk

SUGGESTION_KEYS = {"detector", "confidence", "clause", "contract", "evidence", "sentence"}


def test_runs_lists_what_is_in_the_store(demo, shell):
    """A person finds the incident's run."""
    said = shell("runs")
    document = shell("runs", "--json").document

    assert said.status == 0
    assert said.out.startswith("run_id")
    assert f"{RUN}  failed  replayable  134" in said.out
    assert said.out.endswith("1 of 1 runs\n")
    assert set(document) == {"runs", "total"}
    assert document["total"] == 1
    assert document["runs"][0]["run_id"] == RUN
    assert document["runs"][0]["status"] == "failed"
    assert document["runs"][0]["tags"] == ["billing", "timeout", "complaint=true"]


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--failed"], 1),
        (["--tag", "billing"], 1),
        (["--tag", "nothing"], 0),
        (["--since", "2026-11-17"], 1),
        (["--since", "2026-11-18"], 0),
        (["--search", "Helen"], 1),
        (["--search", "nobody of this name"], 0),
    ],
)
def test_runs_can_be_narrowed(demo, shell, words, found):
    """A store holds thousands."""
    said = shell("runs", *words, "--json")

    assert (said.status, said.document["total"]) == (0, found)


def test_an_impossible_day_is_an_error(demo, shell):
    """Else no run would be listed, and nobody would know why."""
    said = shell("runs", "--since", "2026-02-31")

    assert said.status == 4
    assert "Fix: " in said.err


def test_a_store_that_is_not_there_is_not_made_by_reading(folder, shell):
    """A typo in --store must not leave a folder behind."""
    for words in (["runs"], ["show", "x"], ["store", "verify"], ["store", "head"]):
        said = shell(*words, "--store", "nowhere")

        assert said.status == 4
        assert "Fix: " in said.err
        assert not (folder / "nowhere").exists()


def test_show_masks_values_unless_asked(demo, shell):
    """The output ends up in chats and tickets."""
    masked = shell("show", RUN)
    revealed = shell("show", RUN, "--reveal")

    assert masked.status == revealed.status == 0
    assert "account_id: text(12)" in masked.out
    assert "Helen" not in masked.out
    assert "Helen" in revealed.out
    assert "billing.pause -> unknown http_504" in masked.out


def test_show_as_a_document(demo, shell):
    """The whole trace is in it only when it was asked for."""
    masked = shell("show", RUN, "--json").document
    revealed = shell("show", RUN, "--reveal", "--json").document

    assert set(masked) == {
        *("run_id", "status", "grade", "losses", "assumed_tools", "trace", "events")
    }
    assert masked["trace"] is None
    assert len(masked["events"]) == 134
    assert "Helen" not in json.dumps(masked)
    assert revealed["trace"]["run_id"] == RUN


def test_a_run_may_be_a_file_or_one_of_a_file(demo, shell):
    """An incident is often just a file in a ticket."""
    assert shell("show", "incident.json").status == 0
    assert shell("show", f"incident.json#{RUN}").status == 0
    missing = shell("show", "incident.json#run-leafbox-2042")
    assert missing.status == 4
    assert f"did you mean '{RUN}'?" in missing.err


@pytest.mark.parametrize("reference", ["nosuch", "x" * 5000, "x\x00y", "nosuch.json#run"])
def test_a_run_that_is_nowhere_is_said(demo, shell, reference):
    """Also when the id is longer than a file name can be."""
    said = shell("show", reference)

    assert said.status == 4
    assert "Fix: `workbench runs` lists the runs" in said.err


def test_judge_fails_the_incident(demo, shell):
    """The recorded run breaks two of the five clauses."""
    said = shell("judge", RUN, "--contract", "contract.yaml")
    document = shell("judge", RUN, "--contract", "contract.yaml", "--json").document

    assert said.status == 1
    assert said.out.startswith("verdict: fail\n  FAIL ")
    assert "damaged_account_id: billing.pause was called; it is forbidden" in said.out
    assert set(document) == {"verdict", "violations", "inconclusive", "signature"}
    assert document["verdict"] == "fail"
    assert [v["seq"] for v in document["violations"]] == [121, 129]
    assert document["inconclusive"] == []
    assert document["signature"]["clauses"] == ["confirmed_before_promised", "damaged_account_id"]


def test_judge_passes_the_mended_run(demo, shell):
    """0 means that all clauses hold."""
    said = shell("judge", "mended.json", "--contract", "contract.yaml")

    assert said.status == 0
    assert said.out.startswith("verdict: pass\n  pass ")


def test_judge_says_what_it_cannot_know(folder, shell):
    """6, and the clause with its reason; not a pass."""
    trace = a_trace(a_user(), a_call("billing.pause", outcome=Outcome.UNKNOWN), a_claim("Hm."))
    save_trace(trace, folder / "a.json")
    (folder / "c.yaml").write_text(
        'success_requires: [{tool: billing.get, pred: "status == done"}]\n'
    )

    said = shell("judge", "a.json", "--contract", "c.yaml")
    document = shell("judge", "a.json", "--contract", "c.yaml", "--json").document

    assert said.status == 6
    assert "inconclusive success_requires/1: " in said.out
    assert document["verdict"] == "inconclusive"
    assert [set(entry) for entry in document["inconclusive"]] == [{"clause", "sentence"}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("max_cals: {a: 1}\n", "Fix: write max_calls"),
        ("max_calls: {a: -1}\n", "c.yaml:1"),
        ("a: &x [1]\nb: *x\n", "anchors are not allowed"),
        ("", "is empty"),
        ("- 1\n", "expected a mapping"),
    ],
)
def test_a_contract_that_is_none_ends_with_4(demo, shell, text, message):
    """A clause that is not read as meant would pass for ever."""
    (demo / "c.yaml").write_text(text)

    said = shell("judge", RUN, "--contract", "c.yaml")

    assert (said.status, said.out) == (4, "")
    assert message in said.err


def test_judge_names_a_tool_that_the_run_does_not_list(demo, shell):
    """A slip in a name would be a clause that holds whatever happens."""
    (demo / "c.yaml").write_text("finishes: true\norder:\n  - after: [billing.pauze, billing.*]\n")

    said = shell("judge", RUN, "--contract", "c.yaml")

    assert (said.status, said.out) == (4, "")
    assert "c.yaml:3: order.0.after.0 names no tool of the run; expected one" in said.err
    assert "Fix: write billing.pause\n" in said.err


def test_judge_takes_any_name_when_the_run_lists_no_tools(folder, shell):
    """A list that was only gathered from calls leaves out what was not called."""
    save_trace(a_trace(a_user(), a_call("billing.pause"), a_claim("Hm.")), folder / "a.json")
    (folder / "c.yaml").write_text("must_call: [billing.pauze]\n")

    said = shell("judge", "a.json", "--contract", "c.yaml")

    assert said.status == 1
    assert "must_call/1" in said.out


def test_diagnose_proposes_clauses_with_their_evidence(demo, shell):
    """A person decides; the events are named so that they can look."""
    said = shell("diagnose", RUN)
    document = shell("diagnose", RUN, "--json").document

    assert said.status == 0
    assert "high: success_without_read_back" in said.out
    assert "(events 121, 122, 125, 126, 129)" in said.out
    assert set(document) == {"suggestions"}
    assert document["suggestions"]
    assert all(set(s) == SUGGESTION_KEYS for s in document["suggestions"])


def test_a_suggested_contract_can_be_judged(demo, shell):
    """What is printed is copied into a file."""
    suggestion = shell("diagnose", RUN, "--json").document["suggestions"][0]
    (demo / "suggested.json").write_text(json.dumps(suggestion["contract"]))

    said = shell("judge", RUN, "--contract", "suggested.json", "--json")

    assert said.status == 1
    assert {v["clause"].partition("/")[0] for v in said.document["violations"]} == {
        suggestion["clause"]
    }


def test_nothing_to_suggest_is_said(folder, shell):
    """Silence could be a crash."""
    save_trace(a_trace(a_user(), a_claim("Hello.")), folder / "a.json")

    said = shell("diagnose", "a.json")

    assert said.status == 0
    assert said.out.startswith("no detector has anything to suggest; state the contract by hand\n")
    assert "docs/settings.md" in said.out
    assert "docs/contract.md" in said.out


def test_a_sound_store_is_verified(demo, shell):
    """A reviewer trusts the raw data only if a change of it is evident."""
    plain = shell("store", "verify")
    deep = shell("store", "verify", "--deep")
    document = shell("store", "verify", "--json").document
    head = shell("store", "head").out.strip()

    assert plain.status == deep.status == 0
    assert plain.out.startswith("sound: ")
    assert ", 134 events" in deep.out
    assert set(document) == {"sound", "damages", "entries", "files", "rows", "orphans"}
    assert document["sound"] is True
    assert shell("store", "head", "--json").document == {"head": head}
    assert shell("store", "verify", "--head", head).status == 0


def test_a_head_that_the_store_never_had_is_damage(demo, shell):
    """The case carries the head: a store that was rewritten shows."""
    head = shell("store", "head").out.strip()
    digest = head.partition("-")[2]
    other = head.replace(digest, digest[::-1])

    said = shell("store", "verify", "--head", other)
    document = shell("store", "verify", "--head", other, "--json").document

    assert said.status == 1
    assert said.out.strip()
    assert document["sound"] is False
    assert document["damages"]


def test_what_is_no_head_is_a_usage_error(demo, shell):
    """A path or an id typed there would look like damage."""
    said = shell("store", "verify", "--head", "latest")

    assert said.status == 4
    assert "--head: is no head of a store; expected VERSION-SHA256" in said.err


def test_a_changed_file_of_the_store_is_found(demo, shell):
    """One flipped byte in a Parquet file."""
    path = next(demo.joinpath("store").rglob("*.parquet"))
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.chmod(0o644)
    path.write_bytes(data)

    said = shell("store", "verify", "--deep")

    assert said.status == 1
    assert said.out.strip()
