"""Lines that repeat the context never reach the owner, however the stream is cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.extras.small_models.messages import ParrotFilter
from pet.extras.small_models.prompts import line_openings
from pet.i18n import Texts

CONTEXT = ("[It is Sunday, 2026-11-22. Yesterday was Saturday, 2026-11-21. It is 14:05.]", "[From your notes: tea]")


def run(text: str, sizes: list[int]) -> tuple[str, bool]:
    filtered, shown, at = ParrotFilter(CONTEXT, line_openings(Texts("en"))), "", 0
    for size in [*sizes, len(text)]:
        shown += filtered.feed(text[at : at + size])
        at += size
    return shown + filtered.finish(), filtered.dropped


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Hello!\nHow are you?", "Hello!\nHow are you?"),
        (CONTEXT[0] + "\nHello!", "Hello!"),
        ("Hello!\n" + CONTEXT[1] + "\nBye", "Hello!\nBye"),
        ("[2026-11-22] Hello", ""),
        ("[The time is 09:00.]\nHello", "Hello"),
        ("[from your notes: nothing]", ""),
        ("<pet-file name>\nHello", "Hello"),
        ("```json\nHello", "Hello"),
        ('{"name": "write"}', ""),
        ("[smiles] Hello", "[smiles] Hello"),
        ("Owner: I like tea.\nHello", "I like tea.\nHello"),
        ("主人：你好", "你好"),
        ("Owners of cats know that.", "Owners of cats know that."),
        ("Owner:", ""),
        ("\n\nHello", "Hello"),
        ("", ""),
    ],
)
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_parroted_lines_are_left_out(text: str, shown: str, size: int) -> None:
    assert run(text, [size] * len(text))[0].lstrip("\n") == shown


@given(
    lines=st.lists(st.sampled_from(["Hello", "", "[smiles]", CONTEXT[0], CONTEXT[1], "<pet-x>", "[20"]), max_size=6),
    sizes=st.lists(st.integers(1, 9), max_size=40),
)
def test_shown_text_never_holds_a_context_line(lines: list[str], sizes: list[int]) -> None:
    shown, _dropped = run("\n".join(lines), sizes)
    assert not any(each in shown for each in (*CONTEXT, "<pet-", "[20"))
    assert [line for line in shown.split("\n") if line.strip()] == [
        line for line in lines if line in ("Hello", "[smiles]")
    ]
