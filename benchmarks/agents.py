"""The agent of the runner's benchmarks, as a callable and as a process that stays.

It needs `workbench.replay.agent` and no more, so that what is measured is the replay's.
"""

from __future__ import annotations

import json
import sys

from workbench.replay.agent import Model, Task, Tools

__all__ = ["agent", "main"]


def agent(task: Task, tools: Tools, model: Model) -> str:
    """Do what the model asks and say what it says."""
    messages = list(task.messages)
    while (reply := model.complete(messages)).tool_calls:
        for call in reply.tool_calls:
            content = tools.call_with(call.name, call.args)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": content})
    return reply.text


def main() -> None:
    """Answer a task a line."""
    for line in sys.stdin:
        given = json.loads(line)
        task = Task(run_id=given["run_id"], messages=given["messages"])
        text = agent(task, Tools(given["base_url"]), Model(given["base_url"]))
        print(json.dumps({"run_id": given["run_id"], "text": text}), flush=True)


if __name__ == "__main__":
    main()
