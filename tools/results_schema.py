"""Write `docs/results.schema.json` from the code; `python -m tools.results_schema`.

It is the package's own schema with a description of every value and field, taken from the
docstrings beside them.
"""

from __future__ import annotations

import ast
import inspect
import json
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.runner import outcome, strength
from workbench.runner.reports.results_schema import results_schema

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from workbench.model.jsonvalue import JsonMap

__all__ = ["TARGET", "main", "render"]

TARGET: Final = Path(__file__).resolve().parent.parent / "docs" / "results.schema.json"


def render() -> str:
    """Return the text of the file."""
    schema = results_schema()
    said = {**dict(_docstrings(outcome)), **dict(_docstrings(strength))}
    definitions: JsonMap = schema["$defs"]  # type: ignore[assignment]
    described = {name: _described(name, found, said) for name, found in definitions.items()}
    report = _described("RunReport", schema, said)
    return json.dumps({**report, "$defs": described}, indent=1) + "\n"


def _described(name: str, schema: object, said: dict[str, str]) -> JsonMap:
    assert isinstance(schema, dict)  # noqa: S101  our own schema
    fields = {
        field: {**found, "description": said[f"{name}.{field}"]}
        if f"{name}.{field}" in said
        else found
        for field, found in schema["properties"].items()
    }
    return {**schema, "description": said[name], "properties": fields}


def _docstrings(module: ModuleType) -> Iterator[tuple[str, str]]:
    """Yield `Class` and `Class.field` with the docstring of each that has one."""
    for node in ast.parse(inspect.getsource(module)).body:
        if not isinstance(node, ast.ClassDef):
            continue
        yield node.name, ast.get_docstring(node) or node.name
        for entry, following in zip(node.body, node.body[1:], strict=False):
            if isinstance(entry, ast.AnnAssign) and isinstance(following, ast.Expr):
                yield f"{node.name}.{ast.unparse(entry.target)}", ast.literal_eval(following.value)


def main() -> int:
    """Write the file."""
    TARGET.write_text(render(), "utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
