"""What a trace holds stays where it belongs: in the store, in raw drafts and in the key folder."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import RUN

pytestmark = pytest.mark.desk

DETAILS = ("--owner", "billing", "--review-date", "2027-02-28", "--without-ner")
CANARY = "zq{}.canary{}@hidden-mail.example"
"""An address in every text: a detector finds it, and no other text looks like it."""


class Planter:
    """Puts a canary into each free text of a trace: one for each kind of place."""

    def __init__(self):
        self.by_place = {}

    def canary(self, place):
        """Return the canary of a kind of place."""
        n = len(self.by_place)
        return self.by_place.setdefault(place, CANARY.format("abcdefghij"[n % 10] * 3, n))

    def into(self, value, place):
        """Return a JSON value with a canary in each text of it."""
        if isinstance(value, dict):
            done = {name: self.into(item, place) for name, item in value.items()}
            return done | {"note": self.canary(f"{place} key")}
        if isinstance(value, list):
            return [self.into(item, place) for item in value]
        if isinstance(value, str) and " " in value:
            return f"{value} {self.canary(f'{place} text')}"
        return value

    def event(self, event):
        """Return an event with canaries in what a person, a model or a tool said."""
        changed = dict(event)
        kind = event["kind"]
        if changed.get("text"):
            changed["text"] += f" {self.canary('model_reply' if kind == 'claim' else kind)}"
        if kind == "tool_call" and event["tool"] != "billing.pause":
            changed["args"] = {**event["args"], "comment": self.canary("args")}
            changed["args_raw"] = json.dumps(changed["args"])
        if isinstance(event.get("result"), dict):
            changed["result"] = self.into(event["result"], "result")
            changed["result_raw"] = json.dumps(changed["result"])
        if isinstance(event.get("error"), dict):
            changed["error"] = self.error(event["error"])
        return changed

    def error(self, error):
        """Return an error with canaries in message, headers and body."""
        headers = {**(error.get("headers") or {}), "x-user": self.canary("header")}
        message = f"failed for {self.canary('message')}"
        return {**error, "message": message, "headers": headers, "body": self.canary("body")}


@pytest.fixture
def planted(demo):
    """The demo's incident with canaries; the folder holds nothing of the clean one."""
    document = json.loads((demo / "incident.json").read_text("utf-8"))
    planter = Planter()
    document["events"] = [planter.event(event) for event in document["events"]]
    document["events"][122]["detail"] = f"timeout of {planter.canary('detail')}"
    for tool in document["tools"]:
        tool.pop("schema", None)
    for name in ("redacted.draft.json", "small.draft.json"):
        (demo / name).unlink()
    (demo / "incident.json").write_text(json.dumps(document), "utf-8")
    return [*planter.by_place.values()]


def holding(text, planted):
    """Return the canaries in a text; the words before the @ alone would be one as well."""
    return [canary for canary in planted if canary.partition("@")[0] in text]


@pytest.mark.slow
def test_canaries_stay_in_the_store_the_raw_drafts_and_the_key_folder(demo, planted, shell):
    """No command shows or writes what a trace holds, unless a person asks for it."""
    contract = ("--contract", "contract.yaml", "--policy", "redaction.yaml", "--without-ner")
    store = ("--store", "planted")
    case = "planted-cases/x.case.yaml"
    commands = [
        ["ingest", "incident.json", *store, "--explain", RUN],
        ["ingest", "incident.json", *store, "--json"],
        ["runs", *store],
        ["runs", *store, "--json"],
        ["show", RUN, *store],
        ["show", RUN, *store, "--json"],
        ["judge", RUN, *store, "--contract", "contract.yaml"],
        ["judge", RUN, *store, "--contract", "contract.yaml", "--json"],
        ["shrink", RUN, *store, "--contract", "contract.yaml", "-o", "raw.draft.json"],
        ["shrink", RUN, *store, "--contract", "contract.yaml", "-o", "raw.draft.json", "--json"],
        ["export", "raw.draft.json", *DETAILS, "-o", case],
        ["redact", RUN, *store, *contract, "-o", "r.draft.json"],
        ["redact", RUN, *store, *contract, "-o", "r.draft.json", "--json"],
        ["shrink", "r.draft.json", "-o", "s.draft.json", "--json"],
        ["export", "s.draft.json", *DETAILS, "-o", case, "--title", planted[0]],
        ["export", "s.draft.json", *DETAILS, "-o", case],
        ["make", RUN, *store, *contract, *DETAILS, "-o", "planted-cases/made.case.yaml"],
        ["check", case],
        ["accept", case, "incident.json", "--without-ner", "--policy", "redaction.yaml"],
        ["accept", case, "--repair", "--json"],
        ["activate", case, "--by", "ada"],
        ["fmt", case],
        ["run", case, "--agent", "python:workbench.demo.broken_agent:agent", "--json"],
        ["run", case, "--agent", "python:workbench.demo.mended_agent:agent", "--results", "r.json"],
        ["store", "verify", "--deep", *store],
        ["show", "no-such-run", *store],
    ]

    shown = {}
    for words in commands:
        said = shell(*words)
        shown[" ".join(words)] = holding(said.out + said.err, planted)
        assert said.status != 3, (words, said.err)

    assert {command: found for command, found in shown.items() if found} == {}
    assert (demo / case).exists()
    written = {
        str(path.relative_to(demo))
        for path in demo.rglob("*")
        if path.is_file() and holding(path.read_bytes().decode("utf-8", "replace"), planted)
    }
    allowed = ("planted/", "keys/", "raw.draft.json", "incident.json")
    assert {name for name in written if not name.startswith(allowed)} == set()
    assert "raw.draft.json" in written
    assert "planted-cases/x.case.yaml" not in written


def test_a_person_who_asks_sees_them(demo, planted, shell):
    """`--reveal` says it in its name."""
    said = shell("show", "incident.json", "--reveal", "--json")

    assert len(holding(said.out, planted)) == len(planted)


def test_an_internal_error_shows_none(demo, planted, shell, monkeypatch):
    """A bug of ours is no excuse."""
    monkeypatch.delenv("WORKBENCH_DEBUG", raising=False)

    def breaks(run, **_):
        raise ValueError(run.trace.events[0].text)

    monkeypatch.setattr("workbench.cli.show.timeline", breaks)

    said = shell("show", "incident.json")

    assert said.status == 3
    assert holding(said.out + said.err, planted) == []
