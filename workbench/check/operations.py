"""Which operation a call concerns: the id that a write answers with and a read-back asks for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from workbench.check.outcomes import value_of

if TYPE_CHECKING:
    from workbench.model.jsonvalue import Absent, Json
    from workbench.model.trace import Call

__all__ = ["named_operations", "operation_ids"]

_OPERATION_KEYS: Final = frozenset({"operationid", "opid", "xoperationid"})


def operation_ids(call: Call) -> frozenset[str]:
    """Return the operation ids that a call carries, in its arguments, result or error."""
    found: set[str] = set()
    places: list[Json | Absent] = [call.args, value_of(call.result)]
    if call.result is not None:
        if call.result.operation_id is not None:
            found.add(call.result.operation_id)
        if call.result.error is not None:
            places += [call.result.error.body, dict(call.result.error.headers)]
    for place in places:
        found |= named_operations(place)
    return frozenset(found)


def named_operations(value: Json | Absent) -> frozenset[str]:
    """Return the operation ids that arguments, or an answer, name at their top."""
    if not isinstance(value, dict):
        return frozenset()
    return frozenset(
        str(item)
        for key, item in value.items()
        if key.lower().replace("_", "").replace("-", "") in _OPERATION_KEYS
        and isinstance(item, str | int)
        and not isinstance(item, bool)
    )
