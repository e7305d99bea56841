"""Owners are unknown only where somebody says who they are."""

from __future__ import annotations

import pytest

from workbench.errors import InputError
from workbench.review.owners import find_owners

CODEOWNERS = """\
# who reviews what
*                 @acme/Billing ann@acme.example
/docs\\ old/       @writer  # comment @nobody

[Payments][2] @acme/payments
/pay
"""


def test_a_repository_that_names_nobody_knows_everybody(tmp_path):
    """A sign that everybody has says nothing."""
    found = find_owners(tmp_path)

    assert found.sources == ()
    assert found.knows("whoever")


def test_codeowners_are_found_up_to_the_root_of_the_repository(tmp_path):
    """Cases lie in a folder of their own; a file above the repository is of another one."""
    repo, cases = tmp_path / "repo", tmp_path / "repo" / "cases"
    (repo / ".git").mkdir(parents=True)
    (repo / ".github").mkdir()
    cases.mkdir()
    (repo / ".github" / "CODEOWNERS").write_text(CODEOWNERS, "utf-8")
    (tmp_path / "CODEOWNERS").write_text("* @stranger\n", "utf-8")

    found = find_owners(cases)

    known = ("@acme/billing", "billing", "Billing", "ann@acme.example", "writer", "payments")
    assert [name for name in known if not found.knows(name)] == []
    assert not found.knows("nobody")
    assert not found.knows("stranger")
    assert [source.rpartition("/")[2] for source in found.sources] == ["CODEOWNERS"]


@pytest.mark.parametrize(
    "text", ["- billing\n- ops\n", "billing: [ann]\nops: []\n", "owners: [billing, ops]\n"]
)
def test_owners_yaml_is_a_list_or_a_mapping(tmp_path, text):
    """Both are what people write first; settings add to it."""
    (tmp_path / "owners.yaml").write_text(text, "utf-8")

    found = find_owners(tmp_path, listed=("support",))

    assert found.sources == ("workbench.toml", "owners.yaml")
    assert all(map(found.knows, ("billing", "ops", "support")))
    assert not found.knows("ann")


@pytest.mark.parametrize("text", ["billing\n", "- 7\n", "owners: 3\n", "- [a]\n"])
def test_another_document_is_an_error(tmp_path, text):
    """Read as empty it would make every owner unknown."""
    (tmp_path / "owners.yaml").write_text(text, "utf-8")

    with pytest.raises(InputError, match="expected names"):
        find_owners(tmp_path)
