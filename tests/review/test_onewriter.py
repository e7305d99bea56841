"""A folder that two commands share."""

from __future__ import annotations

import pytest

from workbench.errors import InputError
from workbench.review.onewriter import only_writer


def test_a_folder_that_is_gone_is_said(tmp_path):
    """A review whose store was deleted meanwhile is a state that people meet, not a fault of ours."""
    with (
        pytest.raises(InputError, match=r"FileNotFoundError.*expected a folder"),
        only_writer(tmp_path / "gone"),
    ):
        pytest.fail("nothing is there to write")
