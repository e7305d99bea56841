"""Binary sources: what recognises one by its first bytes, and what makes records of it.

A decoder yields a `Piece` for each record: `raw` are the exact bytes that the store keeps of it,
`value` is what importers read, and `text` the JSON of the value where `raw` is no JSON text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from workbench.ingest.files.cassette_yaml import is_cassette_yaml, pieces_of_cassette
from workbench.ingest.files.inspect_zip import is_zip, samples_of
from workbench.ingest.files.otlp_protobuf import is_otlp, otlp_records

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from workbench.ingest.records.piece import Piece
from workbench.ingest.files.sse import is_stream_file, pieces_of_stream

__all__ = ["Decoder", "decoder_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """One binary form."""

    name: str
    """As messages name it, e.g. `OTLP protobuf`."""
    opens: Callable[[bytes], bool]
    """Whether data that begin with these bytes (4096, or all there are) may be of this form."""
    pieces: Callable[[bytes], Iterator[Piece]]
    """The records of a whole file, each with its place.

    Raises:
        TraceFormatError: the data are damaged; it says no place.
    """


_DECODERS: Final[tuple[Decoder, ...]] = (
    Decoder(name="server-sent events", opens=is_stream_file, pieces=pieces_of_stream),
    Decoder(name="YAML cassette", opens=is_cassette_yaml, pieces=pieces_of_cassette),
    Decoder(name="Inspect log", opens=is_zip, pieces=samples_of),
    Decoder(name="OTLP protobuf", opens=is_otlp, pieces=otlp_records),
)


def decoder_of(head: bytes) -> Decoder | None:
    """Return the decoder of data that begin with `head`; None: they are taken as text."""
    return next((decoder for decoder in _DECODERS if decoder.opens(head)), None)
