"""Texts of the catalogues with values from outside."""

from __future__ import annotations

import pytest

from pet.i18n import LANGUAGES, Language, Texts


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_value_with_a_place_holder_fills_nothing(language: Language) -> None:
    """A pet may be called "{id}"; and a value that names another often would multiply it."""
    name = "{id}" * 3
    text = Texts(language)("cli.which_pet", name=name, id="b" * 1_000)
    assert text.count("b" * 1_000) == 1
    assert name in text
