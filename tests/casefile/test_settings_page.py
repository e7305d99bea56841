"""The page about `workbench.toml` is true: its example is read, and it names every field."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from workbench.casefile.settings import parse_settings
from workbench.model.event import Outcome
from workbench.model.settings import (
    AgentSettings,
    Folders,
    OutcomeSetting,
    ReviewSettings,
    Settings as Whole,
)

PAGE = (Path(__file__).parents[2] / "docs" / "settings.md").read_text("utf-8")
EXAMPLE = re.sub(r"(?m)^    ", "", "".join(re.findall(r"(?m)^(?:    .*\n|\n(?=    ))+", PAGE)))


def test_the_example_of_the_page_is_read():
    """Whoever copies it starts from a file that works."""
    settings = parse_settings(EXAMPLE)

    assert settings.effects["billing.pause"] == "write"
    assert settings.outcomes[0].when == ("status == 504",)
    assert {Outcome(rule.outcome) for rule in settings.outcomes} == {"unknown", "permanent"}
    assert settings.review.owners == ("billing-team",)


@pytest.mark.parametrize("part", [AgentSettings, Folders, OutcomeSetting, ReviewSettings, Whole])
def test_the_page_names_every_field(part):
    """A field that no page names is found by nobody."""
    missing = [entry.name for entry in fields(part) if entry.name not in PAGE]

    assert missing == []
