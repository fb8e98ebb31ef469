"""Decisions and changes of SOUL.md as pure functions: nothing that a model answers replaces a line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.extras.small_models.decisions import (
    Decision,
    Note,
    NothingToNote,
    Soul,
    SoulChange,
    needs_no_question,
    read_decision,
    read_soul_change,
    settle,
    with_name,
    with_soul,
)
from pet.extras.small_models.prompts import Line, lines_of

TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=200)
FILES = st.lists(
    st.sampled_from(
        [
            "# Title",
            "",
            "- Owner: I live in Lyon (2026-01-02)",
            "- cat: Miso",
            "plain words",
            "<!-- hidden",
            "text -->",
            "-",
            "* 喜欢喝茶",
            "\tindented",
            "a\r",
        ]
    ),
    max_size=12,
).map("\n".join)


@given(text=FILES, new=TEXT, data=st.data())
def test_soul_change_adds_one_line_and_touches_no_other(text: str, new: str, data: st.DataObject) -> None:
    lines = lines_of("SOUL.md", text)
    if not lines:
        return
    line = data.draw(st.sampled_from(lines))
    made = with_soul(text, line, SoulChange(0, " ".join(new.split())))
    if made is None:
        return
    before, after = text.split("\n"), made.split("\n")
    assert after[: line.index + 1] + after[line.index + 2 :] == before


@given(answer=TEXT, count=st.integers(0, 5))
def test_any_text_is_a_decision_or_none(answer: str, count: int) -> None:
    found = read_decision(answer, count)
    assert found is None or isinstance(found, NothingToNote | Note | Soul)
    read_soul_change(answer, count)


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ('{"is":"chat"}', NothingToNote()),
        ('Sure: {"is": "fact"} ok', Note()),
        ('{"is":"pet"}', Soul()),
        ('{"is":"change","line":2,"new":"x  y"}', Note(1)),
        ('{"is":"change","line":true,"new":"x"}', Note()),
        ('{"is":"change","line":3,"new":"x"}', Note()),
        ('{"is":"change"', Note()),
        ("note", None),
        ("", None),
    ],
)
def test_answers_are_read_strictly(answer: str, decision: object) -> None:
    assert read_decision(answer, 2) == decision


@pytest.mark.parametrize("message", ["", "  ", "Good night!", "谢谢", "haha"])
def test_small_talk_needs_no_question(message: str) -> None:
    assert needs_no_question(message)


@pytest.mark.parametrize(
    ("message", "gone"),
    [
        ("Forget that I live in Oslo.", True),
        ("Please don't note this: I had a cake.", True),
        ("Delete my address from your notes.", True),
        ("把我住在北京这件事忘了吧。", True),
        ("不用记下来，我开玩笑的。", True),
        ("Don't forget that I live in Oslo.", False),
        ("Forget to water the plants and they die.", False),
        ("忘了告诉你，我搬到苏州了。", False),
        ("别忘了我对花生过敏。", False),
    ],
)
def test_what_is_to_be_forgotten_is_never_a_note(message: str, gone: bool) -> None:
    assert needs_no_question(message) is gone


@pytest.mark.parametrize(
    ("decision", "message", "settled"),
    [
        (Note(), "I moved to Nice. It rains.", Note()),
        (Note(), "What time is it?", NothingToNote()),
        (Note(), "你叫什么名字？", NothingToNote()),
        (NothingToNote(), "I moved to Nice.", NothingToNote()),
        (NothingToNote(), "记住我对花生过敏", Note()),
        (None, "I moved to Nice.", NothingToNote()),
        (Note(0), "I moved from Lyon to Nice.", Note(0)),
        (Note(0), "We fly to Rome in May.", Note()),  # no word of the line
        (Soul(), "Can you be a bit bolder!", Soul()),
        (Note(), "I'll call you Nori.", Soul()),
        (Note(), "我想给你改个名字，叫豆豆吧。", Soul()),
    ],
)
def test_what_is_done_in_the_end(decision: Decision | None, message: str, settled: Decision) -> None:
    lines = lines_of("MEMORY.md", "- Owner: I live in Lyon (2026-01-02)\n- 主人：我住在苏州（2026-01-02）\n")
    assert settle(decision, message, lines) == settled


def test_template_places_headings_and_comments_are_no_lines() -> None:
    text = "# About\n\n## Name\n-\n- Name:\n<!-- one\n- two -->\n- Name: Ann\n"
    assert [(line.index, line.text) for line in lines_of("USER.md", text)] == [(7, "- Name: Ann")]


LONG_SOUL = "My name is Mochi. " + "I am a small, soft creature on your desktop, and Mochi is what I answer to. " * 4
BOOK = [Line(file="USER.md", index=place, text=f"- Fact number {place}") for place in range(8)]


def test_line_that_was_shown_cut_is_never_offered_for_replacing() -> None:
    line = Line(file="SOUL.md", index=0, text=LONG_SOUL.strip())
    made = with_soul(line.text + "\nSecond.\n", line, SoulChange(0, "I use no emojis."))
    assert made == f"{line.text}\nI use no emojis.\nSecond.\n"
    book = [Line(file="USER.md", index=0, text="- Lives in Rome, " + "near the river, " * 12)]
    assert settle(Note(0), "I live in Oslo now, not in Rome.", book) == Note()


@pytest.mark.parametrize(
    ("soul", "message", "changed"),
    [
        (LONG_SOUL, "From now on your name is Pip", LONG_SOUL.replace("Mochi", "Pip")),
        ("I'm Mochi. Mochigome is rice.\n", "I'll call you Pip!", "I'm Pip. Mochigome is rice.\n"),
        ("我叫麻薯，一只软软的小东西。\n", "你以后就叫豆豆吧", "我叫豆豆，一只软软的小东西。\n"),
        ("我是麻薯。\n", "给你改个名字叫团子。", "我是团子。\n"),
        ("Me llamo Mochi y vivo aquí.\n", "call yourself Pip", "Me llamo Pip y vivo aquí.\n"),
        ("My name is Mochi.\n", "I'll call you later", None),
        ("My name is Mochi.\n", "What is your name?", None),
        ("我叫麻薯。\n", "你叫什么名字？", None),
        ("I keep you company.\n", "Your name is Pip", None),
    ],
)
def test_pet_name_is_replaced_inside_its_line(soul: str, message: str, changed: str | None) -> None:
    assert with_name(soul, message) == changed


@pytest.mark.parametrize(
    "message",
    [
        "Could you remember that my locker number is 418?",
        "Can you remember that I'm allergic to nuts?",
        "Would you please make a note that the gate sticks?",
        "能不能帮我记一下我的储物柜是418号？",
        "你能记住我的车牌是京A12345吗？",
    ],
)
@pytest.mark.parametrize("answer", [None, NothingToNote(), Note(), Note(7)])
def test_explicit_wish_put_as_a_question_is_noted(message: str, answer: Decision | None) -> None:
    assert isinstance(settle(answer, message, BOOK), Note)


@pytest.mark.parametrize(
    "message",
    [
        "忘了我说的绿茶吧。",
        "你就当我没说过绿茶",
        "就当我没说。",
        "Never mind what I said about green tea.",
        "Please wipe what I said about green tea",
        "Forget what I told you about the tea.",
        "Ignore what I said yesterday",
        "Olvida lo que dije del té.",
        "Haz como si no hubiera dicho nada",
    ],
)
def test_wish_to_forget_asks_no_model_and_notes_nothing(message: str) -> None:
    assert needs_no_question(message)


@pytest.mark.parametrize(
    "message",
    [
        "我忘了带钥匙",
        "别忘了我喜欢绿茶",
        "Never mind the weather, I moved to Oslo",
        "Clear the table is my job on Fridays",
    ],
)
def test_message_that_only_resembles_a_wish_to_forget_is_asked_about(message: str) -> None:
    assert not needs_no_question(message)
