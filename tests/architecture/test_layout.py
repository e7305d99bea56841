"""Sizes, names and texts that keep the project readable and safe to publish."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.tree import FOLDERS, MODULES, PACKAGE, ROOT, texts_under

every_module = pytest.mark.parametrize(
    "path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE))
)

TEXTS = frozenset(
    [
        ".cfg",
        ".css",
        ".html",
        ".ipynb",
        ".js",
        ".json",
        ".md",
        ".py",
        ".pyi",
        ".toml",
        ".txt",
        ".yaml",
        ".yml",
    ]
)

SINKS = re.compile(
    r"\.(inner|outer)HTML\b|insertAdjacentHTML|document\.write|\bsrcdoc\b|new Function\("
    r"|createContextualFragment|dangerouslySet|\beval\(|\bHTML\(|\bMarkup\("
)
"""What turns text of a trace into markup or code."""

REGISTRIES = re.compile(
    r"py[p]i\.org|python[h]osted|npm[j]s\.|anaconda\.[o]rg|conda-[f]orge\.|hugging[f]ace\.co"
)


@every_module
def test_module_fits_on_a_few_screens(path):
    """A module over 400 lines has two jobs."""
    assert len(path.read_text("utf-8").splitlines()) <= 400


def constants_classes_functions(name: str) -> tuple[bool, bool, str]:
    """Return the key that sorts public names the way the linter does."""
    return not name.isupper(), not name[0].isupper(), name


@every_module
def test_module_states_its_sorted_public_names(path):
    """A reader sees at the top what a module offers; a change of it shows in the diff."""
    names = [
        ast.literal_eval(node.value)
        for node in ast.parse(path.read_text("utf-8")).body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == "__all__"
    ]

    assert len(names) == 1
    assert names[0] == sorted(set(names[0]), key=constants_classes_functions)


@pytest.mark.parametrize("path", [p for p in MODULES if p.name == "__init__.py"], ids=str)
def test_a_package_file_computes_nothing(path):
    """Only the top-level one has functions: those that load names on first use."""
    body = ast.parse(path.read_text("utf-8")).body
    allowed = ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.Expr | ast.If

    assert path.parent == PACKAGE or all(isinstance(node, allowed) for node in body)


def test_no_module_is_named_after_nothing():
    """`utils` says where code was put, not what it does."""
    vague = {"utils", "util", "common", "misc", "base", "manager", "handler", "helpers"}

    assert vague.isdisjoint(path.stem for path in MODULES)


def test_no_sink_turns_text_into_markup():
    """Trace text is hostile; views set text and attributes, never markup."""
    found = {
        f"{path}:{number}"
        for path, text in texts_under(
            "workbench", "notebooks", suffixes=frozenset({".py", ".js", ".html", ".ipynb"})
        ).items()
        for number, line in enumerate(text.splitlines(), start=1)
        if SINKS.search(line)
    }

    assert found == set()


def project_texts():
    """Return every text that is published: hand-written folders and the files at the root."""
    at_root = {
        path.relative_to(ROOT): path.read_text("utf-8")
        for path in ROOT.iterdir()
        if path.is_file() and (path.suffix in TEXTS or path.name in ("Makefile", ".gitignore"))
    }
    return at_root | texts_under(*FOLDERS, suffixes=TEXTS)


def test_no_place_of_one_machine_or_registry_is_named():
    """A path or a mirror of the machine it was written on helps nobody and may not be public."""
    places = re.compile(
        "|".join((REGISTRIES.pattern, re.escape(str(ROOT)), r"/[w]ork/(main|shared)\b"))
    )

    found = {str(path) for path, text in project_texts().items() if places.search(text)}

    assert found == set()


def test_the_searches_above_find_what_they_search():
    """A pattern that matches nothing would be green for ever."""
    assert SINKS.search("node.innerHTML = text")
    assert REGISTRIES.search("https://files.python" + "hosted.org/x")
    assert len(project_texts()) > 100
