"""The pet's name in IDENTITY.md: on a line of its own, or in its first sentence."""

from __future__ import annotations

import pytest

from pet.language.labels import identity_name, with_identity_name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# Identity\n\nYou are Luna, a personal AI companion.", "Luna"),
        ("You are **Luna** — warm.", "Luna"),
        ("Your name is Pip.", "Pip"),
        ("You are called Mary Jane Watson!", "Mary Jane Watson"),
        ("你是小月，一个温柔的伙伴。", "小月"),
        ("我叫麻薯。", "麻薯"),
        ("Eres Luna, una compañera.", "Luna"),
        ("- **Name:** Momo\n\nYou are Luna.", "Momo"),
        ("You are a helpful assistant.", None),
        ("I am very happy.", None),
        ("你是一个助手。", None),
        ("A pet.\nYou are Luna.", None),
        ("You are (your name here).", None),
    ],
)
def test_the_name_is_found(text: str, name: str | None) -> None:
    assert identity_name(text) == name


def test_a_new_name_takes_its_place_in_the_sentence() -> None:
    assert with_identity_name("You are Luna, a pal.\nLuna sings.", "Bo") == "You are Bo, a pal.\nLuna sings."
