"""Each value of a settings file has the line where its statement begins."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, strategies as st

from workbench.casefile.place import step_key
from workbench.casefile.toml_lines import lines_of

TRICKY = """\
# a comment
top = 1

[tools."billing.pause"]   # [not.this]
effect = "write"
a.b = {d = [1, {e = 2}]}
text = \"\"\"
[nor.this]
x = 1
\"\"\"
list = [
  "x",  # ]

  "y",
]
[[outcomes]]
tool = 1
[outcomes.sub]
k = 1
[[outcomes]]
[outcomes.sub]
k = 2
[[outcomes.deep]]
[[outcomes.deep]]
z = '''
one'''
"""


def paths_of(value, path=""):
    """Return every place of a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    found = set()
    for step, item in items:
        at = step_key(path, step)
        found |= {at} | (paths_of(item, at) if isinstance(item, dict | list) else set())
    return found


def test_a_value_has_the_line_where_it_begins():
    """Comments, texts of several lines and tables that come twice mislead nobody."""
    lines = lines_of(TRICKY)

    tool = 'tools."billing.pause"'
    wanted = {
        "top": 2,
        "tools": 4,
        tool: 4,
        f"{tool}.effect": 5,
        f"{tool}.a.b.d.1.e": 6,
        f"{tool}.text": 7,
        f"{tool}.list.1": 11,
        "outcomes.0": 16,
        "outcomes.0.tool": 17,
        "outcomes.0.sub.k": 19,
        "outcomes.1": 20,
        "outcomes.1.sub.k": 22,
        "outcomes.1.deep.0": 23,
        "outcomes.1.deep.1": 24,
        "outcomes.1.deep.1.z": 25,
    }
    assert {key: lines.get(key) for key in wanted} == wanted
    assert set(lines) == paths_of(tomllib.loads(TRICKY))


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing", "a = 1", "a = 1\r\n[b]\r\nc = 2\r\n"])
def test_short_files_have_lines_too(text):
    """Also those that were saved elsewhere."""
    lines = lines_of(text)

    assert set(lines) == paths_of(tomllib.loads(text))
    assert lines.get("b.c", 3) == 3


NAMES = st.sampled_from(["a", "b", '"x.y"', '"["'])
VALUES = st.sampled_from(["1", '"[x]"', "[1,\n 2]", '{c = 1, d = ["="]}', '"""\nb = 1\n"""'])
STATEMENTS = st.one_of(
    st.builds("{} = {}".format, NAMES, VALUES),
    st.builds("[{}]".format, NAMES),
    st.builds("[{}.{}]".format, NAMES, NAMES),
    st.builds("[[{}]]".format, NAMES),
    st.builds("[[{}.{}]]".format, NAMES, NAMES),
    st.just("# [a]"),
)


@given(st.lists(STATEMENTS, max_size=8).map("\n".join))
def test_whatever_is_valid_has_a_line_for_every_value(text):
    """A value without a line would be reported at another one's."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return

    lines = lines_of(text)

    assert set(lines) == paths_of(document)
    assert all(1 <= line <= text.count("\n") + 1 for line in lines.values())
