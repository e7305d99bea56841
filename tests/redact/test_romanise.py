"""Names of other scripts in Latin letters."""

from __future__ import annotations

import pytest

from workbench.redact.cues import find_cued
from workbench.redact.draws import CJK_SURNAMES, alphabet_of
from workbench.redact.romanise import latin_forms, latin_of, spread_latin

pytestmark = pytest.mark.desk


@pytest.mark.parametrize(
    "alphabet", [CJK_SURNAMES, alphabet_of("伟"), alphabet_of("ж"), alphabet_of("λ")]
)
def test_whatever_is_drawn_can_be_read(alphabet: str) -> None:
    """Else a pseudonym in one script had none in the other."""
    assert [char for char in alphabet if latin_of(char) is None] == []


def test_family_names_that_cues_know_can_be_read() -> None:
    """What is found must be found in Latin letters as well."""
    assert list(find_cued("客户覃瑜要求退款"))
    assert latin_of("覃瑜") == ("qin", "yu")


@pytest.mark.parametrize(
    ("name", "forms"),
    [
        ("许燕", {"xu yan", "yan xu", "xuyan", "yanxu"}),
        ("欧阳淑珍", {"ouyang shuzhen", "shuzhen ouyang", "ouyang shu zhen", "shuzhenouyang"}),
        ("иван петров", {"ivan petrov", "petrov ivan", "ivanpetrov"}),
        ("ann lee", set()),
        ("龘燕", set()),
        ("于", set()),
        ("", set()),
    ],
)
def test_a_name_has_all_its_usual_forms(name: str, forms: set[str]) -> None:
    """Family name first or last, with and without blanks; nothing for what cannot be read."""
    found = set(latin_forms(name))

    assert forms <= found
    assert bool(forms) == bool(found)


@pytest.mark.parametrize(("text", "places"), [("wang", 2), ("li", 5), ("", 3), ("zhuang", 1)])
def test_letters_are_spread_without_loss(text: str, places: int) -> None:
    """One unit for each letter of the old form."""
    units = spread_latin(text, places)

    assert len(units) == places
    assert "".join(units) == text
