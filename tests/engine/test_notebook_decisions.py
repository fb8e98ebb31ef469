"""Decisions and changes as pure functions, with properties: no line is lost, only line N changes."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.engine.notebook_changes import with_line, with_name, with_note, with_soul
from pet.engine.notebook_decisions import (
    Correct,
    Decision,
    Note,
    NothingToNote,
    Soul,
    SoulChange,
    needs_no_question,
    read_decision,
    read_soul_change,
    settle,
)
from pet.i18n import Language, Texts
from pet.prompt.small_model_prompts import Line, lines_of

TODAY = date(2026, 11, 22)
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


@given(text=FILES, message=TEXT)
def test_note_keeps_every_line_and_adds_one(text: str, message: str) -> None:
    made = with_note(text, message, TODAY)
    if made is not None:
        assert made.startswith(text.rstrip("\n"))
        assert made[len(text.rstrip("\n")) :].count("\n") <= 2
        assert made.endswith("(2026-11-22)\n")


@given(text=FILES, new=TEXT, data=st.data())
def test_correction_changes_only_its_line(text: str, new: str, data: st.DataObject) -> None:
    lines = lines_of("MEMORY.md", text)
    if not lines:
        return
    line = data.draw(st.sampled_from(lines))
    made = with_line(text, line, " ".join(new.split()), TODAY)
    if made is None:
        return
    before, after = text.split("\n"), made.split("\n")
    assert len(before) == len(after)
    assert [place for place in range(len(before)) if before[place] != after[place]] == [line.index]
    assert "2026-11-22" in after[line.index]


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
    assert found is None or isinstance(found, NothingToNote | Note | Correct | Soul)
    read_soul_change(answer, count)


def test_line_that_changed_meanwhile_is_left_alone() -> None:
    line = Line(file="MEMORY.md", index=0, text="- old")
    assert with_line("- other\n", line, "new", TODAY) is None
    assert with_line("", Line(file="MEMORY.md", index=3, text="- old"), "new", TODAY) is None


@pytest.mark.parametrize(
    ("answer", "decision"),
    [
        ('{"is":"chat"}', NothingToNote()),
        ('Sure: {"is": "fact"} ok', Note()),
        ('{"is":"pet"}', Soul()),
        ('{"is":"change","line":2,"new":"x  y"}', Correct(1, "x y")),
        ('{"is":"change","line":true,"new":"x"}', None),
        ('{"is":"change","line":3,"new":"x"}', None),
        ('{"is":"change","line":1,"new":"' + "x" * 121 + '"}', None),
        ('{"is":"change","line":1}', None),
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
        (Note(), "I'm so tired today.", NothingToNote()),
        (Note(), "I'm so happy, I moved to Bergen.", Note()),
        (Note(), "我有点紧张。", NothingToNote()),
        (Note(), "谢谢你，我下周去巴黎。", Note()),
        (Note(), "Thanks for the tip, I start my new job in May.", Note()),
        (Note(), "Give me three ideas for dinner.", NothingToNote()),
        (Note(), "Give me a break, I moved to Rome!", Note()),
        (Note(), "List price went up to 30 euros at my gym.", Note()),
        (Note(), "把“早安”翻译成法语。", NothingToNote()),
        (Note(), "翻译课改到周三了。", Note()),
        (Note(), "总结会推迟到周五了。", Note()),
        (Soul(), "What's your favourite colour?", NothingToNote()),
        (Soul(), "你叫什么名字？", NothingToNote()),
        (Soul(), "Can you be a bit bolder?", Soul()),
        (Soul(), "你能不能活泼一点？", Soul()),
        (Note(), "What time is it?", NothingToNote()),
        (Note(), "Could you translate this for me please?", NothingToNote()),
        (Note(), "I moved to Nice. Do you like it?", Note()),
        (NothingToNote(), "记住我对花生过敏", Note()),
        (Note(), "帮我写一首诗", NothingToNote()),
        (Correct(0, "I live in Nice"), "I live in Nice now", Correct(0, "I live in Nice")),
        (Correct(0, "I live in Lyon"), "I still live in Lyon.", Note()),
        (Correct(0, "I live in Nice"), "Do I live in Nice?", NothingToNote()),
        (Correct(1, "我住在无锡"), "我搬到无锡了", Correct(1, "我住在无锡")),
        (Correct(1, "I live in Nice"), "I live in Nice now", Correct(0, "I live in Nice")),
        (Correct(0, "I live in Rome"), "We've moved, it's Rome now.", Correct(0, "I live in Rome")),
        (Correct(0, "I live in Rome"), "We're flying to Rome on 20 February.", Note()),
        (Correct(1, "我住在三亚"), "下周飞去三亚。", Note()),
        (Correct(0, "Name: Nori"), "I'd like to call you Nori.", Soul()),
        (Correct(1, "名字：豆豆"), "我想给你改个名字，叫豆豆吧。", Soul()),
    ],
)
def test_what_is_done_in_the_end(decision: object, message: str, settled: object) -> None:
    lines = lines_of("MEMORY.md", "- Owner: I live in Lyon (2026-01-02)\n- 主人：我住在苏州（2026-01-02）\n")
    assert settle(decision, message, lines) == settled  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("message", "settled"),
    [
        ("so " * 100_000, Note()),
        ("what is " * 40_000 + "?", NothingToNote()),
        ("什么" * 100_000, NothingToNote()),
        ("I moved to Oslo. " + "please " * 50_000, Note()),
    ],
)
def test_what_is_pasted_is_judged_by_the_beginnings_of_its_sentences(message: str, settled: object) -> None:
    """All of it would take the patterns minutes, and every conversation would wait."""
    assert settle(Note(), message, []) == settled


def test_template_places_headings_and_comments_are_no_lines() -> None:
    text = "# About\n\n## Name\n-\n- Name:\n<!-- one\n- two -->\n- Name: Ann\n"
    assert [(line.index, line.text) for line in lines_of("USER.md", text)] == [(7, "- Name: Ann")]


LONG_SOUL = "My name is Mochi. " + "I am a small, soft creature on your desktop, and Mochi is what I answer to. " * 4
BOOK = [Line(file="USER.md", index=place, text=f"- Fact number {place}") for place in range(8)]


def test_line_that_was_shown_cut_is_never_replaced() -> None:
    line = Line(file="SOUL.md", index=0, text=LONG_SOUL.strip())
    made = with_soul(line.text + "\nSecond.\n", line, SoulChange(0, "I use no emojis."))
    assert made == f"{line.text}\nI use no emojis.\nSecond.\n"
    book = [Line(file="USER.md", index=0, text="- Lives in Rome, " + "near the river, " * 12)]
    assert settle(Correct(0, "Lives in Oslo"), "I live in Oslo now, not in Rome.", book) == Note()


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
@pytest.mark.parametrize("answer", [None, NothingToNote(), Note(), Correct(7, "Something else entirely")])
def test_explicit_wish_put_as_a_question_is_noted(message: str, answer: Decision | None) -> None:
    assert settle(answer, message, BOOK) == Note()


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


@pytest.mark.parametrize(
    ("language", "moved"),
    [
        ("en", "We moved, it's Hamburg now."),
        ("zh", "我们搬家了，现在住上海。"),
        ("es", "Nos hemos mudado, ahora es Lugones."),
    ],
)
def test_answer_that_copies_an_example_is_never_written(language: Language, moved: str) -> None:
    """The examples' own notebook, so that each answer is as near to its line as can be."""
    texts = Texts(language)
    numbered = texts("notebook.example.lines").splitlines()[1:]
    lines = lines_of("MEMORY.md", "\n".join(f"- {line.partition('. ')[2]}" for line in numbered))
    answers = [read_decision(texts(f"notebook.example.{number}.answer"), len(lines)) for number in range(1, 15)]
    copied = [answer for answer in answers if isinstance(answer, Correct)]
    assert len(copied) == 3
    for answer in copied:
        settled = settle(answer, moved, lines)
        assert not isinstance(settled, Correct) or settled.new != answer.new
