"""Turn LLM-agent incidents into redacted, minimal, replayable regression cases.

Names load on first use, so that `import workbench` costs next to nothing and a CI machine
without the desk extra can use the runner half. `__init__.pyi` tells type checkers what they are:
imports in this file, even such that never run, would tie the runner half to the desk half.
"""

from __future__ import annotations

import importlib

__all__ = [
    "Answer",
    "Reply",
    "ToolError",
    "build_case",
    "diagnose",
    "ingest_traces",
    "judge",
    "load_case",
    "load_contract",
    "load_trace",
    "open_store",
    "redact_trace",
    "run_cases",
    "save_case",
    "shrink_trace",
]

_HOME = {
    "Answer": "workbench.replay.agent",
    "Reply": "workbench.replay.agent",
    "ToolError": "workbench.replay.agent",
    "build_case": "workbench.casefile.build",
    "diagnose": "workbench.check.diagnose",
    "ingest_traces": "workbench.ingest.reader",
    "judge": "workbench.check.judge",
    "load_case": "workbench.casefile.case",
    "load_contract": "workbench.casefile.contract",
    "load_trace": "workbench.runner.traces",
    "open_store": "workbench.store.handle",
    "redact_trace": "workbench.redact.run",
    "run_cases": "workbench.runner.trials",
    "save_case": "workbench.casefile.case",
    "shrink_trace": "workbench.shrink.shrinking",
}


def __getattr__(name: str) -> object:
    """Load a public name from its home on first use."""
    if name not in _HOME:
        message = f"module 'workbench' has no attribute {name!r}"
        raise AttributeError(message)
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
