"""Which replacements change what the contract answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from workbench.redact.assign import Assignment

__all__ = ["find_culprits"]


def find_culprits(
    assignment: Assignment, keeps: Callable[[Collection[str]], bool]
) -> tuple[str, ...]:
    """Return a smallest set of clusters whose replacement alone changes the signature.

    Halves are tried first, as in delta debugging, then single clusters are left out, so the number of
    tries grows with the logarithm of the number of clusters for one culprit.

    Args:
        assignment: of all values.
        keeps: whether the signature is the same when only these clusters are replaced.

    Source:
        A. Zeller and R. Hildebrandt (2002), IEEE Trans. Softw. Eng. 28(2), 183-200.
    """
    suspects = sorted(set(assignment.clusters.values()))
    pieces = 2
    while len(suspects) > 1:
        size = max(1, len(suspects) // pieces)
        parts = [suspects[at : at + size] for at in range(0, len(suspects), size)]
        smaller = next((part for part in parts if not keeps(part)), None)
        if smaller is not None:
            suspects, pieces = smaller, 2
            continue
        rests = [[s for s in suspects if s not in part] for part in parts] if len(parts) > 2 else []
        smaller = next((rest for rest in rests if not keeps(rest)), None)
        if smaller is not None:
            suspects, pieces = smaller, max(pieces - 1, 2)
        elif size == 1:
            break
        else:
            pieces = min(len(suspects), pieces * 2)
    return tuple(suspects)
