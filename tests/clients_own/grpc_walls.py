"""Tries to reach a listener by gRPC, whose sockets are native, under each level of isolation.

`python -m tests.clients_own.grpc_walls CASE` prints one JSON object: level -> whether the listener
was reached; levels that this machine does not reach are left out.
"""

from __future__ import annotations

import json
import os
import socket
import sys
from pathlib import Path

import grpc

from workbench.casefile.case import load_case
from workbench.replay.adapters.drive import Setting, drive
from workbench.replay.adapters.specs import parse_agent
from workbench.replay.gateway.http import serve
from workbench.replay.isolation.levels import Level
from workbench.replay.trial import Limits

__all__ = ["main", "probe"]


def probe(task, tools, model):
    """Open a channel to the listener and wait for it."""
    channel = grpc.insecure_channel(f"127.0.0.1:{os.environ['PROBE_PORT']}")
    try:
        grpc.channel_ready_future(channel).result(timeout=2)
    except grpc.FutureTimeoutError:
        return "not ready"
    finally:
        channel.close()
    return "ready"


def main(case_file: str) -> int:
    """Try each level once."""
    case = load_case(Path(case_file))
    found = {}
    with socket.create_server(("127.0.0.1", 0)) as listener, serve() as server:
        listener.settimeout(0.5)
        os.environ["PROBE_PORT"] = str(listener.getsockname()[1])
        for level in Level:
            driven = drive(
                case,
                case.recorded,
                agent=parse_agent("python:tests.clients_own.grpc_walls:probe"),
                server=server,
                run_id=f"grpc.{level.value}",
                setting=Setting(limits=Limits(seconds=60), isolate=level),
            )
            if driven.reached.level is level:
                found[level.value] = _was_reached(listener)
    sys.stdout.write(json.dumps(found) + "\n")
    return 0


def _was_reached(listener: socket.socket) -> bool:
    reached = False
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            return reached
        connection.close()
        reached = True


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
