"""`results.json` read back, strictly: what its schema does not allow is an error.

Source:
    `docs/results.schema.json`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Final

import jsonschema_rs

from workbench.casefile.files import read_bytes, shown_path
from workbench.casefile.place import describe, nearest, step_key
from workbench.casefile.strict_json import load_json
from workbench.errors import InputError, UnknownRunError
from workbench.runner.outcome import CaseVerdict
from workbench.runner.reports.results import SCHEMA
from workbench.runner.reports.results_schema import results_schema
from workbench.runner.traces import load_trace

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from workbench.casefile.place import Place
    from workbench.model.jsonvalue import Json, JsonMap
    from workbench.model.trace import Trace

__all__ = ["SavedRun", "SavedTrial", "load_results"]

_REWRITE: Final = "write the file again with `workbench run --results`"
_WITH_TRACES: Final = "run again with --traces DIR"
_WORDS: Final = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "null",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTrial:
    """One trial of a saved run."""

    case_id: str
    case_digest: str
    path: str
    """Name of the path that it ran."""
    run_id: str
    verdict: CaseVerdict
    file: Path | None
    """Its trace; None: the run was not asked for traces."""

    def trace(self) -> Trace:
        """Read its trace.

        Raises:
            InputError: there is none, it is no trace, or it is another run's.
        """
        if self.file is None:
            raise InputError("has no trace", place=self.run_id, fix=_WITH_TRACES)
        found = load_trace(self.file)
        if found.run_id != self.run_id:
            raise InputError(
                "is the trace of another run", place=shown_path(self.file), fix=_WITH_TRACES
            )
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedRun:
    """A run as `results.json` has it."""

    name: str
    """Of the file, for messages."""
    document: JsonMap
    """All of it, as its schema says."""
    trials: tuple[SavedTrial, ...]
    """Of every case, in the file's order."""

    def trial(self, run_id: str) -> SavedTrial:
        """Return one trial.

        Raises:
            UnknownRunError: there is none of that id.
        """
        for trial in self.trials:
            if trial.run_id == run_id:
                return trial
        known = [trial.run_id for trial in self.trials]
        near = nearest(run_id, known)
        message = f"has no trial {run_id!a}; it has {len(known)}"
        raise UnknownRunError(
            message, place=self.name, fix=None if near is None else f"name {near}"
        )


def load_results(path: str | os.PathLike[str]) -> SavedRun:
    """Read a `results.json`.

    Raises:
        InputError: the file cannot be read, breaks the schema, or names a trace outside the
            folder tree that it was written for.
    """
    file = Path(path)
    name = shown_path(file)
    document, place = load_json(read_bytes(file), name=name)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        found = document.get("schema") if isinstance(document, dict) else document
        raise place.error(
            "schema", f"is {describe(found)}; expected {SCHEMA}", fix="give a results.json"
        )
    for error in _validator().iter_errors(document):
        raise _refusal(error, place)
    trials = tuple(_trials(document, file.parent, place))
    return SavedRun(name=name, document=document, trials=trials)


@lru_cache(maxsize=1)
def _validator() -> jsonschema_rs.Draft202012Validator:
    return jsonschema_rs.Draft202012Validator(results_schema())


def _refusal(error: jsonschema_rs.ValidationError, place: Place) -> InputError:
    """Say what a document breaks: place, what it is and what was expected; no text of it."""
    kind: Any = error.kind
    key = ""
    for step in error.instance_path:
        key = step_key(key, step)
    match kind.name:
        case "anyOf":
            branches = [branch[0] for branch in kind.context if branch[0].kind.name != "type"]
            if branches:
                return _refusal(branches[0], place)
            wanted = "a mapping or null"
        case "required":
            return place.error(
                step_key(key, kind.property), "is missing; it is required", fix=_REWRITE
            )
        case "additionalProperties":
            return place.error(
                key, f"has {len(kind.unexpected)} unknown fields; expected none", fix=_REWRITE
            )
        case "type":
            words = sorted(kind.types, key=lambda word: word == "null")
            wanted = " or ".join(_WORDS[word] for word in words)
        case "enum":
            wanted = f"one of {', '.join(map(str, kind.options))}"
        case _:  # minItems or maxItems: the schema has no other keyword
            wanted = f"a list of {kind.limit}"
    return place.error(key, f"is {describe(error.instance)}; expected {wanted}", fix=_REWRITE)


def _trials(document: JsonMap, folder: Path, place: Place) -> Iterator[SavedTrial]:
    for at, case in enumerate(_mappings(document["cases"])):
        for nth, trial in enumerate(_mappings(case["trials"])):
            key = f"cases.{at}.trials.{nth}.trace"
            yield SavedTrial(
                case_id=str(case["id"]),
                case_digest=str(case["digest"]),
                path=str(trial["path"]),
                run_id=str(trial["run_id"]),
                verdict=CaseVerdict(str(trial["verdict"])),
                file=_file(trial["trace"], folder, place, key),
            )


def _mappings(value: Json) -> list[JsonMap]:
    """Return the items of a list of mappings, which the schema has seen to."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _file(named: Json, folder: Path, place: Place, key: str) -> Path | None:
    """Return the file of a trace, beside the results or in a folder reached from there."""
    if not isinstance(named, str):
        return None
    path = PurePosixPath(named)
    if path.is_absolute() or "\x00" in named or path.suffix != ".json":
        raise place.error(
            key,
            f"is {describe(named)}; expected the relative path of a .json file",
            fix="keep the traces beside the results",
        )
    return folder / path
