from workbench.casefile.build import build_case as build_case
from workbench.casefile.case import load_case as load_case, save_case as save_case
from workbench.casefile.contract import load_contract as load_contract
from workbench.check.diagnose import diagnose as diagnose
from workbench.check.judge import judge as judge
from workbench.ingest.reader import ingest_traces as ingest_traces
from workbench.redact.run import redact_trace as redact_trace
from workbench.replay.agent import Answer as Answer, Reply as Reply, ToolError as ToolError
from workbench.runner.traces import load_trace as load_trace
from workbench.runner.trials import run_cases as run_cases
from workbench.shrink.shrinking import shrink_trace as shrink_trace
from workbench.store.handle import open_store as open_store

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
