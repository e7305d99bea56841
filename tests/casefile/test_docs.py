"""The samples in the pages about our formats are true."""

from __future__ import annotations

import json
import re
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import get_args, get_origin

import pytest

from tests.casefile.samples import changed, text_of
from workbench.casefile.case import parse_case, parse_fixture
from workbench.casefile.case_document import CASE_KEYS, REQUIRED_KEYS
from workbench.casefile.codec import decode, hints_of
from workbench.casefile.layout import format_case
from workbench.casefile.strict_yaml import load_yaml
from workbench.casefile.stubs import parse_stubs
from workbench.casefile.trace import load_trace
from workbench.check.judge import judge
from workbench.cli.main import COMMANDS
from workbench.cli.parser import parser_of
from workbench.model.case import Case, Turn
from workbench.model.event import Claim, Outcome
from workbench.replay.compare import parse_matchers
from workbench.replay.scripted import replay_path

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "case-format.md").read_text("utf-8")


def samples_of(page: str) -> list[str]:
    """Return the indented blocks of a page."""
    found = re.findall(r"\n\n((?:    .*\n)+)", (DOCS / page).read_text(encoding="utf-8"))
    return [re.sub(r"(?m)^    ", "", text) for text in found]


def sample_of(page: str) -> str:
    """Return the first indented block of a page."""
    return samples_of(page)[0]


def section(key):
    """Return the sample that is the mapping of one key, as JSON."""
    (text,) = [text for text in samples_of("case-format.md") if text.startswith(f"{key}:")]
    document, place = load_yaml(text, name=key)
    assert isinstance(document, dict)
    return document[key], place


def test_the_sample_case_is_canonical_and_fails_as_it_says() -> None:
    """Somebody will copy it."""
    text = sample_of("case-format.md")

    case = parse_case(text, name="docs/case-format.md")

    assert format_case(case) == text
    verdict = judge(replay_path(case, case.recorded), case.contract)
    assert verdict.signature == case.signature


def test_the_sample_trace_is_one() -> None:
    """An exporter in another language starts from it."""
    trace = load_trace(json.loads(sample_of("trace-format.md")))

    assert isinstance(trace.events[-1], Claim)


def test_the_sample_turns_say_all_that_a_turn_can():
    """Each field is seen once in its place."""
    found, place = section("turns")
    turns = [decode(Turn, item, place=place, key=f"turns.{at}") for at, item in enumerate(found)]

    said = {e.name for e in fields(Turn) for turn in turns if getattr(turn, e.name) not in (None, (), False)}  # fmt: skip
    assert said == {entry.name for entry in fields(Turn)}


def test_the_sample_fixtures_load_and_match():
    """With the matchers of the page, all words of which are read."""
    found, place = section("fixtures")
    rules, _ = section("match")

    fixtures = [parse_fixture(item, place, f"fixtures.{at}") for at, item in enumerate(found)]

    assert [fixture.id for fixture in fixtures] == ["f1", "f2", "f3", "f4"]
    assert len(parse_matchers(rules)) == len(rules) == 9


def test_the_sample_gate_is_reachable():
    """It is the one of a case that loads."""
    gate, _ = section("gate")

    assert parse_case(text_of(changed("gate", gate)), name="x").gate == gate


def test_the_sample_stubs_are_read():
    """One is filled in, one is not."""
    (text,) = [t for t in samples_of("case-format.md") if t.startswith("schema: replay-stubs")]

    answers = [stub.answer for stub in parse_stubs(text, name="x").stubs]

    assert answers[0] is not None
    assert answers[0].outcome is Outcome.OK
    assert answers[1] is None


def commands():
    """Return the command lines of the page."""
    return [
        line
        for text in samples_of("case-format.md")
        for line in text.splitlines()
        if line.startswith("workbench ")
    ]


@pytest.mark.desk
@pytest.mark.parametrize("line", commands())
def test_the_sample_commands_are_commands(line):
    """A flag that was renamed would be copied for years."""
    import importlib

    _, command, *words = line.split()
    name, summary = COMMANDS[command]

    options = parser_of(command, summary, importlib.import_module(name).add_arguments)

    assert vars(options.parse_args(words))


def names_below(hint, seen):
    """Yield the name of every field of a model class, and of those that it holds."""
    for part in (hint, *get_args(hint)):
        if get_origin(part) is not None and part is not hint:
            yield from names_below(part, seen)
        if isinstance(part, type) and is_dataclass(part) and part not in seen:
            seen.add(part)
            for entry in fields(part):
                yield entry.metadata.get("key", entry.name)
                yield from names_below(hints_of(part)[entry.name], seen)


def test_every_field_is_explained():
    """A closed list is closed for the reader only when all of it is on the page."""
    own = {"contract"}  # its language has a page of its own
    hints = {name: hint for name, hint in hints_of(Case).items() if name not in own}
    seen: set[type] = set()
    names = {name for hint in hints.values() for name in names_below(hint, seen)}
    quoted = set(re.findall(r"[A-Za-z_$]+", " ".join(re.findall(r"`[^`]+`|    .*", PAGE))))

    assert len(names) > 60
    assert names - quoted == set()
    assert set(CASE_KEYS) - quoted == set()
    assert {key for key in REQUIRED_KEYS if f"**`{key}`**" not in PAGE} == set()
