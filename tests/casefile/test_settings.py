"""`workbench.toml` is read strictly; where it is wrong, the error says what to write."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from workbench.casefile.settings import find_settings, load_settings, parse_settings
from workbench.errors import CaseFormatError, InputError
from workbench.model.settings import Settings
from workbench.model.trace import Effect

if TYPE_CHECKING:
    from pathlib import Path

WHOLE = """
[agent]
spec = "python:support.agent:run"
version = "3.2"
[tools."billing.pause"]
effect = "write"
[tools.slugify]
effect = "pure"
local = true
[claims]
success = ["all set"]
[[outcomes]]
tool = "chat.*"
when = ["ok == false"]
outcome = "permanent"
detail = "soft_failure"
[folders]
store = "raw"
[review]
owners = ["billing"]
lead_days = 7
"""


def test_every_table_is_read():
    """All that the page lists."""
    settings = parse_settings(WHOLE)

    assert settings.agent.spec == "python:support.agent:run"
    assert settings.effects == {"billing.pause": Effect.WRITE, "slugify": Effect.PURE}
    assert settings.outcomes[0].when == ("ok == false",)
    assert settings.folders.store == "raw"
    assert settings.folders.cases == "cases"
    assert settings.review.lead_days == 7


def test_no_file_gives_the_defaults():
    """A repository needs no settings."""
    assert load_settings(None) == Settings()


def test_the_nearest_file_above_governs(tmp_path: Path):
    """A command may be typed anywhere in the repository."""
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "workbench.toml").write_text("[folders]\n", "utf-8")

    assert find_settings(inner) == (tmp_path / "workbench.toml").resolve()


def test_a_file_is_loaded_from_disk(tmp_path: Path):
    """The same as its text."""
    (tmp_path / "workbench.toml").write_text(WHOLE, "utf-8")

    assert load_settings(tmp_path / "workbench.toml") == parse_settings(WHOLE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[agnet]\n", "write agent"),
        ("[folders]\nstores = 'x'\n", "write store"),
        ("[tools.x]\neffect = 'writes'\n", "expected one of pure, read, write"),
        ("[tools.x]\nlocal = true\n", 'add effect = "pure"'),
        ("[review]\nlead_days = 'soon'\n", "expected an integer"),
        ("[folders]\nstore = 2026-11-30\n", "expected a string"),
        ("not toml", "is not TOML"),
        ("[effects]\nx = 'read'\n", '[tools."NAME"] and effect = "read"'),
        ("[[outcomes]]\ntool='*'\nwhen='a == 1'\noutcome='ok'\n", "write a list of strings"),
        ("[[outcomes]]\ntool='*'\nwhen=['a is 1']\noutcome='ok'\n", "outcomes.0.when.0"),
        ("[[outcomes]]\ntool='*'\nwhen=['a == 1']\noutcome='bad'\n", "expected one of ok"),
        (f"a = {'[' * 100_000}", "is nested too deeply"),
        (f"a = {'[' * 3_000}{']' * 3_000}", "is nested too deeply"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str):
    """A mistyped key must not be passed over."""
    with pytest.raises(InputError, match=r"workbench\.toml") as caught:
        parse_settings(text)

    assert said in str(caught.value)
    assert "\n  Fix: " in str(caught.value)


def test_a_file_in_another_encoding_is_an_error(tmp_path: Path):
    """An unreadable file is no empty one."""
    path = tmp_path / "workbench.toml"
    path.write_bytes(b"[folders]\nstore = '\xff'\n")

    with pytest.raises(CaseFormatError, match="UTF-8"):
        load_settings(path)


def test_settings_of_megabytes_are_none(tmp_path: Path):
    """Reading some TOML takes time by the square of its length."""
    path = tmp_path / "workbench.toml"
    path.write_text("." * 100_000)

    with pytest.raises(CaseFormatError, match="is 100000 bytes long"):
        load_settings(path)


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (("version", "versoin"), "workbench.toml:4: agent.versoin is not a field"),
        (('"pure"', '"pur"'), "workbench.toml:8: tools.slugify.effect "),
        (('"write"', "1"), 'workbench.toml:6: tools."billing.pause".effect is '),
        (("ok == false", "ok ==== false"), "workbench.toml:14: outcomes.0.when.0"),
        (('"pure"', '"read"'), "workbench.toml:9: tools.slugify.local is true"),
        (("[review]", "[effects]"), "workbench.toml:19: effects is not a table"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(change, place):
    """A file of a hundred tools is not searched by eye; the value itself is not shown."""
    with pytest.raises(InputError) as caught:
        parse_settings(WHOLE.replace(*change))

    assert str(caught.value).startswith(place)
