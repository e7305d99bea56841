"""What every value in workbench.model promises."""

from __future__ import annotations

import dataclasses
import importlib
import pkgutil
import typing

import pytest

import workbench.model


def model_classes():
    """Yield every dataclass defined in the model package."""
    for info in pkgutil.iter_modules(workbench.model.__path__, "workbench.model."):
        for value in vars(importlib.import_module(info.name)).values():
            if dataclasses.is_dataclass(value) and value.__module__ == info.name:
                yield value


every_model = pytest.mark.parametrize("cls", list(model_classes()), ids=lambda cls: cls.__name__)


@every_model
def test_model_values_are_frozen_slotted_and_keyword_only(cls):
    """A value never changes after it is made, and every field is named."""
    assert cls.__dataclass_params__.frozen
    assert "__slots__" in vars(cls)
    assert all(field.kw_only for field in dataclasses.fields(cls))


@every_model
def test_model_type_hints_resolve_at_run_time(cls):
    """The codec reads them, so a name that exists for the type checker only would break it."""
    hints = typing.get_type_hints(cls)

    assert hints.keys() >= {field.name for field in dataclasses.fields(cls)}


@every_model
def test_sequences_in_a_value_are_tuples(cls):
    """A list inside a frozen value could still change; only a JSON value may hold one."""
    hints = typing.get_type_hints(cls)

    assert not any(typing.get_origin(hint) in (list, set) for hint in hints.values())
