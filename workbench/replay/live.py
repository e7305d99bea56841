"""The live side of a trial: where the real model is, and what of a case it runs against.

A key is named here by the variable that holds it, and read from there at the moment of a request:
no value of this package ever holds one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from workbench.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.model.case import Case, Path

__all__ = ["LIVE_PATH", "Family", "Provider", "Upstream", "live_path"]

LIVE_PATH: Final = "live"
"""Name of the path that a live trial runs."""


class Family(StrEnum):
    """Whose protocol a provider speaks."""

    OPENAI = "openai"
    """Chat completions and responses."""
    ANTHROPIC = "anthropic"
    """Messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One model provider."""

    family: Family
    base_url: str
    """As its clients are given it: `https://host/v1` of an OpenAI, `https://host` of an Anthropic."""
    key_env: str
    """The variable that holds the key."""

    def key(self, environ: Mapping[str, str] = os.environ) -> str:
        """Return the key.

        Raises:
            InputError: the variable is not set here, as in a worker on another machine.
        """
        found = environ.get(self.key_env, "")
        if not found:
            raise InputError(
                f"no key for the {self.family} provider", fix=f"set {self.key_env} where trials run"
            )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """The real models behind the gateway; frozen and picklable."""

    providers: tuple[Provider, ...]
    """At most one of each family; the first answers `POST /model`."""
    model: str | None = None
    """Asked for by `POST /model`, whose requests name none."""
    timeout_s: float = 120
    """Without a byte from the provider."""

    def provider(self, family: Family) -> Provider | None:
        """Return the provider of a family; None: this run has none."""
        return next((found for found in self.providers if found.family is family), None)


def live_path(case: Case) -> Path:
    """Return what a person says in a live trial of a case.

    The model says what it likes, so only the later user turns count: those of the first accepted
    path, because they answer an agent that does right; without one those of the recorded path.
    """
    return replace((*case.accepted, case.recorded)[0], name=LIVE_PATH)
