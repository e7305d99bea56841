"""Read `workbench.toml`.

Flags win over it; a key that is not listed here is an error. Every table may be absent.

Source:
    design page 00, "Surfaces".
"""

from __future__ import annotations

import os
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

from workbench.casefile.clause_parts import read_predicate
from workbench.casefile.codec import decode
from workbench.casefile.contract import read_claims
from workbench.casefile.files import read_bytes
from workbench.casefile.place import Place, step_key
from workbench.casefile.toml_lines import lines_of
from workbench.errors import CaseFormatError
from workbench.model.settings import Settings
from workbench.model.trace import Effect

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Json

__all__ = ["find_settings", "keys_folder", "load_settings", "parse_settings"]

FILE_NAME = "workbench.toml"
_MAX_BYTES: Final = 64 << 10
_OTHER_NAMES: Final = {
    "effects": 'declare each tool by itself: [tools."NAME"] and effect = "read" below it',
    "rules": 'write [[outcomes]] with tool = "*", when = ["status == 504"], outcome = "unknown"',
}
"""What people call a table -> how its content is written."""


def find_settings(start: Path) -> Path | None:
    """Return the settings file of `start` or of the nearest folder above it."""
    folder = start.resolve()
    found = (place / FILE_NAME for place in (folder, *folder.parents))
    return next((path for path in found if path.is_file()), None)


def keys_folder(settings: Settings, home: Path) -> Path | None:
    """Return the folder of drafts' keys; None: the user's data folder.

    Args:
        settings: of `home`.
        home: folder of the settings file.
    """
    if named := os.environ.get("WORKBENCH_KEYS"):
        return Path(named)
    return None if settings.folders.keys is None else home / settings.folders.keys


def load_settings(path: Path | None) -> Settings:
    """Read a settings file; None gives the defaults.

    Raises:
        CaseFormatError: not UTF-8, not TOML, an unknown key or a wrong type.
        ContractError: `[claims]` is none, or a predicate of `[[outcomes]]`.
    """
    if path is None:
        return Settings()
    try:
        text = read_bytes(path, limit=_MAX_BYTES).decode()
    except UnicodeDecodeError:
        message = "is not UTF-8 text"
        raise CaseFormatError(message, place=path.name, fix="save it as UTF-8 text") from None
    return parse_settings(text, name=path.name)


def parse_settings(text: str, *, name: str = FILE_NAME) -> Settings:
    """Read the text of a settings file."""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise CaseFormatError(
            f"is not TOML: {error}", place=name, fix="mend the file at that line"
        ) from None
    except RecursionError:
        raise CaseFormatError(
            "is nested too deeply to read", place=name, fix="flatten it"
        ) from None
    place = Place(name=name, lines=lines_of(text))
    _refuse_other_tables(document, place)
    settings = decode(Settings, _as_json(document), place=place)
    for at, rule in enumerate(settings.outcomes):
        for nth, predicate in enumerate(rule.when):
            read_predicate(predicate, place, f"outcomes.{at}.when.{nth}")
    read_claims(settings.claims, place, "claims")
    for tool, setting in settings.tools.items():
        if setting.local and setting.effect is not Effect.PURE:
            raise place.error(
                step_key(step_key("tools", tool), "local"),
                "is true for a tool that is not declared pure",
                fix='add effect = "pure", or remove local',
            )
    return settings


def _refuse_other_tables(document: dict[str, object], place: Place) -> None:
    """Say where a thing stands whose table is called otherwise than people expect."""
    for name, fix in _OTHER_NAMES.items():
        if name in document:
            raise place.error(name, "is not a table here; see docs/settings.md", fix=fix)


def _as_json(document: dict[str, object]) -> Json:
    """TOML has dates that JSON has not; they fail as a wrong type where one is given."""
    return document  # type: ignore[return-value]
