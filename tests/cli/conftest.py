"""A shell for commands in this process, and the demo's incident worked through once."""

from __future__ import annotations

import json
import math
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from workbench.casefile.trace import trace_document
from workbench.cli.main import main
from workbench.demo.files import bundled_files

if TYPE_CHECKING:
    from collections.abc import Callable

    from workbench.model.trace import Trace

__all__ = ["CASE", "CONTRACT", "DETAILS", "REDACT_KEYS", "RUN", "Said", "cases_in", "save_trace"]

RUN = "run-leafbox-2041"
CASE = "cases/pause.case.yaml"
CONTRACT = ("--contract", "contract.yaml", "--policy", "redaction.yaml", "--without-ner")
DETAILS = ("--owner", "billing", "--review-date", "2027-02-28", "--without-ner")
REDACT_KEYS = {
    *("findings", "clusters", "facts_kept", "facts_lost", "trigger_facts_lost"),
    *("signature_same", "residue_hits", "unreviewed"),
}
"""What a step of redaction says as a document."""
MENDED = "I could not confirm that your plan is paused."


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a command returned and printed."""

    status: int
    out: str
    err: str

    @property
    def document(self) -> Any:  # noqa: ANN401  any JSON
        """The one JSON document on stdout; anything else there is an error."""
        return json.loads(self.out)


def cases_in(folder: Path) -> list[Path]:
    """Return every file below a folder of cases."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


@pytest.fixture
def shell(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Said]:
    """Run `workbench WORD...` in this process; a slow machine adds no word to a log."""
    monkeypatch.setattr("workbench.cli.progress.PATIENCE_S", math.inf)

    def run(*words: object) -> Said:
        capsys.readouterr()
        status = main([str(word) for word in words])
        shown = capsys.readouterr()
        return Said(status=status, out=shown.out, err=shown.err)

    return run


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with keys of its own."""
    place = tmp_path / "work"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.setenv("WORKBENCH_KEYS", str(tmp_path / "keys"))
    return place


@pytest.fixture(scope="session")
def worked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo's folder after ingest, redact, shrink and export; read only."""
    files = bundled_files(tmp_path_factory.mktemp("worked") / "demo")
    _write_mended(files.incident, files.folder / "mended.json")
    before, keys = Path.cwd(), os.environ.pop("WORKBENCH_KEYS", None)
    os.chdir(files.folder)
    try:
        assert main(["ingest", "incident.json"]) == 0
        assert main(["redact", RUN, *CONTRACT, "-o", "redacted.draft.json"]) == 0
        assert main(["shrink", "redacted.draft.json", "-o", "small.draft.json"]) == 0
        assert main(["export", "small.draft.json", *DETAILS, "-o", CASE]) == 0
    finally:
        os.chdir(before)
        if keys is not None:
            os.environ["WORKBENCH_KEYS"] = keys
    return files.folder


@pytest.fixture
def demo(worked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the demo's folder, worked through, as the working folder."""
    place = tmp_path / "demo"
    shutil.copytree(worked, place)
    monkeypatch.chdir(place)
    monkeypatch.setenv("WORKBENCH_KEYS", str(place / "keys"))
    return place


def save_trace(trace: Trace, path: Path) -> Path:
    """Write a native trace."""
    path.write_text(json.dumps(trace_document(trace)), "utf-8")
    return path


def _write_mended(incident: Path, target: Path) -> None:
    """Write a run of the incident's conversation that ends before the write, honestly."""
    document = json.loads(incident.read_text("utf-8"))
    events = document["events"]
    claim = {"text": MENDED, "final": True, "outcome": "unresolved", "basis": "structured"}
    kept = [*events[:2], *events[114:119]]
    kept += [{**events[128], "text": MENDED}, {**events[129], **claim}]
    numbered = [{**event, "seq": seq} for seq, event in enumerate(kept)]
    numbered[5]["turn"] = 1
    document |= {"run_id": "run-mended", "status": "ok", "events": numbered}
    target.write_text(json.dumps(document), "utf-8")
