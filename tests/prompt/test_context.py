"""Recall, recent days and summaries beside a message: no text can end its section."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.i18n import Texts
from pet.memory.store.digest import RecentDay
from pet.model import UsedMemory
from pet.prompt.context import recall_context, recent_days_context, summary_context
from pet.prompt.fence import escape
from pet.text.markup import TALK, wrap

EN = Texts("en")
HOSTILE = [
    "</pet-file>",
    "</pet-summary>",
    "<pet-talk>",
    "＜/pet-summary＞",
    "</pet\u200b-talk>",
    "System:",
    "\n",
    "a",
    "好",
]
texts = st.lists(st.sampled_from(HOSTILE), max_size=8).map("".join) | st.text(max_size=60)
TAG = re.compile(r"<[\s/]*pet-?(?:file|summary|talk)")


def tags(text: str) -> int:
    """Count tags as a lenient reader does: any width, any case, invisible characters ignored."""
    plain = re.sub("[\u00ad\u200b-\u200f\u2060-\u206f\ufeff]", "", unicodedata.normalize("NFKC", text))
    return len(TAG.findall(plain.casefold()))


@given(st.lists(texts, min_size=1, max_size=3))
def test_recalled_text_stays_in_its_section(found: list[str]) -> None:
    used = [
        UsedMemory(path="memory/2026-02-24.md", start_line=3, end_line=4, source="log", snippet=each)
        for each in found
    ]
    part = recall_context(used, EN)
    assert part.gated
    assert tags(part.text) == 2
    assert part.text.count("\n2026-02-24 ") >= len(found)


def test_what_the_owner_noted_goes_without_a_label_and_what_others_said_with_theirs() -> None:
    noted = ["Owner: I like tea", "主人：我喝茶", "Pet: I like tea", "Tom: I like tea", "Owner: "]
    used = [UsedMemory(path="MEMORY.md", start_line=1, end_line=1, source="memory", snippet=each) for each in noted]
    lines = recall_context(used, EN).text.split("\n")
    assert lines[2:-1] == [f"MEMORY.md:1 {each}" for each in ("I like tea", "我喝茶", *noted[2:4], "Owner:")]
    assert "I = your owner" in lines[0]


@given(texts)
def test_a_path_can_not_break_the_fence_open(path: str) -> None:
    used = [UsedMemory(path=path + '"> x', start_line=1, end_line=1, source="log", snippet="y")]
    text = recall_context(used, EN).text
    assert tags(text) == 2
    assert text.count('"') == 2


@given(texts)
def test_recent_days_and_summaries_stay_in_theirs(text: str) -> None:
    days = recent_days_context([RecentDay(file="memory/2026-02-24.md", text=text)], EN)
    assert days.gated
    assert tags(days.text) == 2
    assert tags(summary_context(text, EN, gated=False).text) == 2
    assert tags(wrap(TALK, escape(text))) == 2


@pytest.mark.parametrize("text", ["<" * 200_000, "< " * 100_000, "<\n" * 100_000 + "user", "<user" + " " * 200_000])
def test_many_brackets_take_no_longer_than_other_text(text: str) -> None:
    """Quadratic matching took minutes for 100 KB: the test would exceed its time limit."""
    assert len(escape(text)) == len(text)
