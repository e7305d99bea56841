"""The errors: where, what, what was expected, how to repair it, and one exit code each."""

from __future__ import annotations

import inspect
import pickle
import re

import pytest

from workbench import errors

CODES = {
    "CaseFormatError": 4,
    "ContractError": 4,
    "InconclusiveError": 6,
    "InputError": 4,
    "MissingExtraError": 4,
    "RefusedError": 1,
    "StoreError": 4,
    "TraceFormatError": 4,
    "UnknownRunError": 4,
    "WorkbenchError": 3,
}


@pytest.mark.parametrize("name", errors.__all__)
def test_every_error_has_its_exit_code(name):
    """CI reads the code; a new class must decide on one."""
    assert getattr(errors, name).exit_code == CODES[name]


def test_the_tree_in_the_docstring_is_the_tree():
    """It is what a reader consults to decide what to catch."""
    drawn = {}
    above = {}
    for indent, name in re.findall(r"^( *)\* (\w+)", inspect.getdoc(errors) or "", re.MULTILINE):
        above[len(indent)] = name
        drawn[name] = above.get(len(indent) - 2, "Exception")

    assert drawn == {name: getattr(errors, name).__base__.__name__ for name in errors.__all__}


def test_a_message_says_where_what_and_how_to_repair():
    """The shape that every complaint has."""
    error = errors.CaseFormatError(
        "is -1; expected an integer >= 0",
        place="cases/pause.case.yaml:41",
        key='contract.max_calls."billing.pause"',
        fix="use 0 to forbid the call.",
    )

    assert str(error) == (
        'cases/pause.case.yaml:41: contract.max_calls."billing.pause" is -1; '
        "expected an integer >= 0\n  Fix: use 0 to forbid the call."
    )


def test_a_message_without_place_key_or_fix_is_only_what_it_says():
    """No empty colon, no empty Fix."""
    assert str(errors.InputError("the file is empty")) == "the file is empty"


def test_a_refusal_lists_its_reasons():
    """A person works them off one by one."""
    error = errors.RefusedError(
        "the draft is not exported",
        reasons=("#17.args.account_id lost trailing_space", "2 values left"),
        fix="choose another strategy",
    )

    assert str(error) == (
        "the draft is not exported\n"
        "  - #17.args.account_id lost trailing_space\n"
        "  - 2 values left\n"
        "  Fix: choose another strategy"
    )


def test_a_missing_package_names_the_line_to_type():
    """Nobody should have to search for the name of an extra."""
    error = errors.MissingExtraError("duckdb", needed_for="workbench runs", extra="desk")

    assert str(error) == (
        "duckdb is needed for workbench runs and is not installed\n"
        '  Fix: pip install "incident-workbench[desk]"'
    )


@pytest.mark.parametrize(
    "error",
    [
        errors.WorkbenchError("plain", fix="mend it"),
        errors.TraceFormatError("is a number", place="a.json#3", key="events", fix="write a list"),
        errors.RefusedError("no", reasons=("one", "two"), fix="look"),
        errors.MissingExtraError("duckdb", needed_for="runs", extra="desk"),
        errors.InconclusiveError("not known"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_of_a_worker_process_arrives_whole(error):
    """Work over files runs in processes; an error that does not unpickle breaks the whole pool."""
    arrived = pickle.loads(pickle.dumps(error))  # noqa: S301  our own bytes

    assert type(arrived) is type(error)
    assert (str(arrived), vars(arrived)) == (str(error), vars(error))
