"""Parse the command line and hand over to one command module.

A command's modules are imported only when it is chosen, so that a command of the runner half
starts without the desk extra. That of its flags is named here as text and has

* `add_arguments(parser)`, which states them;
* `WORK`, the name of the module whose `execute(options) -> int` does the work, prints, and returns
  the exit code. It is imported when the words are right: help and a typing error come at once.

Whatever goes wrong ends here, once: a deliberate error prints its message and returns its own
code; anything else is our bug and prints its type and place only, since its message may hold
text of a trace.
"""

from __future__ import annotations

import importlib
import os
import sys

from workbench.errors import MissingExtraError, WorkbenchError

TYPE_CHECKING = False  # importing `typing` would take as long as everything else here
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Final

__all__ = ["COMMANDS", "DESK_PARTS", "main"]

COMMANDS: Final[dict[str, tuple[str, str]]] = {
    "ingest": ("workbench.cli.flags.ingest", "read trace files into the store"),
    "collect": (
        "workbench.cli.flags.collect",
        "receive OTLP on loopback and append it to the store",
    ),
    "doctor": (
        "workbench.cli.flags.doctor",
        "say what a recorder lost and which setting brings it back",
    ),
    "runs": ("workbench.cli.flags.runs", "list the runs of the store"),
    "show": ("workbench.cli.flags.show", "print the timeline of one run, values masked"),
    "judge": ("workbench.cli.flags.judge", "check a saved trace against a contract"),
    "diagnose": ("workbench.cli.flags.diagnose", "suggest clauses that a run broke, with evidence"),
    "redact": (
        "workbench.cli.flags.redact",
        "replace personal data and prove that the run still fails",
    ),
    "shrink": ("workbench.cli.flags.shrink", "find the smallest trace that fails the same way"),
    "export": ("workbench.cli.flags.export", "write a redacted draft as a case file"),
    "make": ("workbench.cli.flags.make", "from a run to a case file in one step, headless"),
    "accept": ("workbench.cli.flags.accept", "add an accepted path to a case"),
    "activate": ("workbench.cli.flags.activate", "make a proven case gate"),
    "check": ("workbench.cli.flags.check", "validate and self-test cases; no agent involved"),
    "run": ("workbench.cli.flags.run", "replay cases against your agent and judge them"),
    "fixtures": (
        "workbench.cli.flags.fixtures",
        "add reviewed answers for calls a live run missed",
    ),
    "fmt": ("workbench.cli.flags.fmt", "write case files in the one canonical layout"),
    "migrate": ("workbench.cli.flags.migrate", "bring case files of an older format up to date"),
    "report": ("workbench.cli.flags.report", "write a page for the post-mortem, values masked"),
    "due": ("workbench.cli.flags.due", "list the cases that need a decision, worst first"),
    "store": ("workbench.cli.flags.store", "verify the store and say what is in it"),
}
"""Command -> the module of its flags and what it does, in the order of the work."""

DESK_PARTS: Final[dict[str, str]] = {"check --detectors": "workbench.cli.detectors"}
"""Flag of a runner-half command -> the desk half's module for it, imported when it is given."""

_SUCCESS: Final = 0
_INTERRUPTED: Final = 2
_INTERNAL: Final = 3
_USAGE: Final = 4

_DESCRIPTION: Final = "Turn LLM-agent incidents into redacted, minimal, replayable cases."
_EXIT_CODES: Final = """\
exit codes:
  0 all gates hold   1 a gate failed, or a step that protects refused   2 interrupted
  3 internal error   4 usage or invalid input   5 nothing that gates was run   6 inconclusive
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        argv: the words after `workbench`; None: those of this process.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):  # a lone surrogate must not end a report half-way
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    if not words or words[0].startswith("-"):
        return _top_level(words)
    if words[0] not in COMMANDS:
        return _unknown_command(words[0])
    return _guarded(lambda: _run(words[0], words[1:]), command=words[0])


def _top_level(words: Sequence[str]) -> int:
    if words in (["-h"], ["--help"]):
        print(_overview())
        return _SUCCESS
    if words == ["--version"]:
        from importlib import metadata  # noqa: PLC0415  30 ms that only this flag needs

        print(f"workbench {metadata.version('incident-workbench')}")
        return _SUCCESS
    if not words:
        print(_overview(), file=sys.stderr)
        return _USAGE
    return _complain(
        f"{words[0]} is no flag here; expected a command, --help or --version\n"
        "  Fix: workbench --help",
        _USAGE,
    )


def _unknown_command(word: str) -> int:
    from workbench.cli.parser import nearest  # noqa: PLC0415  only when something was mistyped

    near = nearest(word, COMMANDS)
    fix = "workbench --help" if near is None else f"workbench {near}"
    return _complain(f"there is no command {word!r}\n  Fix: {fix}", _USAGE)


def _overview() -> str:
    width = max(map(len, COMMANDS))
    lines = (f"  {name:<{width}}  {summary}" for name, (_, summary) in COMMANDS.items())
    return "\n".join(
        (
            "usage: workbench COMMAND ...   (workbench COMMAND --help says more)",
            f"\n{_DESCRIPTION}\n",
            "commands:",
            *lines,
            f"\n{_EXIT_CODES}",
        )
    ).rstrip()


def _run(command: str, words: Sequence[str]) -> int:
    from workbench.cli.parser import parser_of  # noqa: PLC0415  `workbench --help` needs none

    name, summary = COMMANDS[command]
    flags = importlib.import_module(name)
    options = parser_of(command, summary, flags.add_arguments).parse_args(words)
    status: int = importlib.import_module(flags.WORK).execute(options)
    sys.stdout.flush()  # so that a reader that went away shows here and not at exit
    return status


def _guarded(work: Callable[[], int], *, command: str) -> int:
    """Do `work` and turn every way in which it can end into an exit code."""
    try:
        return work()
    except WorkbenchError as error:
        return _complain(str(error), error.exit_code)
    except ModuleNotFoundError as error:
        return _missing_module(error, command)
    except KeyboardInterrupt:
        return _complain("interrupted", _INTERRUPTED)
    except BrokenPipeError:
        return _reader_gone()
    except OSError as error:
        return _system_refused(error)
    except SystemExit as stop:  # argparse: --help, or a usage error that it has printed
        return stop.code if isinstance(stop.code, int) else _SUCCESS
    except Exception as error:  # noqa: BLE001  the last place where a bug can be reported
        return _internal_error(error)


def _missing_module(error: ModuleNotFoundError, command: str) -> int:
    package = (error.name or "").partition(".")[0]
    if package in ("", "workbench"):
        return _internal_error(error)
    missing = MissingExtraError(package, needed_for=f"workbench {command}", extra="desk")
    return _complain(str(missing), missing.exit_code)


def _reader_gone() -> int:
    """End quietly: whoever read our output has stopped (`workbench runs | head`)."""
    _drop_output()
    return _INTERRUPTED


def _drop_output() -> None:
    null = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(null, sys.stdout.fileno())  # the flush at exit must find somewhere to write
    finally:
        os.close(null)


def _system_refused(error: OSError) -> int:
    """A full disk, a path that is none: the caller's to mend, unless a library only says so."""
    if error.errno is None:
        return _internal_error(error)
    try:
        sys.stdout.flush()
    except OSError:  # it was stdout itself, and would be tried again at exit
        _drop_output()
    name = error.filename
    where = f"{os.path.basename(name)}: " if isinstance(name, str) else ""  # noqa: PTH119
    return _complain(
        f"{where}{(error.strerror or type(error).__name__).lower()}\n"
        "  Fix: check the path, the disk and your rights",
        _USAGE,
    )


def _internal_error(error: Exception) -> int:
    if os.environ.get("WORKBENCH_DEBUG") == "1":
        import traceback  # noqa: PLC0415  only on the way out

        traceback.print_exception(error)
    return _complain(
        f"internal error: {type(error).__name__} at {_place(error)}\n"
        "  Fix: report it; WORKBENCH_DEBUG=1 shows the traceback, which may hold trace text",
        _INTERNAL,
    )


def _place(error: BaseException) -> str:
    """Return `module:line` of the innermost frame of our own."""
    place = "an unknown place"
    step = error.__traceback__
    while step is not None:
        module = str(step.tb_frame.f_globals.get("__name__", ""))
        if module.partition(".")[0] == "workbench":
            place = f"{module}:{step.tb_lineno}"
        step = step.tb_next
    return place


def _complain(message: str, status: int) -> int:
    print(_printable(f"workbench: {message}"), file=sys.stderr)
    return status


def _printable(text: str) -> str:
    """Escape what could steer a terminal: a name in a hostile file is part of some messages."""
    return "".join(
        char if char.isprintable() or char == "\n" else char.encode("unicode_escape").decode()
        for char in text
    )
