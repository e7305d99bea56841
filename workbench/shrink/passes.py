"""Ways to make a selection smaller: what to leave out, in which order.

Each takes what is kept now and returns parts; leaving out one part makes one candidate. Parts
are tried from the last to the first, because a later unit is more often the reason for an earlier
one than the other way round.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from workbench.model.event import Claim, ModelReply, ToolCall
from workbench.model.jsonvalue import ABSENT, Absent
from workbench.shrink.nodes import NodePath, loose_nodes
from workbench.shrink.requirements import required_paths
from workbench.shrink.space import TRACE_LEVEL, Candidate, Cut, Space
from workbench.shrink.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = [
    "argument_cuts",
    "by_shape",
    "chunk_sizes",
    "metadata_cuts",
    "parts_of",
    "topmost",
    "word_cuts",
]

Item = TypeVar("Item")


def chunk_sizes(total: int) -> Iterator[int]:
    """Yield n/4, n/12, n/36, ... down to 2.

    >>> list(chunk_sizes(100))
    [25, 8, 2]
    """
    size = total // 4
    while size > 1:
        yield size
        size //= 3


def parts_of(items: Sequence[Item], size: int) -> list[frozenset[Item]]:
    """Cut a sequence into parts of `size`, the last part first.

    >>> [sorted(part) for part in parts_of([1, 2, 3, 4, 5], 2)]
    [[4, 5], [2, 3], [1]]
    """
    ends = range(len(items), 0, -size)
    return [frozenset(items[max(0, end - size) : end]) for end in ends]


def metadata_cuts(space: Space, candidate: Candidate) -> list[Cut]:
    """Return what no agent ever sees: usage of replies, labels and tags of the run."""
    found: list[Cut] = [
        (position, ("usage",))
        for position, event in zip(candidate.kept, candidate.trace.events, strict=True)
        if isinstance(event, ModelReply)
        and event.usage is not None
        and not _is_locked(space, position, ("usage",))
    ]
    if candidate.trace.labels:
        found.append((TRACE_LEVEL, ("labels",)))
    if candidate.trace.tags:
        found.append((TRACE_LEVEL, ("tags",)))
    return found


def argument_cuts(space: Space, candidate: Candidate, units: Sequence[int]) -> list[Cut]:
    """Return the argument nodes of these calls that may go, parents before children.

    A node stays that is locked, that a tool's schema requires, or whose value came from an
    earlier result: without it nobody would see why the model acted as it did.
    """
    found: list[Cut] = []
    for unit in units:
        position = space.layout.units[unit].events[0]
        call = space.trace.events[position]
        if not isinstance(call, ToolCall) or isinstance(call.args, Absent):
            continue
        locked = [lock.path for lock in space.locks if lock.position == position]
        if any(path[:1] != ("args",) or len(path) == 1 for path in locked):
            continue  # the whole call, or all its arguments
        fed = [path for path in space.flow.sources(unit) if path]
        gone = {path[1:] for at, path in candidate.selection.cuts if at == position}
        nodes = loose_nodes(
            call.args, firm=_required(space, call), whole=[*fed, *(path[1:] for path in locked)]
        )
        found.extend((position, ("args", *path)) for path in nodes if not _below(path, gone))
    return found


def word_cuts(space: Space, candidate: Candidate, units: Sequence[int]) -> list[Cut]:
    """Return the words of these claims that may go.

    A claim stays whole that is locked, that got a value from a result (the words around it say
    what became of it), or that is not the whole text of one reply.
    """
    found: list[Cut] = []
    for unit in units:
        position = space.layout.units[unit].events[0]
        claim = space.trace.events[position]
        if not isinstance(claim, Claim) or space.flow.sources(unit):
            continue
        reply = space.reply_of_claim(position)
        if reply is None or {lock.position for lock in space.locks} & {position, reply}:
            continue
        said = space.trace.events[reply]
        if isinstance(said, ModelReply) and said.text == claim.text:
            cuts = ((position, ("text", place)) for place in range(len(words_of(claim.text))))
            found.extend(cut for cut in cuts if cut not in candidate.selection.cuts)
    return found


def topmost(cuts: Sequence[Cut]) -> list[Cut]:
    """Return the cuts that lie below no other one."""
    known = set(cuts)
    return [
        (at, path)
        for at, path in cuts
        if not any((at, path[:end]) in known for end in range(1, len(path)))
    ]


def by_shape(space: Space, cuts: Sequence[Cut]) -> list[frozenset[Cut]]:
    """Group argument nodes of the same tool and keys, the group of the last call first."""
    groups: dict[tuple[str, NodePath], set[Cut]] = {}
    for at, path in reversed(cuts):
        call = space.trace.events[at]
        assert isinstance(call, ToolCall)  # noqa: S101  only calls have argument cuts
        shape = tuple("*" if isinstance(step, int) else step for step in path)
        groups.setdefault((call.tool, shape), set()).add((at, path))
    return [frozenset(group) for group in groups.values()]


def _required(space: Space, call: ToolCall) -> list[NodePath]:
    """Return the arguments without which the call would be another error than the recorded one."""
    schema = next((tool.schema for tool in space.trace.tools if tool.name == call.tool), None)
    return [] if schema is None or call.args is ABSENT else required_paths(schema, call.args)


def _below(path: NodePath, gone: set[NodePath]) -> bool:
    return any(path[:end] in gone for end in range(1, len(path) + 1))


def _is_locked(space: Space, position: int, path: NodePath) -> bool:
    return any(
        lock.position == position and path[: len(lock.path)] == lock.path[: len(path)]
        for lock in space.locks
    )
