"""`workbench check --detectors`: what was put into a case after its redaction."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.cli.conftest import CASE

pytestmark = pytest.mark.desk


@pytest.fixture
def no_model(monkeypatch):
    """The demo is redacted without a model, so it is looked at without one."""
    monkeypatch.setenv("WORKBENCH_SPACY_MODEL", "no_such_model_anywhere")


@pytest.mark.usefixtures("no_model")
def test_pseudonyms_of_the_case_are_no_problem(demo, shell):
    """Else nobody would switch it on."""
    plain = shell("check", CASE)
    said = shell("check", CASE, "--detectors")

    assert (said.status, said.out) == (plain.status, plain.out)


@pytest.mark.usefixtures("no_model")
def test_what_was_put_in_by_hand_is_a_problem_and_is_not_printed(demo, shell):
    """A merge, an edit in the pull request: nobody looks for personal data there."""
    text = (demo / CASE).read_text("utf-8")
    head, mark, rest = text.partition("title: ")
    (demo / CASE).write_text(f"{head}{mark}Asked by zoe.quist@fabrikam.com, {rest}", "utf-8")

    plain = shell("check", CASE)
    said = shell("check", CASE, "--detectors")
    listed = shell("check", CASE, "--detectors", "--json").document["cases"][0]["problems"]

    assert plain.status == 0
    assert said.status == 1
    assert "title: holds 22 characters that shapes 1 takes for EMAIL_ADDRESS" in said.out
    assert "zoe.quist" not in said.out + said.err
    assert [p["level"] for p in listed if p["at"] == "title"] == ["wrong"]


@pytest.mark.usefixtures("no_model")
def test_a_value_that_was_retained_is_no_problem(demo, shell):
    """The ledger says why it is there."""
    policy = (demo / "redaction.yaml").read_text("utf-8").replace("retain: []\n", "")
    assert "retain:" not in policy
    (demo / "kept.yaml").write_text(
        policy + '\nretain: [{at: "user:text", reason: needed, by: dana}]\n', "utf-8"
    )
    flags = (
        "--policy",
        "kept.yaml",
        "--without-ner",
        "--owner",
        "o",
        "--review-date",
        "2027-02-28",
    )

    made = shell(
        "make", "incident.json", "--contract", "contract.yaml", *flags, "-o", "k.case.yaml"
    )
    said = shell("check", "k.case.yaml", "--detectors")

    assert made.status == 0, made.err
    assert "holds" not in said.out


PROBE = """
import sys
sys.modules["ahocorasick_rs"] = None
from workbench.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def test_without_the_desk_half_it_is_an_error_with_the_way_out(demo):
    """A green check that looked for nothing would be a lie. A fresh interpreter has no desk half."""
    plain, said = (
        subprocess.run(
            [sys.executable, "-c", PROBE, "check", CASE, *flags],
            capture_output=True,
            text=True,
            check=False,
        )
        for flags in ((), ("--detectors",))
    )

    assert plain.returncode == 0, plain.stderr
    assert said.returncode == 4
    assert "ahocorasick_rs is needed for check --detectors" in said.stderr
    assert "[desk]" in said.stderr
