"""The quicker `__init__` makes what the usual one makes."""

from __future__ import annotations

import copy
import inspect
import pickle
import typing
from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from workbench.model.quick_init import maker_of, quick_init


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Plain:
    """A value with a field of each kind."""

    needed: str
    usual: int = 3
    made: dict[str, int] = field(default_factory=dict)


@quick_init
@dataclass(frozen=True, slots=True, kw_only=True)
class Longer(Plain):
    """A value with a field more."""

    more: float | None = None


def test_fields_and_defaults_are_as_written():
    """A default that is made is made anew each time."""
    first, second = Plain(needed="a"), Plain(needed="a")

    assert (first.needed, first.usual, first.made) == ("a", 3, {})
    assert first == second
    assert first.made is not second.made
    assert Longer(needed="b", made={"x": 1}, more=1.5) == Longer(
        more=1.5, usual=3, made={"x": 1}, needed="b"
    )


@pytest.mark.parametrize("made", [Plain(needed="a"), Longer(needed="a")])
def test_what_comes_out_is_of_the_class_and_frozen(made):
    """The class in which it was written is gone, so no one can write it again."""
    assert type(made) in (Plain, Longer)
    with pytest.raises(FrozenInstanceError):
        made.usual = 4
    with pytest.raises(FrozenInstanceError):
        del made.usual
    assert not hasattr(made, "__dict__")


def test_wrong_arguments_are_refused():
    """As any call is."""
    with pytest.raises(TypeError, match=r"__init__\(\) missing 1 required keyword-only argument"):
        Plain()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'other'"):
        Plain(needed="a", other=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="positional"):
        Plain("a")  # type: ignore[call-arg]


def test_values_are_copied_changed_and_sent_as_before():
    """`replace`, `copy` and `pickle` know nothing of it."""
    made = Longer(needed="a", more=2.0)

    assert replace(made, usual=5) == Longer(needed="a", usual=5, more=2.0)
    assert copy.deepcopy(made) == made
    sent = pickle.loads(pickle.dumps(made))  # noqa: S301  our own bytes
    assert sent == made
    assert type(sent) is Longer


def test_its_signature_is_read_as_before():
    """Hypothesis and help pages read names and types from it."""
    assert list(inspect.signature(Longer).parameters) == ["needed", "usual", "made", "more"]
    assert typing.get_type_hints(Longer.__init__)["more"] == float | None


def test_a_maker_makes_what_the_class_makes():
    """Same arguments, same defaults, same refusals."""
    make = maker_of(Longer)

    made = make(needed="a", more=2.5)
    assert made == Longer(needed="a", more=2.5)
    assert type(made) is Longer
    assert make(needed="a").made is not make(needed="a").made
    with pytest.raises(FrozenInstanceError):
        made.more = 1.0  # type: ignore[misc]
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'needed'"):
        make()  # type: ignore[call-arg]
