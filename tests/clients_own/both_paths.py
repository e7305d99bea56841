"""Runs one agent on the recorded and on the accepted path of a case; prints one JSON line a path.

`python -m tests.clients_own.both_paths CASE AGENT`, by the Python of a client's own environment.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from workbench.casefile.case import load_case
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.trial import Limits
from workbench.runner.verdicts import trial_result

__all__ = ["main"]

_SETTING = Setting(limits=Limits(seconds=170))


def main(case_file: str, agent: str) -> int:
    """Run both paths and say how each ended."""
    case = load_case(Path(case_file))
    with serve() as server:
        for path in case.paths:
            driven = drive(
                case,
                path,
                agent=parse_agent(agent),
                server=server,
                run_id=f"{case.id}.{path.name}",
                setting=_SETTING,
            )
            found = trial_result(case, path.name, driven)
            line = {
                "expect": path.expect.value,
                "verdict": found.verdict.value,
                "violations": sorted({violation.clause for violation in found.violations}),
                "doubts": [f"{doubt.clause}: {doubt.sentence}" for doubt in found.doubts],
                "breaches": [issue.sentence for issue in driven.record.issues if issue.is_breach],
                "calls": found.calls,
                "answered": found.answered,
                "left": found.replies_left,
                "isolation": found.isolation,
            }
            sys.stdout.write(json.dumps(line) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
