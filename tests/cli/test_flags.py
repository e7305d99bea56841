"""Words that flags name without loading what they are about must be its words."""

from __future__ import annotations

import pytest

from workbench.cli.flags import ingest, run, shrink
from workbench.ingest.formats import FORMATS
from workbench.review.shrink import OracleKind
from workbench.runner.trials import LIVE, SCRIPTED

pytestmark = pytest.mark.desk


def test_help_names_the_formats_that_there_are():
    """A format that nobody finds is no format."""
    assert list(FORMATS) == list(ingest.FORMATS)


def test_an_oracle_that_can_be_asked_for_exists():
    """A word that the parser takes and the search does not would be an internal error."""
    assert tuple(OracleKind) == shrink.ORACLES


def test_a_layer_that_can_be_asked_for_exists():
    """Scripted is the default."""
    assert (SCRIPTED, LIVE) == run.LAYERS
