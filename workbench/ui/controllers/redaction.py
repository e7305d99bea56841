"""The redaction of a draft under review: what was found, what people decide, what comes of it.

A decision is in the store before anything shows it. What it does to pseudonyms, facts and the
failure is worked out beside, on a thread; until then the list says that it is being checked.
"""

from __future__ import annotations

from functools import partial
from threading import RLock
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import encode
from workbench.casefile.draft import save_draft
from workbench.errors import InputError, RefusedError
from workbench.model.wording import counted
from workbench.redact.desk import decide, look
from workbench.redact.policy import DEFAULT_POLICY, Decision, DecisionWord, Strategy
from workbench.redact.redaction import require_safe
from workbench.review.decision_log import DecisionLog
from workbench.review.redact import draft_key, redact_into, surviving_places
from workbench.review.shrink import minimal_raw
from workbench.ui.controllers.decided import Taken, decided_policy, key_of, taken
from workbench.ui.controllers.diff import Lines
from workbench.ui.controllers.findings import (
    Finding,
    also_left,
    detail_of,
    findings_of,
    progress_in_words,
    progress_of,
    row_of,
    written,
)
from workbench.ui.controllers.worker import Worker, said_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from threading import Event

    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.ledger import LedgerEntry
    from workbench.redact.desk import Look
    from workbench.redact.policy import Policy
    from workbench.review.vault import Vault
    from workbench.store.handle import Store
    from workbench.store.records import Decision as Entry

__all__ = ["DECISION", "TOPIC", "RedactionReview"]

TOPIC: Final = "redaction"
DECISION: Final = "decision"
_REVEAL: Final = "reveal"
_WRITTEN: Final = "written"


class RedactionReview:
    """One draft's redaction, as several people decide on it."""

    def __init__(  # noqa: PLR0913  what a review needs, keyword-only
        self,
        draft: Draft,
        *,
        store: Store,
        vault: Vault,
        out: Path,
        policy: Policy = DEFAULT_POLICY,
        ner: str = "auto",
        trigger: Sequence[str] = (),
        reviewer: str = "",
    ) -> None:
        """Open the review; the first look begins at once, beside.

        Args:
            draft: raw.
            store: keeps the decisions.
            vault: keeps the draft's key, and what is replaced in the end.
            out: file of the redacted draft.
            policy: what `redaction.yaml` says already.
            ner: `auto`, or `none` to go on without names in prose.
            trigger: more places of the trigger.
            reviewer: who decides.
        """
        if draft.redaction is not None:
            message = "was redacted already"
            raise InputError(message, place=draft.draft, fix="review the raw draft of the run")
        self.lock = RLock()
        self.reviewer = reviewer.strip()
        self.out = out
        self.edition = 0
        """Counts the looks; a list of another edition may have other findings."""
        self.failure: str | None = None
        self.notice: str | None = None
        self.on_change: list[Callable[[], None]] = []
        self._draft, self._vault, self._policy = draft, vault, policy
        self._ner, self._trigger = ner, tuple(trigger)
        self._log = DecisionLog(store, draft.draft, topic=TOPIC)
        self._survivors: frozenset[str] | None = None
        self.findings: tuple[Finding, ...] = ()
        """Everything to decide on; what reaches the case first."""
        self._base: Look | None = None
        self._now: Look | None = None
        self._lines: Lines | None = None
        self._worker = Worker(self.lock, on_failure=self._failed, on_rest=self._changed)
        self.check()

    # --- what is shown ---------------------------------------------------------

    @property
    def is_checking(self) -> bool:
        """Whether what was decided last is still being worked out."""
        return self._worker.is_working

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The decisions that stand, oldest first."""
        return self._log.standing(DECISION)

    @property
    def ledger(self) -> tuple[LedgerEntry, ...] | None:
        """What is replaced, as it was decided when that was worked out last; None: not yet."""
        return None if self._now is None else self._now.redaction.ledger

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Everybody who decided something, and who decides now."""
        names = [entry.actor for entry in self.entries]
        return tuple(dict.fromkeys([*names, *([self.reviewer] if self.reviewer else [])]))

    @property
    def seen(self) -> int:
        """How much of the log `rows` tells."""
        return self._log.seen

    @property
    def policy(self) -> Policy:
        """What stands; the same policy gives the same redaction headless."""
        return decided_policy(self._policy, self.entries)

    @property
    def is_written(self) -> bool:
        """Whether the redacted draft is as it was decided."""
        marks = [entry for entry in self._log.entries if entry.kind == f"{TOPIC}.{_WRITTEN}"]
        others = [e.seq for e in self._log.entries if e.kind != f"{TOPIC}.{_REVEAL}"]
        return bool(marks) and marks[-1].seq == others[-1] and self.out.is_file()

    def state(self) -> JsonMap:
        """Return all that is shown beside the list; no value of the trace."""
        now = self._now
        shown: JsonMap = {
            "edition": self.edition,
            "reviewer": self.reviewer,
            "reviewers": [*self.reviewers],
            "checking": self.is_checking,
            "failure": self.failure,
            "notice": self.notice,
            "written": self.is_written,
            "can_undo": bool(self.entries),
            "out": self.out.name,
            "looked": now is not None,
        }
        if now is not None:
            assert self._base is not None  # noqa: S101  it is looked at first
            found = self._base.redaction
            shown |= progress_of(self.findings, Taken(self.entries)) | {
                "surviving": found.surviving,
                "values": found.values,
                "unreviewed": now.redaction.unreviewed,
                "refusals": _refusals(now),
                "names_in_prose": self._ner != "none",
            }
        return shown

    def rows(self) -> list[Json]:
        """Return the list; no raw value."""
        decided = Taken(self.entries)
        return [row_of(finding, decided) for finding in self.findings]

    def detail(self, name: str, *, start: int = 0) -> JsonMap:
        """Return what is shown of one finding: raw values masked.

        Raises:
            InputError: there is none of that name.
        """
        finding = self._finding(name)
        assert self._lines is not None  # noqa: S101  there are findings
        row = row_of(finding, Taken(self.entries))
        return {**row, **detail_of(finding, self._lines, start)}

    def summary(self) -> str:
        """Say in one line where the redaction stands."""
        if self._now is None or self._base is None:
            return f"redaction of {self._draft.draft}: {self.failure or 'being looked at'}"
        found = self._base.redaction
        names = ", ".join(dict.fromkeys(entry.actor for entry in self.entries)) or "nobody yet"
        written = f"written to {self.out.name}" if self.is_written else "not written yet"
        decided = progress_in_words(self.findings, Taken(self.entries))
        return (
            f"redaction of {self._draft.draft}: {found.surviving} of {found.values} values"
            f" reach the case, {counted(self._now.redaction.unreviewed, 'text')} unseen, {decided} by {names}; {written}"
        )

    # --- what people do --------------------------------------------------------

    def name_reviewer(self, name: str) -> None:
        """Say who decides from now on."""
        self.reviewer = " ".join(name.split())[:80]

    def accept(
        self, name: str, *, strategy: Strategy | None = None, seen: int | None = None
    ) -> None:
        """Let a value be replaced, with another strategy if one is given.

        `seen` of a decision: how much of the log its maker had; None: as much as this controller.
        """
        self._decide(name, DecisionWord.ACCEPTED, seen, strategy=strategy)

    def reject(self, name: str, *, seen: int | None = None) -> None:
        """Say that a finding is no personal data."""
        self._decide(name, DecisionWord.REJECTED, seen)

    def retain(self, name: str, reason: str, *, seen: int | None = None) -> None:
        """Leave a personal value as it is, for a reason."""
        self._decide(name, DecisionWord.RETAINED, seen, reason=reason.strip())

    def see(self, name: str, *, seen: int | None = None) -> None:
        """Say that a text was read, and nothing more is to be replaced in it."""
        finding = self._finding(name)
        if finding.cluster is not None:
            raise InputError("is a value, not a text", key=name, fix="accept or reject it")
        self._require_reviewer()
        places = finding.places
        decision = Decision(
            at=places[0], also=places[1:], decision=DecisionWord.SEEN, by=self.reviewer
        )
        self._write(finding, decision, seen)

    def undo(self) -> str | None:
        """Take back the reviewer's last decision that stands; return the finding it was about."""
        self._require_reviewer()
        undone = self._log.undo(DECISION, by=self.reviewer)
        about = [f.name for f in self.findings if _decides(undone, f)]
        self.notice = None
        self.check()
        return about[0] if about else None

    def reveal(self, name: str) -> list[Json]:
        """Return the raw values of a finding, a list a hunk; who looked is written down first."""
        finding = self._finding(name)
        if finding.cluster is None:
            raise InputError("is shown whole already", key=name)
        self._require_reviewer()
        self._log.write(_REVEAL, {"at": finding.places[0]}, by=self.reviewer)
        return finding.raw_values()

    def look_again(self) -> None:
        """Take what others decided meanwhile."""
        fresh = self._log.look()
        if any(entry.kind != f"{TOPIC}.{_REVEAL}" for entry in fresh):
            names = ", ".join(dict.fromkeys(entry.actor for entry in fresh))
            self.notice = f"{names} decided meanwhile; the list is up to date."
            self.check()

    def write(self) -> None:
        """Redact the draft as decided and write it, beside."""
        self._require_reviewer()
        self._log.look()
        self._worker.ask("write", self._redact)

    def check(self) -> None:
        """Work out what was decided, beside."""
        self._worker.ask("check", self._check)

    def wait(self, timeout_s: float = 60) -> None:
        """Wait until what was decided has been worked out; for scripts."""
        self._worker.wait(timeout_s)

    def _decide(
        self,
        name: str,
        word: DecisionWord,
        seen: int | None,
        *,
        reason: str | None = None,
        strategy: Strategy | None = None,
    ) -> None:
        finding = self._finding(name)
        if finding.cluster is None:
            raise InputError("is a text, not a value", key=name, fix="mark it as seen")
        policy = decide(
            DEFAULT_POLICY,
            finding.cluster,
            word,
            by=self.reviewer,
            reason=reason or None,
            strategy=strategy,
        )
        if finding.stays and word is DecisionWord.ACCEPTED:
            message = f"{self._policy.name} says that it stays as it is"
            raise InputError(message, key=name, fix="change the line in redaction.yaml")
        self._write(finding, policy.decisions[-1], seen)

    def _write(self, finding: Finding, decision: Decision, seen: int | None) -> None:
        """Write a decision down, unless somebody else decided first."""
        payload = encode(decision)
        assert isinstance(payload, dict)  # noqa: S101  a decision is a mapping
        by, unless = self.reviewer, partial(_decides, finding=finding)
        try:
            self._log.write(DECISION, payload, by=by, seen=seen, unless=unless)
        finally:
            self.check()
        stays = decision.decision in (DecisionWord.REJECTED, DecisionWord.RETAINED)
        self.notice = also_left(finding, self.findings) if stays else None

    def _finding(self, name: str) -> Finding:
        for finding in self.findings:
            if finding.name == name:
                return finding
        raise InputError("is no finding of this list", key=name[:12], fix="choose one of the list")

    def _require_reviewer(self) -> None:
        if not self.reviewer:
            raise InputError("nobody is named for the decision", key="by", fix="give a name")

    # --- beside ----------------------------------------------------------------

    def _check(self, _stop: Event) -> None:
        """Look at the draft as it was decided."""
        with self.lock:
            policy = self.policy
        if self._survivors is None:
            minimal = minimal_raw(self._draft.trace, self._draft.contract)
            self._survivors = surviving_places(minimal)
        base = self._base or self._looked(self._policy)
        now = base if policy == self._policy else self._looked(policy)
        lines, findings = Lines(now), findings_of(base, now)
        with self.lock:
            self._base, self._now, self._lines, self.findings = base, now, lines, findings
            self.edition += 1
            self.failure = None
        self._changed()

    def _looked(self, policy: Policy) -> Look:
        vault, draft = self._vault, self._draft
        key = draft_key(vault, draft.draft, policy)
        shares = policy.share_across_cases and vault.is_shared(draft.draft)
        return look(
            draft.trace,
            contract=draft.contract,
            policy=policy,
            key=key,
            survivors=self._survivors,
            ner=self._ner,
            trigger=self._trigger,
            known=vault.shared_needles() if shares else (),
        )

    def _redact(self, _stop: Event) -> None:
        """Redact as decided, and write the draft."""
        with self.lock:
            policy, entries = self.policy, self.entries
        done, redaction = redact_into(
            self._vault,
            self._draft,
            key=draft_key(self._vault, self._draft.draft, policy),
            policy=policy,
            ner=self._ner,
            trigger=self._trigger,
        )
        save_draft(done, self.out)
        with self.lock:
            self.failure = None
            if self.entries == entries:
                told: JsonMap = {"unreviewed": redaction.unreviewed, "values": redaction.values}
                self._log.write(_WRITTEN, told, by=self.reviewer)
                self.notice = written(self.out.name, redaction)

    def _failed(self, error: Exception) -> None:
        with self.lock:
            self.failure = said_of(error)

    def _changed(self) -> None:
        with self.lock:
            for told in self.on_change:
                told()


def _refusals(now: Look) -> list[Json]:
    """Return why the redaction could not be written as it is."""
    try:
        require_safe(now.redaction)
    except RefusedError as error:
        return [*error.reasons]
    return []


def _decides(entry: Entry, finding: Finding) -> bool:
    return entry.kind == f"{TOPIC}.{DECISION}" and key_of(taken(entry)) == finding.key
