"""The gateway without I/O: method, path, headers and bytes in, a response out.

The base URL is scoped by run, `/r/<run>/...`, so one server serves every trial of every case.
What is not known here is refused and reaches nothing. In a live trial model requests go on to the
provider, and nothing else goes anywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote

from workbench.errors import InputError
from workbench.replay.gateway.api import answer_api, is_listing
from workbench.replay.gateway.mcp import answer_mcp
from workbench.replay.gateway.plain import answer_events, answer_model, answer_tool
from workbench.replay.gateway.provider import Connections
from workbench.replay.gateway.wire import Request, Response, read_json, refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from workbench.replay.trial import Trial

__all__ = ["Gateway"]


class Gateway:
    """The trials that are running now, by run id."""

    def __init__(self) -> None:
        self._trials: dict[str, Trial] = {}
        self._connections = Connections()

    def open(self, trial: Trial, *, name: str | None = None) -> None:
        """Serve a trial from now on, under its run id or a name that stays."""
        self._trials[name or trial.run_id] = trial

    def close(self, trial: Trial) -> None:
        """Stop serving a trial: whatever its agent left behind is refused."""
        for name, served in list(self._trials.items()):
            if served is trial:
                del self._trials[name]

    def hang_up(self) -> None:
        """Close the connections to model providers that are kept for the next trial."""
        self._connections.close()

    def handle(self, method: str, path: str, headers: Mapping[str, str], raw: bytes) -> Response:
        """Answer one request.

        Args:
            method: upper case.
            path: as sent, percent-encoded, with or without a query.
            headers: lower-case names.
            raw: the body.
        """
        place, _, query = path.partition("?")
        parts = place.strip("/").split("/", 2)
        trial = self._trials.get(unquote(parts[1])) if len(parts) == 3 and parts[0] == "r" else None
        if trial is None:
            return refusal("unknown_run", "no run of that id is served", status=404)
        if trial.stopped.is_set():
            return refusal("stopped", "this run has ended")
        request = Request(method=method, path=parts[2], query=query, headers=headers, raw=raw)
        try:
            return _route(trial, request, self._connections)
        except InputError as error:
            return refusal("bad_request", str(error), status=400)


def _route(trial: Trial, request: Request, connections: Connections) -> Response:
    head, _, tail = request.path.partition("/")
    if request.method == "GET" and is_listing(request.path):
        return answer_api(trial, request, connections)
    if request.method != "POST":
        return refusal("unknown_endpoint", "expected POST", status=405)
    if request.path == "model":
        return answer_model(trial, read_json(request.raw), connections)
    if request.path == "mcp":
        return answer_mcp(trial, read_json(request.raw), request.headers)
    if request.path == "events":
        return answer_events(trial, read_json(request.raw))
    if head == "tools" and tail:
        call_id = request.headers.get("x-call-id")
        return answer_tool(trial, unquote(tail), read_json(request.raw), call_id=call_id)
    return answer_api(trial, request, connections)
