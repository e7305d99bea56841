"""Every refusal of the package says what to do about it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import workbench.redact

pytestmark = pytest.mark.desk

FOLDER = Path(workbench.redact.__file__).parent
WITH_FIX = {"InputError", "RefusedError", "CaseFormatError"}


@pytest.mark.parametrize("file", sorted(FOLDER.glob("*.py")), ids=lambda file: file.name)
def test_no_error_leaves_the_reader_alone(file: Path) -> None:
    """`Fix:` is what a person reads first. `MissingExtraError` has its install line built in."""
    calls = [n for n in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(n, ast.Call)]
    bare = [
        call.lineno
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in WITH_FIX
        and "fix" not in {keyword.arg for keyword in call.keywords}
    ]

    assert bare == []
