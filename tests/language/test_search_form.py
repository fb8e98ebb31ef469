"""The search form against the table that the page's tests read too, and its places in a text."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.normalization import search_form, search_form_places

_FILE = Path(__file__).parents[2] / "ui" / "src" / "tests" / "search_form.test.json"
TABLE = json.loads(_FILE.read_text(encoding="utf-8"))
RANGES = ((0xAA, 0x24F), (0x370, 0x3FF), (0x1E00, 0x1FFF), (0xFB00, 0xFB06), (0xFF21, 0xFF5A), (0xFF66, 0xFF9D))
TEXTS = st.text(st.sampled_from("aEéÉßﬁﬃøæŁıİΣςάᾳｶﾞﾟか\u3099\u0301\u0323\u0345\u1112\u1161\u11ab한й\u0306कि王 ー😀"))


def test_every_letter_has_the_form_of_the_table() -> None:
    letters = [chr(code) for first, last in RANGES for code in range(first, last + 1)]
    letters = [each for each in letters if unicodedata.category(each)[0] == "L"]
    forms = {letter: form for form, letters in TABLE["letters"].items() for letter in letters}
    assert {letter: search_form(letter) for letter in letters} == forms


@pytest.mark.parametrize(("text", "accented", "plain"), TABLE["texts"])
def test_every_text_has_the_form_of_the_table(text: str, accented: str, plain: str) -> None:
    assert (search_form(text, accents=True), search_form(text)) == (accented, plain)


@given(TEXTS, st.booleans())
def test_places_cover_the_text_in_order_and_give_its_form(text: str, accents: bool) -> None:
    form, places = search_form_places(text, accents=accents)
    assert form == search_form(text, accents=accents)
    assert len(places) == len(form)
    assert all(start < end <= len(text) for start, end in places)
    assert places == sorted(places)


@pytest.mark.parametrize(
    ("text", "word", "marked"),
    [
        ("with Émile here", "emile", "Émile"),
        ("with E\u0301mile here", "émile", "E\u0301mile"),
        ("die Straße dort", "strasse", "Straße"),
        ("six ﬁgs", "figs", "ﬁgs"),
        ("six ﬁgs", "i", "i"),
        ("the ﬁg", "fi", "ﬁ"),
    ],
)
def test_places_mark_whole_characters(text: str, word: str, marked: str) -> None:
    form, places = search_form_places(text)
    at = form.index(search_form(word))
    assert text[places[at][0] : places[at + len(search_form(word)) - 1][1]] == marked
