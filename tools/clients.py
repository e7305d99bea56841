"""Run the demo case with agents on real clients, each in an environment of its own.

The recorded path has to be red and the accepted one green, with every client, dialect and way of
streaming. `--lock` pins the environments anew, `--record` writes the results into docs/agents.md,
names run these alone. What cannot be installed is skipped with a loud line.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tools.environments import ROOT, Environment, is_made

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CLIENTS", "Client", "main"]

HOME = ROOT / ".clients"
LOCKS = ROOT / "lock" / "clients"
DOCUMENT = ROOT / "docs" / "agents.md"
CASE = HOME / "demo" / "cases" / "billing" / "pause-with-unknown-outcome.case.yaml"
RUNNER = ("google-re2", "jsonschema-rs", "pyyaml")
"""What the runner half needs, so that it runs beside the client."""
BEGIN, END = "<!-- clients: begin -->", "<!-- clients: end -->"
LIMIT_S = 600


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """One environment and the agents that run in it."""

    name: str
    needs: tuple[str, ...]
    """What is locked; the first ones are shown with their versions."""
    agents: tuple[str, ...]
    """Callables of `tests.clients_own.NAME`, or variants of the node agent."""
    environment: dict[str, str] = field(default_factory=dict)


DOCUMENTED = "the example above"
ADAPTERS = {"langgraph": "langchain"}
"""Client -> its module of `workbench.replay.adapters`, where the names differ."""
WALLS = "gRPC under each level of isolation"
THREE = ("chat", "responses", "messages")
BOTH = tuple(f"{name}{way}" for name in THREE for way in ("", "_streaming"))
NODE = tuple(
    f"{name}{way}"
    for name in (
        "openai-chat", "openai-responses", "anthropic-messages", "ai-chat", "ai-responses",
        "ai-messages",
    )
    for way in ("", "-streaming")
)  # fmt: skip
CLIENTS = (
    Client(
        name="sdk",
        needs=("openai", "anthropic", "mcp", "grpcio"),
        agents=(*BOTH, "mcp_handshake", "mcp_stateless", WALLS),
    ),
    Client(
        name="langgraph",
        needs=("langchain", "langgraph", "langchain-openai", "langchain-anthropic"),
        agents=(*BOTH, DOCUMENTED),
    ),
    Client(
        name="openai_agents",
        needs=("openai-agents",),
        agents=("responses", "responses_streaming", "chat", "chat_streaming", "mcp", DOCUMENTED),
    ),
    Client(
        name="pydantic_ai",
        needs=("pydantic-ai-slim[openai,anthropic,mcp]",),
        agents=(*BOTH, "mcp", DOCUMENTED),
    ),
    Client(
        name="autogen",
        needs=("autogen-agentchat", "autogen-ext[openai]"),
        agents=("chat", "chat_streaming", DOCUMENTED),
    ),
    Client(
        name="crewai",
        needs=("crewai",),
        agents=("chat", "chat_streaming", DOCUMENTED),
        environment={"CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true"},
    ),
    Client(
        name="node",
        needs=("openai", "@anthropic-ai/sdk", "@modelcontextprotocol/sdk", "ai"),
        agents=(*NODE, "mcp-http", "mcp-stdio"),
    ),
)


def main(argv: list[str] | None = None) -> int:
    """Run the clients; 1: one of them is not as it has to be."""
    parser = argparse.ArgumentParser(prog="python -m tools.clients", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--lock", action="store_true")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--only", metavar="AGENT", help="one agent of each client")
    options = parser.parse_args(argv)
    chosen = [c for c in CLIENTS if not options.names or c.name in options.names]
    if options.lock:
        return max(_lock(client) for client in chosen)
    if not _made_case():
        print("clients: the demo case cannot be made. Fix: make demo", file=sys.stderr)
        return 1
    rows: list[Row] = []
    for client in chosen:
        rows += _kept(client, _all(client, only=options.only))
    if options.record:
        _record()
    bad = [row for row in rows if not row.good]
    ran = sum(row.problem != SKIPPED for row in rows)
    print(f"{ran - len(bad)} of {ran} combinations are red and green as they have to be")
    return 1 if bad or not ran else 0


# --- environments ---------------------------------------------------------------------------


def _environment(client: Client) -> Environment:
    return Environment(
        folder=HOME / client.name,
        lock=LOCKS / f"{client.name}.txt",
        needs=client.needs,
        beside=RUNNER,
    )


def _lock(client: Client) -> int:
    if client.name != "node":
        return _environment(client).pin()
    shutil.copy(LOCKS / "node" / "package.json", HOME / "node" / "package.json")
    words = ("npm", "install", "--package-lock-only", "--omit-lockfile-registry-resolved")
    done = subprocess.run(words, cwd=HOME / "node", check=False)
    locked = json.loads((HOME / "node" / "package-lock.json").read_text("utf-8"))
    for package in locked["packages"].values():
        package.pop("funding", None)  # addresses, and a lock names no place
    text = json.dumps(locked, indent=2) + "\n"
    (LOCKS / "node" / "package-lock.json").write_text(text, "utf-8")
    return done.returncode


def _installed(client: Client) -> bool:
    if client.name != "node":
        return _environment(client).is_made()
    lock = LOCKS / "node" / "package-lock.json"
    return is_made(HOME / "node", lock, install=_install_node)


def _install_node() -> bool:
    if shutil.which("node") is None or shutil.which("npm") is None:
        return False
    for name in ("package.json", "package-lock.json"):
        shutil.copy(LOCKS / "node" / name, HOME / "node" / name)
    words = ("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent")
    return subprocess.run(words, cwd=HOME / "node", check=False).returncode == 0


def _versions(client: Client) -> str:
    """Return what is installed of what was asked for, with versions."""
    if client.name == "node":
        locked = json.loads((LOCKS / "node" / "package-lock.json").read_text("utf-8"))["packages"]
        found = {name: locked[f"node_modules/{name}"]["version"] for name in client.needs}
    else:
        found = _environment(client).versions()
    return ", ".join(f"{name} {version}" for name, version in found.items())


def _made_case() -> bool:
    """Make the demo case, unless it is there."""
    done = HOME / "demo" / ".done"
    if not done.exists():
        words = (sys.executable, "-m", "workbench.demo", HOME / "demo")
        made = subprocess.run(words, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        if made.returncode != 0:
            return False
        done.touch()
    return CASE.exists()


# --- agents -----------------------------------------------------------------------------------


SKIPPED = "could not be installed here"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One combination and how it did."""

    client: Client
    agent: str
    problem: str | None
    """None: red on the recorded path, green on the accepted one."""
    seconds: float = 0

    @property
    def good(self) -> bool:
        """Whether nothing speaks against it."""
        return self.problem in (None, SKIPPED)


def _all(client: Client, *, only: str | None) -> list[Row]:
    agents = [agent for agent in client.agents if only in (None, agent)]
    if not _installed(client):
        print(f"SKIPPED {client.name}: {SKIPPED}", file=sys.stderr)
        return [Row(client=client, agent=agent, problem=SKIPPED) for agent in agents]
    if client.name == "node":
        shutil.copy(ROOT / "tests/clients_own/node/agent.mjs", HOME / "node" / "agent.mjs")
    rows = []
    for agent in agents:
        rows.append(_run(client, agent))
        said = rows[-1].problem or "ok"
        print(f"{client.name:<14} {agent:<30} {rows[-1].seconds:5.1f} s  {said}", flush=True)
    return rows


def _words(client: Client, agent: str) -> tuple[str | Path, ...]:
    if client.name == "node":
        spec = f"cmd:node {shlex.quote(str(HOME / 'node' / 'agent.mjs'))} {agent}"
        return (sys.executable, "-m", "tests.clients_own.both_paths", CASE, spec)
    if agent == WALLS:
        return (_environment(client).python, "-m", "tests.clients_own.grpc_walls", CASE)
    spec = f"python:tests.clients_own.{client.name}:{agent}"
    if agent == DOCUMENTED:
        (HOME / client.name / "documented.py").write_text(_example(client), "utf-8")
        spec = "python:documented:agent"
    return (_environment(client).python, "-m", "tests.clients_own.both_paths", CASE, spec)


def _example(client: Client) -> str:
    """Return the example of the document, on the tools of our tests."""
    module = ADAPTERS.get(client.name, client.name)
    wanted = f"from workbench.replay.adapters.{module} import replayed"
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    (found,) = [block for block in blocks if wanted in block]
    return found.replace("from support.", "from tests.clients_own.support.")


def _run(client: Client, agent: str) -> Row:
    words = _words(client, agent)
    path = os.pathsep.join((str(ROOT), str(HOME / client.name)))
    started = time.monotonic()
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, **client.environment, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    seconds = time.monotonic() - started
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    judge = _leak if agent == WALLS else _problem
    problem = judge(lines) if done.returncode == 0 else done.stderr[-300:]
    return Row(client=client, agent=agent, problem=problem, seconds=seconds)


def _problem(paths: list[dict[str, object]]) -> str | None:
    """Say what is not as it has to be, if anything."""
    if {path["expect"] for path in paths} != {"fail", "pass"}:
        return "not both paths ran"
    for path in paths:
        if path["verdict"] != path["expect"] or path["breaches"] or path["doubts"]:
            return json.dumps(path)
        if path["calls"] != path["answered"] or path["left"]:
            return f"not all of the script was carried out: {json.dumps(path)}"
    return None


def _leak(lines: list[dict[str, object]]) -> str | None:
    """Say which level is not what the documented table says: only the kernel stops native code."""
    (reached,) = lines
    expected = {level: level in ("none", "audit") for level in reached}
    return None if reached == expected else f"reached by gRPC: {json.dumps(reached)}"


def _kept(client: Client, rows: list[Row]) -> list[Row]:
    """Keep the latest results beside the environments, so that clients can be run one by one."""
    kept = HOME / f"{client.name}.json"
    earlier = json.loads(kept.read_text("utf-8")) if kept.exists() else {}
    versions = _versions(client)
    agents = earlier["agents"] if earlier.get("versions") == versions else {}
    found = {"versions": versions, "agents": agents | {row.agent: row.problem for row in rows}}
    kept.write_text(json.dumps(found), "utf-8")
    return rows


def _record() -> None:
    """Write the latest results of all clients into the document."""
    lines = ["| client | versions | combinations |", "|---|---|---|"]
    for client in CLIENTS:
        kept = HOME / f"{client.name}.json"
        if not kept.exists():
            continue
        found = json.loads(kept.read_text("utf-8"))
        if found["versions"] != _versions(client):
            continue
        said = ", ".join(
            agent + ("" if problem is None else f" (**{problem[:80]}**)")
            for agent, problem in found["agents"].items()
        )
        lines.append(f"| {client.name} | {found['versions']} | {len(found['agents'])}: {said} |")
    text = DOCUMENT.read_text("utf-8")
    before, rest = text.split(BEGIN)
    after = rest.split(END)[1]
    DOCUMENT.write_text(before + "\n".join((BEGIN, *lines, END)) + after, "utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
