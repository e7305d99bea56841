"""The redaction of a draft under review: what was found, what people decide, what comes of it.

A decision is in the store before anything shows it. What it does to pseudonyms, facts and the
failure is worked out beside, on a thread; until then the list says that it is being checked.
"""

from __future__ import annotations

from threading import RLock
from typing import TYPE_CHECKING

from workbench.errors import InputError, RefusedError
from workbench.model.wording import counted
from workbench.redact.desk import decide
from workbench.redact.policy import DEFAULT_POLICY, Decision, DecisionWord, Strategy
from workbench.ui.controllers.decided import Taken, decided_policy
from workbench.ui.controllers.findings import also_left, written
from workbench.ui.controllers.groups import raw_values
from workbench.ui.controllers.listing import listing_of
from workbench.ui.controllers.raw_draft import RawDraft
from workbench.ui.controllers.redaction_log import RedactionLog
from workbench.ui.controllers.worker import Worker, said_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path
    from threading import Event

    from workbench.model.draft import Draft
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.ledger import LedgerEntry
    from workbench.redact.policy import Policy
    from workbench.review.vault import Vault
    from workbench.store.handle import Store
    from workbench.store.records import Decision as Entry
    from workbench.ui.controllers.findings import Finding
    from workbench.ui.controllers.listing import Listing

__all__ = ["RedactionReview"]


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
        self.lock = RLock()
        self.reviewer = reviewer.strip()
        self.out = out
        self.edition = 0
        """Counts the looks; a list of another edition may have other findings."""
        self.failure: str | None = None
        self.notice: str | None = None
        self.on_change: list[Callable[[], None]] = []
        self._raw = RawDraft(draft, vault=vault, ner=ner, trigger=trigger)
        self._policy = policy
        self._log = RedactionLog(store, draft.draft)
        self._listing: Listing | None = None
        """What was found when it was looked last; None: not yet."""
        self._shown: set[str] = set()
        """Findings that were shown whole as members of a group."""
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
        return self._log.entries

    @property
    def ledger(self) -> tuple[LedgerEntry, ...] | None:
        """What is replaced, as it was decided when that was worked out last; None: not yet."""
        return None if self._listing is None else self._listing.now.redaction.ledger

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything to decide on; what reaches the case first."""
        return () if self._listing is None else self._listing.findings

    @property
    def reviewers(self) -> tuple[str, ...]:
        """Everybody who decided something, and who decides now."""
        names = [entry.actor for entry in self.entries]
        return tuple(dict.fromkeys([*names, *([self.reviewer] if self.reviewer else [])]))

    @property
    def subject(self) -> str:
        """Id of the draft; the store files the decisions under it."""
        return self._raw.draft.draft

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
        return self._log.is_written and self.out.is_file()

    def state(self) -> JsonMap:
        """Return all that is shown beside the list; no value of the trace."""
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
            "looked": self._listing is not None,
        }
        if self._listing is not None:
            shown |= self._listing.figures(self._taken)
            shown["names_in_prose"] = self._raw.ner != "none"
        return shown

    def rows(self) -> list[Json]:
        """Return the list; no raw value."""
        return [] if self._listing is None else self._listing.rows(self._taken)

    def groups(self) -> list[Json]:
        """Return what is alike and not decided yet, two or more findings each; no raw value."""
        found = () if self._listing is None else self._listing.groups(self._taken)
        return [group.row() for group in found]

    def detail(self, name: str, *, start: int = 0) -> JsonMap:
        """Return what is shown of one finding: raw values masked.

        Raises:
            InputError: there is none of that name.
        """
        listing = self._found
        return listing.detail(listing.finding(name), self._taken, start)

    def group_detail(self, name: str) -> JsonMap:
        """Return what is shown of a group: each member, raw values masked.

        Raises:
            InputError: there is none of that name.
        """
        listing, decided = self._found, self._taken
        group = listing.group(name, decided)
        self._shown.update(member.name for member in group.members)
        return listing.group_detail(group, decided)

    def summary(self) -> str:
        """Say in one line where the redaction stands."""
        subject, listing = f"redaction of {self.subject}", self._listing
        if listing is None:
            return f"{subject}: {self.failure or 'being looked at'}"
        found, unseen = listing.base.redaction, listing.now.redaction.unreviewed
        names = ", ".join(dict.fromkeys(entry.actor for entry in self.entries)) or "nobody yet"
        file = f"written to {self.out.name}" if self.is_written else "not written yet"
        return (
            f"{subject}: {found.surviving} of {found.values} values reach the case,"
            f" {counted(unseen, 'text')} unseen,"
            f" {listing.in_words(self._taken)} by {names}; {file}"
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
        finding = self._found.finding(name)
        if finding.cluster is not None:
            raise InputError("is a value, not a text", key=name, fix="accept or reject it")
        self._write([(finding, self._safe(finding))], seen)

    def decide_together(
        self, name: str, members: Sequence[str], *, seen: int | None = None
    ) -> None:
        """Accept the values of a group, or say that its texts were read; see `accept`, `see`.

        Args:
            name: of the group.
            members: as they were shown.
            seen: see `accept`.

        Raises:
            InputError: a member was not shown, or nobody is named.
            RefusedError: others are left of the group, or somebody decided on one; nothing is.
        """
        group = self._found.group(name, self._taken)
        if {member.name for member in group.members} != set(members):
            message = "this group has other members by now; nothing was changed"
            raise RefusedError(message, fix="look at it again; decide again")
        if not self._shown.issuperset(members):
            raise InputError("was not shown yet", key=name, fix="look at all of its findings first")
        self._write([(member, self._safe(member)) for member in group.members], seen)

    def undo(self) -> str | None:
        """Take back the reviewer's last decision, a group's as one; return what to look at."""
        self._require_reviewer()
        return self._taken_back(self._log.undo(by=self.reviewer))

    def undo_one(self) -> str | None:
        """Take back the reviewer's last decision alone; return the finding it was about."""
        self._require_reviewer()
        return self._taken_back((self._log.undo_one(by=self.reviewer),))

    def reveal(self, name: str) -> list[Json]:
        """Return the raw values of a finding, a list a hunk; who looked is written down first."""
        finding = self._found.finding(name)
        if finding.cluster is None:
            raise InputError("is shown whole already", key=name)
        self._require_reviewer()
        self._log.reveal([finding], by=self.reviewer)
        return finding.raw_values()

    def reveal_group(self, name: str) -> dict[str, Json]:
        """Return the raw values of each member of a group; see `reveal`."""
        group = self._found.group(name, self._taken)
        if group.is_of_texts:
            raise InputError("is shown whole already", key=name)
        self._require_reviewer()
        self._log.reveal(group.members, by=self.reviewer)
        return {member.name: raw_values(member, self._raw.kinds) for member in group.members}

    def look_again(self) -> None:
        """Take what others decided meanwhile."""
        fresh = self._log.look()
        if fresh:
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
        finding = self._found.finding(name)
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
        self._write([(finding, policy.decisions[-1])], seen)

    def _safe(self, finding: Finding) -> Decision:
        """Return the decision that leaves nothing raw: accepted, or for a text seen."""
        self._require_reviewer()
        if finding.cluster is not None:
            word, by = DecisionWord.ACCEPTED, self.reviewer
            return decide(DEFAULT_POLICY, finding.cluster, word, by=by).decisions[-1]
        at, *also = finding.places
        return Decision(at=at, also=tuple(also), decision=DecisionWord.SEEN, by=self.reviewer)

    def _write(self, made: Sequence[tuple[Finding, Decision]], seen: int | None) -> None:
        """Write decisions down, unless somebody else decided first."""
        try:
            self._log.decide(made, by=self.reviewer, seen=seen)
        finally:
            self.check()
        stays = (DecisionWord.REJECTED, DecisionWord.RETAINED)
        left = [also_left(f, self.findings) for f, decision in made if decision.decision in stays]
        self.notice = left[0] if left else None

    def _taken_back(self, undone: Sequence[Entry]) -> str | None:
        """Work out what was undone; return the finding or the group that it was about."""
        self.notice = None
        self.check()
        return None if self._listing is None else self._listing.about(undone, self._taken)

    @property
    def _taken(self) -> Taken:
        return Taken(self.entries)

    @property
    def _found(self) -> Listing:
        """What was found; before that there is nothing to name."""
        if self._listing is None:
            raise InputError("was not looked at yet", key="name", fix="wait for the list")
        return self._listing

    def _require_reviewer(self) -> None:
        if not self.reviewer:
            raise InputError("nobody is named for the decision", key="by", fix="give a name")

    # --- beside ----------------------------------------------------------------

    def _check(self, _stop: Event) -> None:
        """Look at the draft as it was decided."""
        with self.lock:
            policy = self.policy
        base = self._raw.look(self._policy) if self._listing is None else self._listing.base
        now = base if policy == self._policy else self._raw.look(policy)
        listing = listing_of(base, now, self._raw.kinds)
        with self.lock:
            self._listing = listing
            self.edition += 1
            self.failure = None
        self._changed()

    def _redact(self, _stop: Event) -> None:
        """Redact as decided, and write the draft."""
        with self.lock:
            policy, entries = self.policy, self.entries
        redaction = self._raw.write(policy, self.out)
        with self.lock:
            self.failure = None
            if self.entries == entries:
                told: JsonMap = {"unreviewed": redaction.unreviewed, "values": redaction.values}
                self._log.mark_written(told, by=self.reviewer)
                self.notice = written(self.out.name, redaction)

    def _failed(self, error: Exception) -> None:
        with self.lock:
            self.failure = said_of(error)

    def _changed(self) -> None:
        with self.lock:
            for told in self.on_change:
                told()
