"""What pytest calls: every session loads this module, so it loads nothing that is not asked for.

Without `--agent`, or `workbench_agent` in the ini file, no file is collected.

Source:
    design page 09, "Reports".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "pytest_addoption",
    "pytest_collect_file",
    "pytest_configure",
    "pytest_terminal_summary",
]

_SUFFIX: Final = ".case.yaml"
_NO_AGENT: Final = (
    "--agent is empty: nothing of yours would be tested; `workbench check` is the self-test"
)
_SHOWN: Final = ("passed", "failed", "error", "skipped", "xfailed")


def pytest_addoption(parser: pytest.Parser) -> None:
    """State the flags and the ini setting."""
    group = parser.getgroup("workbench", "replayable cases of the incident workbench")
    group.addoption(
        "--agent",
        dest="workbench_agent",
        metavar="SPEC",
        help="run *.case.yaml against this agent, e.g. python:package.module:callable",
    )
    group.addoption(
        "--agent-layer",
        dest="workbench_layer",
        choices=("scripted", "live"),
        default="scripted",
        help="model of the cases; tests of the live layer have the marker `live`",
    )
    group.addoption(
        "--agent-isolate",
        dest="workbench_isolate",
        metavar="LEVEL",
        default="auto",
        help="strongest isolation of the agent (default: auto)",
    )
    group.addoption(
        "--gate-proposed",
        dest="workbench_gate_proposed",
        action="store_true",
        help="let proposed cases fail as well",
    )
    parser.addini("workbench_agent", "agent that *.case.yaml are run against", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Register the marker, and refuse an agent that is asked for and empty."""
    config.addinivalue_line("markers", "live: calls a real model; nightly only")
    given = config.getoption("workbench_agent")
    if given is not None and not given.strip():
        raise pytest.UsageError(_NO_AGENT)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a case file, if an agent is named."""
    config = parent.config
    given: str | None = config.getoption("workbench_agent")
    agent = str(config.getini("workbench_agent") if given is None else given).strip()
    if not file_path.name.endswith(_SUFFIX) or not agent:
        return None
    from workbench.pytest_plugin.items import CaseFile, Setting  # noqa: PLC0415  when asked only

    setting = Setting(
        agent=agent,
        layer=config.getoption("workbench_layer"),
        isolate=config.getoption("workbench_isolate"),
        gate_proposed=config.getoption("workbench_gate_proposed"),
    )
    found: CaseFile = CaseFile.from_parent(parent, path=file_path, setting=setting)
    return found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how well the agent was held, as every report does."""
    levels = {
        str(value)
        for outcome in _SHOWN
        for report in terminalreporter.stats.get(outcome, ())
        if isinstance(report, pytest.TestReport)  # a file that was not collected has no trial
        for name, value in report.user_properties
        if name == "isolation"
    }
    for level in sorted(levels):
        terminalreporter.write_line(f"workbench: isolation {level}")
