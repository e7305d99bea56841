"""A raw draft as its redaction looks at it, and as it is redacted in the end.

Both take seconds on a long trace; they are called on a thread and hold no lock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.casefile.draft import save_draft
from workbench.errors import InputError
from workbench.redact.desk import look
from workbench.redact.trigger import kinds_of
from workbench.review.redact import draft_key, redact_into, surviving_places
from workbench.review.shrink import minimal_raw

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from workbench.model.draft import Draft
    from workbench.redact.desk import Look
    from workbench.redact.policy import Policy
    from workbench.redact.redaction import Redaction
    from workbench.review.vault import Vault

__all__ = ["RawDraft"]


class RawDraft:
    """A draft that was not redacted yet, with what its redaction needs beside a policy."""

    def __init__(
        self, draft: Draft, *, vault: Vault, ner: str = "auto", trigger: Sequence[str] = ()
    ) -> None:
        """Take a draft.

        Args:
            draft: raw.
            vault: keeps the draft's key, and what is replaced in the end.
            ner: `auto`, or `none` to go on without names in prose.
            trigger: more places of the trigger.

        Raises:
            InputError: it was redacted already.
        """
        if draft.redaction is not None:
            message = "was redacted already"
            raise InputError(message, place=draft.draft, fix="review the raw draft of the run")
        self.draft = draft
        self.ner = ner
        self.kinds = kinds_of(draft.trace)
        """Root of a place -> kind of its event and its tool."""
        self._vault, self._trigger = vault, tuple(trigger)
        self._survivors: frozenset[str] | None = None

    def look(self, policy: Policy) -> Look:
        """Return what a policy would do; the first time it finds out what reaches the case."""
        if self._survivors is None:
            minimal = minimal_raw(self.draft.trace, self.draft.contract)
            self._survivors = surviving_places(minimal)
        vault, draft = self._vault, self.draft
        shares = policy.share_across_cases and vault.is_shared(draft.draft)
        return look(
            draft.trace,
            contract=draft.contract,
            policy=policy,
            key=draft_key(vault, draft.draft, policy),
            survivors=self._survivors,
            ner=self.ner,
            trigger=self._trigger,
            known=vault.shared_needles() if shares else (),
        )

    def write(self, policy: Policy, out: Path) -> Redaction:
        """Redact the draft, keep what is replaced, and write the file."""
        done, redaction = redact_into(
            self._vault,
            self.draft,
            key=draft_key(self._vault, self.draft.draft, policy),
            policy=policy,
            ner=self.ner,
            trigger=self._trigger,
        )
        save_draft(done, out)
        return redaction
