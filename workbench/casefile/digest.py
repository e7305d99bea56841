"""Digests of our documents: equal values have equal digests, whatever the layout.

Source:
    RFC 8785 (JSON Canonicalization Scheme) as `model.canonical` writes it; design page 04,
    "Rules".
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final

from workbench.casefile.case_document import case_document
from workbench.model.canonical import args_digest, canonical_json

if TYPE_CHECKING:
    from workbench.model.case import Case
    from workbench.model.jsonvalue import JsonMap

__all__ = ["args_digest", "canonical_json", "case_digest"]

_DIGESTED: Final = ("input", "tools", "paths", "fixtures", "contract", "gate", "fix")


def case_digest(case: Case) -> str:
    """Return `sha256:` and the hex digest of what a case tests.

    Titles, owners, dates and notes do not count; a result in a `$file` counts by its name,
    which is its digest.
    """
    document = case_document(case)
    counted: JsonMap = {name: document[name] for name in _DIGESTED if name in document}
    return f"sha256:{hashlib.sha256(canonical_json(counted)).hexdigest()}"
