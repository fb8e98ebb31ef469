"""Which replies repeat themselves without an end."""

from __future__ import annotations

import pytest

from pet.engine.turn import RepetitionFinder

PARAGRAPH = "The sea was calm that night, and the whole harbour slept. Nobody heard the boats."
OTHER = "In the morning the market opened, with fish, oranges and the first bread of the day."


def found(*texts: str) -> bool:
    finder = RepetitionFinder()
    return any(finder.feed(piece) for text in texts for piece in (text[at : at + 7] for at in range(0, len(text), 7)))


@pytest.mark.parametrize(
    "texts",
    [
        [f"{PARAGRAPH}\n\n"] * 6,
        ["Well. ", *[f"{PARAGRAPH} "] * 6],
        ["今天天气很好，我们一起去公园散步吧。" * 40],
        ["ha ha what a lovely day it is " * 30],
        [f"{PARAGRAPH}\n{OTHER}\n" * 5],
    ],
)
def test_a_passage_that_comes_again_and_again_is_found(texts: list[str]) -> None:
    assert found(*texts)


@pytest.mark.parametrize(
    "text",
    [
        f"{PARAGRAPH}\n\n{OTHER}\n\n{PARAGRAPH}\n",
        "\n".join(f"{number}. {PARAGRAPH}" for number in range(9)),
        "| --- | --- | --- |\n" * 40,
        "-" * 2_000,
        "\n".join(f"| {number} | {number * number} | yes |" for number in range(80)),
        "ha " * 60,
    ],
)
def test_lists_tables_and_refrains_are_not(text: str) -> None:
    assert not found(text)
