"""Files in a small model's prompt: the order of cuts in a small budget."""

from __future__ import annotations

from pet.extras.small_models.prompts import reply_sections
from pet.i18n import Texts

MOST = 800


def _shown(soul: str, memory: str) -> dict[str, str]:
    sections = reply_sections(soul=soul, user="", memory=memory, texts=Texts("en"), most=MOST)
    assert sum(each.tokens for each in sections[1:]) <= MOST
    return {each.name: each.text for each in sections}


def test_a_character_in_one_long_paragraph_keeps_its_beginning() -> None:
    shown = _shown(f"# Luna\n\n## Who\n\n{'Luna is a calm cat who loves the sea. ' * 120}\n\n## Talk\n\nshort\n", "")
    assert shown["SOUL.md"].count("a calm cat") > 20
    assert shown["SOUL.md"].endswith("…")


def test_a_memory_in_one_long_line_takes_no_more_than_its_room() -> None:
    assert "tea" in _shown("# Luna\n\ncalm\n", "likes tea, " * 4_000)["MEMORY.md"]
    newest = _shown("# Luna\n\ncalm\n", "x" * 9_000 + "\n- likes tea\n")["MEMORY.md"]
    assert newest.endswith("\n- likes tea")
