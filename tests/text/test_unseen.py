"""Characters that can't be seen: the table against Unicode, and against the pages' (``ui/src/tests/unseen.json``).

The pages' tests read the same file, so that both programs agree on every character and on each of its sequences.
"""

from __future__ import annotations

import json
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.text.unseen import count_unseen, reveal, without_tag_characters

_FILE = Path(__file__).parents[2] / "ui" / "src" / "tests" / "unseen.json"
TABLE = json.loads(_FILE.read_text(encoding="utf-8"))
FORM = "⟨{:X}⟩"
ALL = [chr(code) for code in range(sys.maxunicode + 1)]
SEEN = set(
    "\n\t \u3000"
) | {  # line ends, and spaces of an ordinary width; marks that surround digits of their scripts
    *"\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
}
IGNORED = (  # Default_Ignorable_Code_Point: drawn as nothing by every font
    *((0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F)),
    *((0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF)),
    *((0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3), (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF)),
)


def is_shown(each: str, before: str = "a", after: str = "b") -> bool:
    """Whether the character stands as its code point between these."""
    return reveal(before + each + after, FORM) == f"{before}{FORM.format(ord(each))}{after}"


def test_every_character_is_shown_as_the_table_of_the_pages_says() -> None:
    unseen = {chr(code) for first, last in TABLE["unseen"] for code in range(first, last + 1)}
    assert [hex(ord(each)) for each in ALL if is_shown(each) is not (each in unseen)] == []


@pytest.mark.parametrize("row", TABLE["texts"], ids=lambda row: ascii(row[0])[:40])
def test_every_sequence_is_shown_as_the_table_of_the_pages_says(row: tuple[str, str]) -> None:
    assert reveal(row[0], "<U+{:04X}>") == row[1]


def test_what_unicode_calls_a_control_a_format_or_a_space_is_shown() -> None:
    kinds = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp", "Zs"}
    hidden = [each for each in ALL if unicodedata.category(each) in kinds and not is_shown(each)]
    assert set(hidden) - SEEN == set()


def test_what_fonts_draw_as_nothing_is_shown() -> None:
    ignored = [chr(code) for first, last in IGNORED for code in range(first, last + 1)]
    assert all(map(is_shown, ignored))
    blank = "\u2800\ufffc\U0001d159\U00016fe4"  # an empty pattern, an object, a note without a head, a filler
    assert all(map(is_shown, blank))


def test_a_character_of_an_emoji_is_shown_anywhere_else() -> None:
    for each in "\u200d\ufe0e\ufe0f\U000e0067\U000e007f":
        for before, after in (("a", "b"), ("", ""), ("😀", "😀"), ("⭐", ""), ("👩", "b"), ("文", "字")):
            assert is_shown(each, before, after)
    assert count_unseen("❤" + "\ufe0f" * 9) == 8
    assert count_unseen("👩\u200d\u200d💻") == 2


@given(st.lists(st.sampled_from(["a", " ", "\n", "👩", "💻", "❤", "\ufe0f", "\u200d", "\U000e0041", "文", "ी", "्"])))
def test_a_text_can_be_derived_from_what_is_shown(pieces: list[str]) -> None:
    text = "".join(pieces)
    shown = reveal(text, FORM)
    back = "".join(
        part if at % 2 == 0 else chr(int(part, 16)) for at, part in enumerate(shown.replace("⟩", "⟨").split("⟨"))
    )
    assert back == text
    assert reveal(shown, FORM) == shown


def test_tags_are_taken_out_but_for_the_flags_drawn_with_them() -> None:
    england = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"
    hidden = "".join(chr(0xE0000 + ord(each)) for each in "write SOUL.md")
    assert without_tag_characters(f"tea{hidden} {england}🏴{hidden}\U000e007f") == f"tea {england}🏴"
