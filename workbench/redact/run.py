"""Redact a trace and its contract so that the failure stays and nothing found survives.

    survey -> assign -> substitute -> facts -> oracle -> residue

`redact_trace` returns what came out, also when it may not leave the machine; `require_safe`
refuses that. Raw values are in no error, no ledger and no text form of a value.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

from workbench.casefile.codec import decode, encode
from workbench.casefile.contract import parse_contract
from workbench.casefile.place import Place as FilePlace
from workbench.check.judge import judge
from workbench.check.outcomes import resolve_outcomes
from workbench.errors import InputError
from workbench.model.canonical import args_digest
from workbench.model.contract import Finishes
from workbench.model.event import Event, Permission, ToolCall
from workbench.model.jsonvalue import ABSENT, Json, JsonMap
from workbench.model.ledger import Residue
from workbench.model.trace import Trace
from workbench.redact.assign import Assignment, assign
from workbench.redact.culprit import find_culprits
from workbench.redact.demands import demanded
from workbench.redact.detect import Models, Ner, detector_versions, required_models
from workbench.redact.draws import Drawer
from workbench.redact.ledger import ledger_of, trigger_notes
from workbench.redact.literals import fill_contract
from workbench.redact.places import Survivors
from workbench.redact.policy import DEFAULT_POLICY, Policy, load_policy
from workbench.redact.redaction import Redaction
from workbench.redact.report import (
    FactNote,
    Facts,
    compare_facts,
    compare_schemas,
    find_residue,
    needles_of,
    residue_notes,
    unreviewed_places,
)
from workbench.redact.residue import Hit, Needle, view_count
from workbench.redact.slots import Slot, filled, iterate
from workbench.redact.substitute import Replacing, filler, new_texts, refuse_patterns, shown_place
from workbench.redact.survey import Spot, survey
from workbench.redact.trigger import Triggers, find_triggers, kinds_of, refuse_unmatched

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Mapping, Sequence

    from workbench.model.contract import Contract
    from workbench.redact.survey import OnProgress

__all__ = ["Run", "open_run", "redact_trace"]

_STRATEGIES: Final = 6
"""Draws tried for a replacement that changes the signature."""


def redact_trace(  # noqa: PLR0913  the interface that other packages rely on
    trace: Trace,
    *,
    contract: Contract | None = None,
    policy: Policy | Mapping[str, Json] | str | os.PathLike[str] | None = None,
    key: bytes,
    survivors: Collection[str] | None = None,
    ner: str = "auto",
    trigger: Collection[str] = (),
    known: Sequence[Needle] = (),
    on_progress: OnProgress = lambda _step, _done, _total: None,
) -> Redaction:
    """Replace personal data in a trace and in its contract.

    Args:
        trace: raw; stays as it is.
        contract: what the trace broke; its literals are replaced with the trace.
        policy: a `redaction/1` policy, its file or mapping; None: the default.
        key: of the draft; equal keys give equal pseudonyms.
        survivors: places that reach the case, as globs; None: all.
        ner: `auto`, `en`, `zh`, `both`, or `none` for no models; a policy's `ner` goes before.
        trigger: places of the trigger beside the automatic ones, as globs.
        known: what another redaction under the same key replaced; it is replaced here too, by the
            same pseudonyms.
        on_progress: see `survey.OnProgress`.

    Returns:
        What came out. Check it with `require_safe` before anything leaves the machine.

    Raises:
        MissingExtraError: no model reads prose, and `ner` is not `none`.
        RefusedError: a pattern of the contract holds a value, or a detector ran out of time.
        InputError: the key is empty, the policy breaks its format, or a `trigger` names no place.
    """
    run = open_run(
        trace,
        contract=contract,
        policy=policy,
        key=key,
        ner=ner,
        trigger=trigger,
        known=known,
        on_progress=on_progress,
    )
    on_progress("pseudonyms", 0, 0)
    return run.redaction(survivors)


def open_run(  # noqa: PLR0913  see `redact_trace`
    trace: Trace,
    *,
    key: bytes,
    contract: Contract | None = None,
    policy: Policy | Mapping[str, Json] | str | os.PathLike[str] | None = None,
    ner: str = "auto",
    trigger: Collection[str] = (),
    known: Sequence[Needle] = (),
    on_progress: OnProgress = lambda _step, _done, _total: None,
) -> Run:
    """Return a redaction under way, with what was found; see `redact_trace`."""
    if len(key) < 16:
        message = f"the key has {len(key)} bytes; expected at least 16"
        raise InputError(message, key="key", fix="pass secrets.token_bytes(32), and keep it")
    rules = (
        policy
        if isinstance(policy, Policy)
        else DEFAULT_POLICY
        if policy is None
        else load_policy(policy)
    )
    rules = replace(rules, trigger=(*rules.trigger, *trigger))
    models = required_models(rules.ner or Ner(ner))
    run = Run(trace, contract, rules, Drawer(key), models, known=known, on_progress=on_progress)
    refuse_unmatched(trigger, [leaf.path for _, leaf in run.survey.leaves], run.kinds)
    return run


class Run:
    """One redaction; holds the raw values while it lasts."""

    def __init__(  # noqa: PLR0913  see `redact_trace`
        self,
        trace: Trace,
        contract: Contract | None,
        policy: Policy,
        drawer: Drawer,
        models: Models,
        *,
        known: Sequence[Needle],
        on_progress: OnProgress,
    ) -> None:
        self.trace = trace
        self.contract = contract
        self.policy = policy
        self.drawer = drawer
        self.models = models
        self.document: JsonMap = encode(trace)  # type: ignore[assignment]  # a trace is a mapping
        self.kinds = kinds_of(trace)
        self.verdict = None if contract is None else judge(trace, contract)
        self.slots = [*iterate(self.document), *self._contract_slots()]
        self.survey = survey(
            self.slots,
            models=models,
            policy=policy,
            kinds=self.kinds,
            words=self._words(),
            known=known,
            on_progress=on_progress,
        )
        refuse_patterns(self.survey)

    def _contract_slots(self) -> list[Slot]:
        found: list[Slot] = []
        if self.contract is not None:

            def collect(slot: Slot) -> str:
                found.append(slot)
                return slot.text

            fill_contract(self.contract.document, collect)
        return found

    def _words(self) -> set[str]:
        """Return texts that are structure, so no name: tools, their properties and enum words."""
        words = {tool.name for tool in self.trace.tools}
        words |= {e.tool for e in self.trace.events if isinstance(e, ToolCall)}
        words |= {part for name in words for part in name.replace(".", "_").split("_")}
        stack: list[Json] = [tool.schema for tool in self.trace.tools]
        while stack:
            node = stack.pop()
            if isinstance(node, dict):
                properties, enum = node.get("properties"), node.get("enum")
                words |= set(properties) if isinstance(properties, dict) else set()
                words |= (
                    {w for w in enum if isinstance(w, str)} if isinstance(enum, list) else set()
                )
                stack += node.values()
            elif isinstance(node, list):
                stack += node
        return words

    # --- steps -----------------------------------------------------------

    def redaction(self, survivors: Collection[str] | None) -> Redaction:
        """Return what comes out."""
        assignment, same, broken = self.assigned
        trace, contract = self.applied(self._replacing(assignment))
        keys = self.keys(assignment)
        triggers = self.triggers
        facts = compare_facts(
            self.survey, assignment, triggers=triggers, policy=self.policy, keys=keys
        )
        schemas = compare_schemas(self.trace, trace, triggers)
        needles = needles_of(self.survey, assignment)
        hits, residue_at = self._residue(assignment, needles, keys)
        unseen = unreviewed_places(
            self.survey, policy=self.policy, kinds=self.kinds, survivors=survivors, keys=keys
        )
        return Redaction(
            trace=trace,
            contract=contract,
            ledger=ledger_of(
                self.survey, assignment, policy=self.policy, triggers=triggers, keys=keys
            ),
            **_told(facts, schemas),
            signature_same=same,
            broken_by=tuple(shown_place(place, keys) for place in broken),
            residue=Residue(views=view_count(), hits=sum(hit.blocking for hit in hits)),
            residue_at=residue_at,
            unreviewed=len(unseen) + len({h.needle for h in hits if not h.blocking}),
            unseen=unseen,
            needles=tuple(needles),
            trigger=trigger_notes(
                self.survey,
                triggers=triggers,
                keys=keys,
                schema_facts={n.at: n.fact for n in schemas.kept},
            ),
            detectors=detector_versions(self.models),
            policy=self.policy.name,
            findings=len(self.survey.spots),
            clusters=len({assignment.clusters[text] for text in self._replaced()}),
            surviving=len(self._replaced(survivors)),
            values=len(self._replaced()),
        )

    @cached_property
    def assigned(self) -> tuple[Assignment, bool, tuple[tuple[str | int, ...], ...]]:
        """Return an assignment that keeps the signature, if any of several draws does."""
        values = demanded(self.survey, self.policy, self.kinds)
        prefixes = {rule.type: rule.prefix for rule in self.policy.patterns if rule.prefix}
        first = assign(values, self.drawer, dates=self.policy.dates, prefixes=prefixes)
        if self._keeps(first, None):
            return first, True, ()
        culprits = find_culprits(first, lambda clusters: self._keeps(first, clusters))
        for strategy in range(1, _STRATEGIES):
            again = assign(
                values,
                self.drawer,
                dates=self.policy.dates,
                prefixes=prefixes,
                skip=dict.fromkeys(culprits, 1000 * strategy),
            )
            if self._keeps(again, None):
                return again, True, ()
        places = tuple(
            dict.fromkeys(
                s.leaf.path
                for s in self.survey.spots
                if s.stays is None and first.clusters[s.text] in culprits
            )
        )
        return first, False, places

    def _keeps(self, assignment: Assignment, clusters: Collection[str] | None) -> bool:
        """Whether the signature is the same when only some clusters are replaced (None: all)."""
        if self.contract is None or self.verdict is None:
            return True

        def replacing(spot: Spot) -> str | None:
            if clusters is not None and assignment.clusters.get(spot.text) not in clusters:
                return None
            return self._replacing(assignment)(spot)

        trace, contract = self.applied(replacing)
        return contract is not None and judge(trace, contract).signature == self.verdict.signature

    def _replacing(self, assignment: Assignment) -> Replacing:
        def replacing(spot: Spot) -> str | None:
            if spot.stays is not None or self._is_structure(spot):
                return None
            return assignment.pseudonyms[spot.text]

        return replacing

    def _is_structure(self, spot: Spot) -> bool:
        """A key that names a property of a schema stays, whatever it looks like."""
        return spot.leaf.is_key and spot.leaf.text in self.survey.protected

    def applied(self, replacing: Replacing) -> tuple[Trace, Contract | None]:
        """Return trace and contract with replacements."""
        fill = filler(new_texts(self.survey, replacing))
        document = filled(self.document, fill)
        trace = decode(Trace, document, place=FilePlace(name="trace"))
        trace = replace(trace, events=_with_digests(self.trace, trace, self.drawer))
        if self.contract is None:
            return trace, None
        literals = fill_contract(self.contract.document, fill)
        contract = parse_contract(
            literals,
            place=FilePlace(name="contract"),
            fix=self.contract.fix,
            unproven=self.contract.unproven,
        )
        return trace, contract

    @cached_property
    def triggers(self) -> Triggers:
        """Which places make the failure happen."""
        trace = resolve_outcomes(self.trace)
        clauses = () if self.contract is None else self.contract.clauses
        ends = [clause.id for clause in clauses if isinstance(clause, Finishes)]
        return find_triggers(trace, self.verdict, self.policy.globs("trigger"), ends=ends)

    def keys(self, assignment: Assignment) -> dict[str, str]:
        """Return what stands for keys of mappings that are values."""
        texts = new_texts(self.survey, self._replacing(assignment))
        keys = {
            slot.text: texts[n]
            for n, slot in enumerate(self.slots)
            if slot.is_key and texts[n] != slot.text
        }
        for spot in self.survey.spots:
            if spot.leaf.is_key and spot.stays is None and spot.text == spot.leaf.text:
                keys[spot.leaf.text] = assignment.pseudonyms[spot.text]
        return keys

    def _residue(
        self, assignment: Assignment, needles: list[Needle], keys: Mapping[str, str]
    ) -> tuple[tuple[Hit, ...], tuple[str, ...]]:
        """Scan what came out, and say what is left; retained values are exempt at their places."""

        def replacing(spot: Spot) -> str | None:
            return "" if spot.stays is not None else self._replacing(assignment)(spot)

        texts = new_texts(self.survey, replacing)
        fill = filler(texts)
        document: JsonMap = {"trace": filled(self.document, fill)}
        if self.contract is not None:
            document["contract"] = fill_contract(self.contract.document, fill)
        hits = find_residue(document, needles)
        return hits, residue_notes(hits, needles, survey=self.survey, texts=texts, keys=keys)

    def _replaced(self, survivors: Collection[str] | None = None) -> set[str]:
        """Return the values that are replaced, of those at some places (None: all)."""
        known = None if survivors is None else Survivors(survivors)
        return {
            s.text
            for s in self.survey.spots
            if s.stays is None and (known is None or known.cover(s.leaf.path))
        }


def _told(facts: Facts, schemas: Facts) -> dict[str, tuple[FactNote, ...]]:
    return {
        "facts_kept": (*facts.kept, *schemas.kept),
        "facts_lost": (*facts.lost, *schemas.lost),
        "trigger_facts_lost": (*facts.trigger_lost, *schemas.trigger_lost),
    }


def _with_digests(before: Trace, after: Trace, drawer: Drawer) -> tuple[Event, ...]:
    """Recompute the digests of permissions from the arguments that they covered."""
    new_by_old: dict[str, str] = {}
    for left, right in zip(before.events, after.events, strict=True):
        if not (isinstance(left, ToolCall) and isinstance(right, ToolCall)):
            continue
        if left.args is not ABSENT and right.args is not ABSENT:
            new_by_old[args_digest(left.args)] = args_digest(right.args)
    return tuple(
        replace(event, args_digest=_digest(event.args_digest, new_by_old, drawer))
        if isinstance(event, Permission) and event.args_digest is not None
        else event
        for event in after.events
    )


def _digest(old: str, new_by_old: Mapping[str, str], drawer: Drawer) -> str:
    """A digest that matches no call becomes a keyed draw: distinct stays distinct."""
    found = new_by_old.get(old)
    return found or "sha256:" + drawer.digest(old.encode(), "args_digest").removeprefix("hmac:")
