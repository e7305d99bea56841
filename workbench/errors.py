"""Every error this package raises on purpose.

* WorkbenchError            exit code 3 unless a subclass says otherwise
  * InputError              4: a file, a value or an argument is not what was expected
    * TraceFormatError      a source file or a record in it is no trace
    * CaseFormatError       a value in a case, draft, contract or settings file breaks its format
    * ContractError         a contract cannot be judged as written
    * MissingExtraError     an optional package is needed and absent
    * UnknownRunError       no run of that id
    * StoreError            the store refuses or is damaged (its subclasses live in `store`)
  * RefusedError            1: a step that protects says no (a lost trigger fact, residue, ...)
  * InconclusiveError       6: the question could not be answered

Anything else that escapes is a bug in the workbench, not in the caller's data. A message
names the place, what is there, what was expected, and, where known, a `Fix:` line. It never
holds text of a trace: only places, types and lengths.
"""

from __future__ import annotations

__all__ = [
    "CaseFormatError",
    "ContractError",
    "InconclusiveError",
    "InputError",
    "MissingExtraError",
    "RefusedError",
    "StoreError",
    "TraceFormatError",
    "UnknownRunError",
    "WorkbenchError",
]


class WorkbenchError(Exception):
    """Base class; catch this to catch everything below.

    Attributes:
        exit_code: what a command that ends with this error returns.
        fix: what the reader can do about it, or None.
    """

    exit_code = 3

    def __init__(self, message: str, *, fix: str | None = None) -> None:
        super().__init__(message if fix is None else f"{message}\n  Fix: {fix}")
        self.fix = fix

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a traceback, which holds values of variables."""
        return [f"{type(self).__name__}: {self}"]

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle by fields, so that an error arrives whole from a worker process."""
        return _revive, (type(self), str(self), self.__dict__)


def _revive(
    kind: type[WorkbenchError], message: str, attributes: dict[str, object]
) -> WorkbenchError:
    error = kind.__new__(kind, message)
    error.__dict__.update(attributes)
    return error


class InputError(WorkbenchError):
    """Something given to us is not what was expected.

    Attributes:
        place: where it is: a path, `path:line`, or `path#record`; relative, never absolute.
        key: dotted path to the value inside the file, or an empty string.
    """

    exit_code = 4

    def __init__(
        self, message: str, *, place: str = "", key: str = "", fix: str | None = None
    ) -> None:
        where = f"{place}: " if place else ""
        what = f"{key} " if key else ""
        super().__init__(f"{where}{what}{message}", fix=fix)
        self.place = place
        self.key = key


class TraceFormatError(InputError):
    """A source file, or a record in it, is no trace that we can read."""


class CaseFormatError(InputError):
    """A value in a case, draft, contract or settings file breaks its format."""


class ContractError(InputError):
    """A clause says something that can never be judged."""


class UnknownRunError(InputError):
    """No run of that id is in the store or the file."""


class StoreError(InputError):
    """The store refuses an operation or is damaged."""


class MissingExtraError(InputError):
    """An optional package is needed for this step and is not installed.

    Attributes:
        package: the distribution that is missing.
    """

    def __init__(self, package: str, *, needed_for: str, extra: str) -> None:
        super().__init__(
            f"{package} is needed for {needed_for} and is not installed",
            fix=f'pip install "incident-workbench[{extra}]"',
        )
        self.package = package


class RefusedError(WorkbenchError):
    """A step that protects says no.

    Attributes:
        reasons: one sentence each; places and types only, never a value.
    """

    exit_code = 1

    def __init__(
        self, message: str, *, reasons: tuple[str, ...] = (), fix: str | None = None
    ) -> None:
        lines = "".join(f"\n  - {reason}" for reason in reasons)
        super().__init__(f"{message}{lines}", fix=fix)
        self.reasons = reasons


class InconclusiveError(WorkbenchError):
    """The question could not be answered, so nothing may be concluded."""

    exit_code = 6
