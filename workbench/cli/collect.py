"""`workbench collect`: an OTLP/HTTP receiver on loopback that appends to the store."""

from __future__ import annotations

import signal
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from workbench.cli.options import (
    complain,
    print_json,
    settings_of,
    store_of,
)
from workbench.ingest.reader import read_tools
from workbench.model.wording import counted
from workbench.review.checkup import loss_documents
from workbench.review.collect import Collector
from workbench.review.receiver import receiving
from workbench.review.refusals import refusals_in_words
from workbench.review.source import declared_tools
from workbench.store.handle import open_store

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from workbench.model.jsonvalue import JsonMap
    from workbench.review.collect import Tally

__all__ = ["execute"]

_WAIT_S: Final = 0.5


def execute(options: Namespace) -> int:
    """Receive until SIGINT or SIGTERM, store all that was taken, and say what came."""
    settings = settings_of()
    tools = declared_tools(settings, read_tools(options.tools) if options.tools else ())
    with open_store(store_of(options, settings)) as store, _until_signal() as ended:
        collector = Collector(
            store,
            tools=tools,
            limit_bytes=max(options.queue, 1) << 20,
            on_failure=lambda text: complain(f"workbench: {text}"),
        )
        with receiving(collector, port=options.port) as receiver:
            print(_invitation(receiver.port), file=sys.stderr, flush=True)
            while not ended.wait(_WAIT_S) and receiver.is_alive:
                pass
    if options.json:
        print_json(_document(collector.tally))
    else:
        print("\n".join(_lines(collector.tally)))
    return 0


@contextmanager
def _until_signal() -> Iterator[threading.Event]:
    """Let SIGINT and SIGTERM set an event; a second one ends the process at once."""
    ended = threading.Event()

    def end(number: int, _frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        ended.set()

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, end) for number in numbers]
    try:
        yield ended
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)


def _invitation(port: int) -> str:
    return (
        f"collecting on http://127.0.0.1:{port}; end with Ctrl-C\n"
        f"  OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{port} "
        "OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf"
    )


def _document(tally: Tally) -> JsonMap:
    return {
        "requests": tally.requests,
        "refused": tally.refused,
        "refused_by_reason": {kind.value: n for kind, n in sorted(tally.refusals.items())},
        "records": tally.records,
        "batches": tally.batches,
        "runs": len(tally.run_ids),
        "losses": loss_documents(tally.checkup),
    }


def _lines(tally: Tally) -> Iterator[str]:
    batches = "1 batch" if tally.batches == 1 else f"{tally.batches} batches"
    stored = (
        f"{counted(tally.requests, 'request')} with {counted(tally.records, 'record')} stored in "
        f"{batches}: {counted(len(tally.run_ids), 'run')}"
    )
    yield f"{stored}; {refusals_in_words(tally.refusals)}" if tally.refused else stored
    if tally.run_ids:
        yield "`workbench runs` lists them, `workbench doctor RUN` says what they lost"
