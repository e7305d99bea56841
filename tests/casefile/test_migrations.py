"""Older forms come up to date by a command, step by step, and never on load."""

from __future__ import annotations

import pytest

from tests.casefile.samples import a_document, text_of
from workbench.casefile.case import parse_case
from workbench.casefile.migrations import CURRENT, MIGRATIONS, migrated, version_of
from workbench.casefile.place import Place
from workbench.errors import CaseFormatError

PLACE = Place(name="old.case.yaml")


def titled(document):
    """Make of a form whose title was called name the one of today."""
    return {("title" if key == "name" else key): value for key, value in document.items()}


def an_old_document():
    """Return a case as a version before the first could have written it."""
    document = a_document()
    document = {("name" if key == "title" else key): value for key, value in document.items()}
    return {**document, "schema": "replay-case/0"}


def test_every_older_version_has_its_step():
    """A file of any published version can be brought up to date; the first is 1."""
    assert set(MIGRATIONS) == set(range(1, CURRENT))


def test_steps_are_taken_in_order_up_to_today():
    """One small function a version; the caller's document is not touched."""
    old = an_old_document()

    new = migrated(old, PLACE, migrations={0: titled})

    assert new["schema"] == f"replay-case/{CURRENT}"
    assert parse_case(text_of(new), name="x").title.startswith("Pause timed out")
    assert "name" in old


def test_a_document_of_today_stays_as_it_is():
    """Nothing to do is nothing done."""
    document = a_document()

    assert migrated(document, PLACE) is document


def test_a_newer_document_is_refused_with_the_version_to_install():
    """Half of it would be ignored in silence."""
    with pytest.raises(CaseFormatError, match="newer than this workbench") as error:
        migrated({"schema": "replay-case/7"}, PLACE)

    assert error.value.fix == (
        'install one that reads it: pip install --upgrade "incident-workbench>=7"'
    )


def test_a_version_that_never_was_is_no_version():
    """`replay-case/0` is a typing error, not an old case."""
    with pytest.raises(CaseFormatError, match="was never published"):
        migrated(an_old_document(), PLACE)


@pytest.mark.parametrize("document", [None, [], {}, {"schema": 1}, {"schema": "replay-case/x"}])
def test_what_is_no_case_has_no_version(document):
    """Any YAML file can lie in the folder."""
    with pytest.raises(CaseFormatError, match=r"expected replay-case/1"):
        version_of(document, PLACE)


def test_loading_names_the_command_and_changes_nothing():
    """A case that a machine changed without review is not the one that was reviewed."""
    with pytest.raises(CaseFormatError, match="workbench migrate"):
        parse_case(text_of(an_old_document()), name="x")
