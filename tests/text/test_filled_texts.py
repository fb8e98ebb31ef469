"""Texts of the catalogues with values from outside."""

from __future__ import annotations

import pytest

from pet.cli.format import error_text
from pet.errors import LocalModelRefused
from pet.extras.local_models.model_store import in_gb
from pet.i18n import LANGUAGES, Language, Texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_value_with_a_place_holder_fills_nothing(language: Language) -> None:
    """A pet may be called "{id}"; and a value that names another often would multiply it."""
    name = "{id}" * 3
    text = Texts(language)("cli.which_pet", name=name, id="b" * 1_000)
    assert text.count("b" * 1_000) == 1
    assert name in text


@pytest.mark.parametrize(
    ("value", "digits", "english", "spanish"),
    [(2.1, 1, "2.1", "2,1"), (0.9, 2, "0.90", "0,90"), (8096, 0, "8,096", "8096"), (32_768, 0, "32,768", "32.768"),
     (1_234_567.5, 1, "1,234,567.5", "1.234.567,5"), (-12_000, 0, "-12,000", "-12.000")],
)  # fmt: skip
def test_numbers_are_written_as_in_the_language(value: float, digits: int, english: str, spanish: str) -> None:
    assert [Texts(each).number(value, digits) for each in LANGUAGES] == [english, english, spanish]


@pytest.mark.parametrize(("language", "need"), [("en", "needs 2.1 GB"), ("es", "necesita 2,1 GB")])
def test_an_error_names_its_sizes_as_in_the_language(language: Language, need: str) -> None:
    error = LocalModelRefused("memory", name="Qwen", need=in_gb(2_100_000_000), memory=in_gb(2_000_000_000))
    assert need in error_text(Texts(language), error)


def test_in_chinese_a_pet_that_leaves_the_desktop_goes_home() -> None:
    chinese = Texts("zh")
    for key in (
        "shell.menu_let_go",
        "ui.pets.go_home",
        "ui.pets.delete_not_beside",
        "error.pet_busy",
        "error.too_many_pets",
    ):
        assert "回家" in chinese(key) and "离开" not in chinese(key), key
