"""`workbench store verify|head`: is the store what it was?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.cli.options import print_json, settings_of, store_of
from workbench.errors import InputError
from workbench.runner.reports.harmless import harmless
from workbench.store.handle import open_store
from workbench.store.log import Head

if TYPE_CHECKING:
    from argparse import Namespace

    from workbench.model.jsonvalue import JsonMap
    from workbench.store.verify import Verification

__all__ = ["execute"]


def execute(options: Namespace) -> int:
    """Verify: 0 sound, 1 a problem was found; head: 0."""
    store = open_store(store_of(options, settings_of()), create=False)
    if options.action == "head":
        head = str(store.head())
        if options.json:
            print_json({"head": head})
        else:
            print(head)
        return 0
    report = store.verify(deep=options.deep, head=_kept_head(options.head))
    if options.json:
        print_json({"sound": report.ok, **_document(report)})
    elif report.ok:
        rows = f", {report.rows} events" if options.deep else ""
        print(f"sound: {report.entries} log entries, {report.files} files{rows}")
    else:
        print("\n".join(harmless(str(damage)) for damage in report.damages))
    return 0 if report.ok else 1


def _kept_head(text: str | None) -> Head | None:
    """Read a head as a case carries it.

    Raises:
        InputError: it is none.
    """
    if text is None:
        return None
    try:
        return Head.parse(text)
    except ValueError:
        message = "is no head of a store; expected VERSION-SHA256"
        raise InputError(message, place="--head", fix="copy source.store_head of a case") from None


def _document(report: Verification) -> JsonMap:
    return {
        "damages": [str(damage) for damage in report.damages],
        "entries": report.entries,
        "files": report.files,
        "rows": report.rows,
        "orphans": report.orphans,
    }
