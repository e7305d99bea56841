"""Every command and flag that a `Fix:` names is there."""

from __future__ import annotations

import ast
import re
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.cli.main import COMMANDS
from workbench.cli.parser import parser_of

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Iterator

PACKAGE = Path(__file__).parents[2] / "workbench"
FOREIGN = frozenset({"--force-reinstall", "--only-binary", "--upgrade", "--version"})
"""Flags of pip, and of `workbench` itself."""
_COMMAND = re.compile(
    r"(?:`|^|[:;,(] ?|\b(?:run|with|use|see|by|of|then) )workbench ([a-z][a-z-]*)"
)
_FLAG = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def _text_of(node: ast.expr) -> str:
    """Return what can be read of a text: a gap stands for what is put in."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_text_of, node.values))
    if isinstance(node, ast.FormattedValue):
        return "\N{REPLACEMENT CHARACTER}"
    if isinstance(node, ast.BinOp):
        return _text_of(node.left) + _text_of(node.right)
    if isinstance(node, ast.IfExp):
        return _text_of(node.body) + "\n" + _text_of(node.orelse)
    return ""


def _fixes() -> Iterator[tuple[str, str]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            texts = []
            if isinstance(node, ast.Call):
                texts = [k.value for k in node.keywords if k.arg == "fix"]
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                named = "fix" in node.targets[0].id.lower()
                texts = [node.value] if named else []
            elif isinstance(node, ast.Constant | ast.JoinedStr):
                texts = [node] if "Fix: " in _text_of(node) else []
            for text in map(_text_of, texts):
                if text:
                    yield str(path.relative_to(PACKAGE)), text


def _flags(command: str) -> frozenset[str]:
    module, summary = COMMANDS[command]
    parser = parser_of(command, summary, import_module(module).add_arguments)
    subparsers: list[ArgumentParser] = [parser]
    found: set[str] = set()
    while subparsers:
        one = subparsers.pop()
        for action in one._actions:
            found.update(action.option_strings)
            choices = action.choices
            if isinstance(choices, dict):
                subparsers += choices.values()
    return frozenset(found)


FIXES = list(_fixes())
FLAGS = {command: _flags(command) for command in COMMANDS}


def test_fixes_are_found() -> None:
    """A search that finds none would pass for ever."""
    assert len(FIXES) > 300
    assert sum("workbench " in text for _, text in FIXES) > 20
    assert sum("--" in text for _, text in FIXES) > 40


def _unknown(text: str) -> Iterator[str]:
    """Yield what a text names that is not there."""
    every = frozenset().union(*FLAGS.values()) | FOREIGN
    yield from (name for name in _COMMAND.findall(text) if name not in COMMANDS)
    yield from set(_FLAG.findall(text)) - every
    for piece in re.split(r"[;`\n]", text):
        for name in set(_COMMAND.findall(piece)) & set(COMMANDS):
            named = set(_FLAG.findall(piece.partition(f"workbench {name}")[2]))
            yield from (f"{name} {flag}" for flag in named - FLAGS[name] - FOREIGN)


def test_what_a_fix_names_is_there() -> None:
    """A person who does as told must not meet the next error."""
    assert {place: found for place, text in FIXES if (found := [*_unknown(text)])} == {}


def test_what_is_not_there_is_seen() -> None:
    """The search reads commands, flags, and flags of the wrong command."""
    assert [*_unknown("run `workbench fix`")] == ["fix"]
    assert [*_unknown("write --nothing")] == ["--nothing"]
    assert [*_unknown("workbench runs --repair")] == ["runs --repair"]
    assert [*_unknown("workbench accept CASE --repair; then --contract FILE")] == []
