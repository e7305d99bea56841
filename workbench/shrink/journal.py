"""A file of what was judged, so that an interrupted search goes on without asking again.

JSON Lines: a header that says which search it is, then one line a judged candidate. It is a
cache and nothing more: the search itself is run again and finds its answers here. No text of
the trace is in it.
"""

from __future__ import annotations

import hashlib
import json
import os
from functools import partial
from typing import IO, TYPE_CHECKING, Final

from workbench.casefile.codec import decode, encode
from workbench.casefile.place import Place
from workbench.errors import CaseFormatError, InputError
from workbench.model.canonical import canonical_json
from workbench.model.verdict import Signature, Verdict
from workbench.shrink.trials import Answer, Judged, Oracle

if TYPE_CHECKING:
    from pathlib import Path

    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace

__all__ = ["Journal", "journal_header", "oracle_name"]

_VERSION: Final = 1


def journal_header(trace: Trace, oracle: Oracle, options: JsonMap) -> JsonMap:
    """Return what makes a search the one it is, but for the signature."""
    return {
        "schema": f"shrink-journal/{_VERSION}",
        "trace": _digest(encode(trace)),
        "oracle": oracle_name(oracle),
        "options": options,
    }


def oracle_name(oracle: Oracle) -> str:
    """Return a name that differs when an oracle's function or its bound values do.

    An oracle that is a closure has only its function's name: keep one journal for each.
    """
    return _named(oracle)


def _named(value: object) -> str:
    """Name a function with what is bound to it, a value by its content."""
    match value:
        case partial():
            bound = [*value.args, *(value.keywords[key] for key in sorted(value.keywords))]
            return f"{_named(value.func)}({', '.join(map(_named, bound))})"
        case tuple() | list():
            return f"[{', '.join(map(_named, value))}]"
        case _ if isinstance(value, type) or hasattr(value, "__qualname__"):
            return f"{value.__module__}.{value.__qualname__}"
        case _ if callable(value):
            return _named(type(value))
        case _:
            return _valued(value)


def _valued(value: object) -> str:
    try:
        return _digest(encode(value))
    except TypeError:
        return _named(type(value))


def _digest(value: Json) -> str:
    return f"sha256:{hashlib.sha256(canonical_json(value)).hexdigest()}"


class Journal:
    """An open journal; a last line that was cut off by a kill is dropped."""

    def __init__(self, path: Path, header: JsonMap) -> None:
        self._known: dict[str, Judged] = {}
        self._header = header
        self._name = path.name
        self._signature: Json = None
        intact = self._read(path)
        self._file = _opened(path, intact)

    def _read(self, path: Path) -> int:
        """Take what the file holds; return the length of its whole lines."""
        try:
            data = path.read_bytes() if path.exists() else b""
        except OSError as error:
            raise InputError(
                f"cannot be read ({type(error).__name__})", place=path.name, fix="name a file"
            ) from None
        end = data.rfind(b"\n") + 1
        lines = data[:end].splitlines()
        if not lines and data:
            raise self._foreign()
        if lines:
            self._check_header(_parsed(lines[0]))
        for number, line in enumerate(lines[1:], start=2):
            key, judged = _entry(_parsed(line), Place(name=f"{path.name}:{number}"))
            self._known[key] = judged
        return end

    def _check_header(self, found: Json) -> None:
        if not isinstance(found, dict) or "signature" not in found:
            raise self._foreign()
        self._signature = found["signature"]
        if {**self._header, "signature": self._signature} != found:
            raise self._foreign()

    def _foreign(self) -> InputError:
        return InputError(
            "is the journal of another search, or no journal",
            place=self._name,
            fix="name a new file, or delete this one",
        )

    def start(self, target: Signature) -> None:
        """Write the header of a new file, or check that of an old one.

        Raises:
            InputError: the file is about another signature.
        """
        wanted = encode(target)
        if self._signature is None:
            self._write({**self._header, "signature": wanted})
        elif self._signature != wanted:
            raise self._foreign()

    def get(self, key: str) -> Judged | None:
        """Return what was judged before under this key."""
        return self._known.get(key)

    def add(self, key: str, judged: Judged) -> None:
        """Write down one answer at once."""
        if key not in self._known:
            self._known[key] = judged
            self._write({"candidate": key, **_document(judged)})

    def _write(self, document: JsonMap) -> None:
        line = json.dumps(document, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        self._file.write(line.encode() + b"\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _opened(path: Path, intact: int) -> IO[bytes]:
    """Open for appending after the whole lines; only the owner may read it."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(
            f"cannot be written ({type(error).__name__})",
            place=path.name,
            fix="name a file in a folder that exists",
        ) from None
    os.ftruncate(handle, intact)
    os.lseek(handle, intact, os.SEEK_SET)
    return os.fdopen(handle, "wb")


def _parsed(line: bytes) -> Json:
    try:
        value: Json = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value


def _document(judged: Judged) -> JsonMap:
    document: JsonMap = {"answer": judged.answer.value, "trials": judged.trials}
    if judged.verdict is not None:
        document["verdict"] = encode(judged.verdict)
    if judged.error is not None:
        document["error"] = judged.error
    if judged.refused:
        document["refused"] = True
    if judged.slices:
        document["slices"] = [[*some] for some in judged.slices]
    return document


def _entry(value: Json, place: Place) -> tuple[str, Judged]:
    document = value if isinstance(value, dict) else {}
    key, trials, error = document.get("candidate"), document.get("trials"), document.get("error")
    answer = _ANSWERS.get(str(document.get("answer")))
    if not isinstance(key, str) or not isinstance(trials, int) or answer is None:
        raise CaseFormatError("is no line of a journal", place=place.name, fix="delete the journal")
    verdict = document.get("verdict")
    return key, Judged(
        answer=answer,
        trials=trials,
        verdict=None if verdict is None else decode(Verdict, verdict, place=place),
        error=error if isinstance(error, str) else None,
        refused=document.get("refused") is True,
        slices=_slices(document.get("slices")),
    )


def _slices(value: Json) -> tuple[tuple[int, ...], ...]:
    lists = [item for item in value if isinstance(item, list)] if isinstance(value, list) else []
    return tuple(tuple(at for at in some if isinstance(at, int)) for some in lists)


_ANSWERS: Final = {answer.value: answer for answer in Answer}
