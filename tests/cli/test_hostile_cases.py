"""Case files from strangers: refused in time with a line to read, or harmless in every report."""

from __future__ import annotations

import os
import re
import time
from xml.etree import ElementTree as ET

import pytest

from tests.runner.cases import PAUSE
from workbench.casefile.strict_yaml import MAX_BYTES

CODE = PAUSE.replace("fix: model", "fix: code")
AGENT = ("--agent", "python:tests.runner.agents:loop", "--isolate", "audit")
RESULT = "      - {text: Your plan is paused., outcome: success}"
LOOKUP = 'result: {account_id: "ACC-4471902 "}'
FILE = "pause-with-unknown-outcome.files"
DIGEST = "0" * 64


def with_contract(clause):
    """Return the case with another contract."""
    head, _, rest = CODE.partition("contract:\n")
    return f"{head}contract:\n  {clause}\n{rest[rest.index('expect:') :]}"


def with_file(name):
    """Return the case with a result in a file."""
    return CODE.replace(LOOKUP, f'$file: "{name}"')


REFUSED = {
    "alias bomb": "a: &a [x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{', '.join([f'*{chr(97 + n)}'] * 9)}]\n" for n in range(9)
    ),
    "merge bomb": "base: &b {x: 1}\nid: {<<: *b}\n",
    "many values": "tags: [" + "x, " * 200_001 + "x]\n",
    "deep lists": "id: " + "[" * 100_000 + "]" * 100_000 + "\n",
    "deep mappings": "".join(" " * n + "a:\n" for n in range(3_000)),
    "python object": "id: !!python/object/apply:os.system [echo]\n",
    "huge integer": f"id: {'9' * 5_000}\n",
    "huge exponent": "id: 1e999999999\n",
    "long key": f"? {'k' * 2_000}\n: x\n",
    "second document": f"{CODE}---\n{CODE}",
    "file above": with_file(f"../{FILE}/{DIGEST}.json"),
    "file at the root": with_file(f"/etc/{DIGEST}.json"),
    "file of another case": with_file(f"other.files/{DIGEST}.json"),
    "file with a dot segment": with_file(f"{FILE}/../{FILE}/{DIGEST}.json"),
    "file with a null": with_file(f"{FILE}/\\0{DIGEST}.json"),
    "file that is a link": with_file(f"{FILE}/{DIGEST}.json"),
    "look-around": with_contract('answer: {not_matches: ["(?=secret)"]}'),
    "back-reference": with_contract('answer: {not_matches: ["(a)\\\\1"]}'),
    "repetition": with_contract('answer: {not_matches: ["((a{1000}){1000}){1000}"]}'),
    "schema from afar": with_contract('args: {billing.pause: {"$ref": "http://127.0.0.1:9/x"}}'),
    "schema from a file": with_contract('args: {billing.pause: {"$ref": "file:///etc/passwd"}}'),
    "id as a path": CODE.replace("id: pause-with-unknown-outcome", "id: ../../etc/passwd", 1),
    "owner with an escape": CODE.replace("owner: billing-agents", 'owner: "\\e[2J"'),
    "path with markup": CODE.replace("name: recorded", 'name: "<b>recorded</b>"'),
    "call id with a line break": CODE.replace("id: c1", 'id: "c1\\n::error::x"'),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("command", ["check", "run"])
def test_a_hostile_file_is_refused_in_time(folder, shell, command, name):
    """Exit 4, a place, nothing of the text, no traceback, and seconds at most."""
    (folder / "a.case.yaml").write_text(REFUSED[name], "utf-8")
    if name == "file that is a link":
        (folder / "outside.json").write_text("1", "utf-8")
        (folder / FILE).mkdir()
        (folder / FILE / f"{DIGEST}.json").symlink_to(folder / "outside.json")
    start = time.monotonic()

    said = shell(command, "a.case.yaml", *(AGENT if command == "run" else ()))

    assert said.status == 4, said.out
    shown = said.out + said.err
    assert "a.case.yaml" in shown
    assert "Fix: " in shown
    assert "internal error" not in shown
    assert "\x1b" not in shown
    assert "::error::" not in shown.splitlines()
    assert time.monotonic() - start < 10


def test_a_huge_file_is_not_read(folder, shell):
    """A sparse file of a terabyte costs nothing to make."""
    with (folder / "a.case.yaml").open("wb") as file:
        os.truncate(file.fileno(), 1 << 40)

    said = shell("check", "a.case.yaml")

    assert said.status == 4
    assert f"expected at most {MAX_BYTES}" in said.err


EVIL = {
    "escape": "\\e[2J\\e]0;owned\\a",
    "markup": "<script>alert(1)</script><img src=x onerror=y>",
    "workflow command": "\\n::error file=x::owned",
    "markdown": "[x](javascript:alert) | ![y](http://z) `</details>`",
    "cdata": "]]><testcase name='forged'/>",
    "bidi": "\\u202eevil\\u2066",
}


@pytest.mark.parametrize("name", EVIL)
def test_hostile_text_in_a_case_is_inert_in_every_report(folder, shell, monkeypatch, name):
    """Title, tool, arguments and results are a stranger's; a reader's terminal and CI are not."""
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    evil = EVIL[name]
    text = CODE.replace(
        "title: Pause timed out, the customer was told it was paused", f'title: "{evil}"'
    )
    text = text.replace(LOOKUP, f'result: "{evil}"').replace("billing.get_operation", "billing.get")
    text = text.replace("billing_get_operation", f'"get_{evil}"')
    (folder / "a.case.yaml").write_text(text, "utf-8")

    said = shell(
        *("run", "a.case.yaml", *AGENT, "--gate-proposed", "--junit", "j.xml"),
        *("--markdown", "m.md", "--results", "r.json"),
    )
    checked = shell("check", "a.case.yaml")

    assert said.status == 1, said.err
    assert checked.status == 0, checked.out
    cases = ET.fromstring((folder / "j.xml").read_text("utf-8")).iter("testcase")  # noqa: S314
    assert len(list(cases)) == 1
    markdown = (folder / "m.md").read_text("utf-8")
    for shown in (said.out, said.err, checked.out, checked.err, markdown):
        assert not set("\x1b\x07\u202e\u2066") & set(shown)
        assert not any(line.startswith("::error file=x") for line in shown.splitlines())
    fences = re.compile(r"^```text\n.*?^```$", re.MULTILINE | re.DOTALL)
    assert len(fences.findall(markdown)) == 2  # the agent and the case; no text ends one
    outside = fences.sub("", markdown)
    assert not re.search(r"<(script|img)|\]\(javascript|</details>`", outside)


def test_an_evil_pattern_that_is_allowed_runs_in_time(folder, shell):
    """RE2 and the linear engine of schemas: no text makes them explode."""
    answer = CODE.replace("Your plan is paused.", f"Your plan is paused. {'a' * 30_000}!")
    head, _, rest = answer.partition("contract:\n")
    contract = (
        'contract:\n  answer: {not_matches: ["(a+)+$", "(a|a)*b"]}\n'
        '  args: {billing.pause: {properties: {account_id: {pattern: "^(a+)+$"}}}}\n'
        "  success_requires: billing.get_operation.status == completed\n"
        "expect: {signature: {clauses: [args/1, success_requires/1],"
        " first: [args/1, tool_call, billing.pause, null]}}\n"
    )
    evil = f"{'a' * 30_000}!"
    text = (head + contract).replace('"ACC-4471902 ", idempotency', f'"{evil}", idempotency')
    (folder / "a.case.yaml").write_text(text, "utf-8")
    start = time.monotonic()

    said = shell("check", "a.case.yaml")

    assert rest
    assert said.status in (0, 1), said.err
    assert time.monotonic() - start < 10
