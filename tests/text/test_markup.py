"""HTML comments in the owner's files are removed from prompts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pet.extras.small_models.prompts import lines_of, reply_sections
from pet.i18n import Texts
from pet.prompt.build import filled_in
from pet.text.markup import has_instructions, replace_comments


def test_comments_are_removed_and_unclosed_ones_stay() -> None:
    text = "a<!-- b\n -->c<!---->d<!-->e\n<!-- f"
    assert replace_comments(text) == "acd<!-->e\n<!-- f"
    assert replace_comments(text, "_") == "a_c_d<!-->e\n<!-- f"
    assert replace_comments("no end, no <!-- comment") == "no end, no <!-- comment"


def test_lines_beside_a_comment_keep_their_places() -> None:
    text = "- one\n<!-- two\nthree --> four\n- five <!-- six -->\n- seven\n<!-- eight\n"
    assert [(line.index, line.text) for line in lines_of("USER.md", text)] == [
        (0, "- one"),
        (4, "- seven"),
        (5, "<!-- eight"),
    ]


@pytest.mark.timeout(60)  # a quadratic scan takes minutes
@pytest.mark.parametrize("text", ["<!--" * 150_000, "<!-- a -->\n" * 60_000])
@pytest.mark.parametrize(
    "work",
    [
        lambda text: lines_of("USER.md", text),
        lambda text: reply_sections(soul=text, user=text, memory=text, texts=Texts("en"), most=800),
        has_instructions,
        filled_in,
    ],
    ids=["lines", "reply", "heartbeat", "profile"],
)
def test_beginnings_without_an_end_take_linear_time(work: Callable[[str], object], text: str) -> None:
    assert work(text) is not None
