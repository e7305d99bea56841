"""The `--tools` file: declared effects."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.ingest.samples import write_file
from workbench.errors import InputError
from workbench.ingest.reader import offered_tools, read_tools
from workbench.model.trace import Effect, Tool

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json


def test_tools_are_read_as_they_are_declared(tmp_path: Path) -> None:
    """Name, description, effect and schema, as in `trace/1`."""
    path = write_file(
        tmp_path / "tools.json",
        b'[{"name": "a", "effect": "read"}, {"name": "b", "description": "d",'
        b' "effect": "write", "schema": {"type": "object"}}]',
    )

    assert read_tools(path) == (
        Tool(name="a", effect=Effect.READ),
        Tool(name="b", description="d", effect=Effect.WRITE, schema={"type": "object"}),
    )
    assert read_tools(str(path)) == read_tools(path)


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ({}, "is a mapping of 0; expected a list of tools"),
        ([5], "is a number; expected a mapping"),
        ([{"name": "a"}], "0.effect is missing; expected pure, read or write"),
        ([{"name": "a", "effect": "reed"}], "0.effect is a string of 4 characters"),
        ([{"name": "", "effect": "read"}], "0.name is empty"),
        ([{"name": "a", "effect": "read", "efect": 1}], "0.efect is not a field here"),
        ([{"effect": "read"}], "0.name is missing"),
        ([{"name": "a", "effect": "read"}] * 2, "1.name is declared twice"),
        ({"tools": [{"name": "a", "inputSchema": {}}]}, "tools.0.effect is missing"),
    ],
)
def test_a_wrong_declaration_is_an_error_with_its_place(
    tmp_path: Path, document: Json, message: str
) -> None:
    """A wrong effect changes outcomes, so nothing is skipped in silence."""
    path = write_file(tmp_path / "tools.json", json.dumps(document).encode())

    with pytest.raises(InputError) as error:
        read_tools(path)

    assert message in str(error.value)
    assert str(error.value).startswith("tools.json: ")


def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    """Absent, binary or cut."""
    with pytest.raises(InputError, match="cannot be read: no such file"):
        read_tools(tmp_path / "absent.json")
    for data in (b"", b"\xff\x00", b'[{"name": "a"'):
        with pytest.raises(InputError):
            read_tools(write_file(tmp_path / "bad.json", data))


@pytest.mark.parametrize(
    "document",
    [
        [{"name": "a", "inputSchema": {"type": "object"}, "description": "A."}],
        {"tools": [{"name": "a", "input_schema": {"type": "object"}, "description": "A."}]},
        {
            "jsonrpc": "2.0",
            "result": {
                "tools": [{"name": "a", "inputSchema": {"type": "object"}, "description": "A."}]
            },
        },
        [{"name": "a", "schema": {"type": "object"}, "description": "A."}],
        [
            {
                "type": "function",
                "function": {"name": "a", "parameters": {"type": "object"}, "description": "A."},
            }
        ],
    ],
)
def test_tools_are_read_as_servers_and_agents_write_them(tmp_path: Path, document: object) -> None:
    """One file from `tools/list`, or from the request to a model."""
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(document), "utf-8")

    assert offered_tools(path) == (Tool(name="a", description="A.", schema={"type": "object"}),)


def test_what_a_server_hints_is_an_effect(tmp_path: Path) -> None:
    """One file serves both: what was ingested with it, and what is there today."""
    hints = {"a": True, "b": False}
    listing: Json = [
        {"name": name, "inputSchema": {}, "annotations": {"readOnlyHint": hint}}
        for name, hint in hints.items()
    ]
    path = write_file(tmp_path / "tools.json", json.dumps({"tools": listing}).encode())

    assert [tool.effect for tool in read_tools(path)] == [Effect.READ, Effect.WRITE]
    assert offered_tools(path) == read_tools(path)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "[" * 100_000,
            "\ufeff\ufeff{}",
            "{}",
            "[3]",
            '[{"name": 3}]',
            '[{"parameters": {}}]',
        ),
        *('[{"name": "a"}, {"name": "a"}]', '[{"name": ""}]'),
        *('[{"name": "a", "name": "b"}]', '[{"name": "a", "schema": {"maximum": NaN}}]'),
    ],
)
def test_what_is_no_list_of_tools_is_refused(tmp_path: Path, text: str) -> None:
    """A wrong file would make every tool gone."""
    path = write_file(tmp_path / "tools.json", text.encode())

    with pytest.raises(InputError, match=r"^tools\.json"):
        offered_tools(path)
