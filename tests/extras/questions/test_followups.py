"""Which notes are asked after, when, and what of them is quoted; in English, Chinese and Spanish."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.extras.questions.followups import find_followups
from pet.memory.reminders.occasions import LONGEST, quoted, topic

NOTED = date(2026, 11, 18)  # a Wednesday


def log(*entries: tuple[str, str], day: date = NOTED) -> tuple[str, str]:
    body = "".join(f"\n## [08:00:00] {category}\n\n{text}\n" for category, text in entries)
    return f"memory/{day.isoformat()}.md", f"# Memory Log: {day.isoformat()}\n{body}"


def asked(category: str, text: str, days: int) -> list[tuple[str, str]]:
    """What would be asked so many days after the note."""
    return [(each.kind, each.what) for each in find_followups([log((category, text))], NOTED + timedelta(days))]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Concert in the park", 1),
        ("Driving test tomorrow at nine", 2),
        ("Job interview on Friday", 3),
        ("Flight to Lisbon on 27 November", 10),
        ("Exam on 2026-11-24", 7),
        ("明天考驾照", 2),
        ("后天搬家", 3),
        ("11月30日有面试", 13),
        ("上周五和小雨吃了饭", 1),
        ("Dinner with Anna last Friday", 1),
        ("Examen el viernes", 3),
        ("Anoche cené con Ana", 1),
    ],
)
def test_an_event_is_asked_after_once_it_has_been(text: str, first: int) -> None:
    days = [day for day in range(30) if asked("event", text, day)]
    assert days == list(range(first, first + 4))


def test_a_day_in_the_heading_counts_before_words() -> None:
    name, text = log(("event @2026-11-22", "Flea market on Friday"))
    days = [day for day in range(20) if find_followups([(name, text)], NOTED + timedelta(day))]
    assert days[0] == 5


@pytest.mark.parametrize(
    ("category", "days"),
    [
        ("todo", range(2, 8)),
        ("person", range(2, 11)),
        ("preference", range(4, 15)),
        ("fact", ()),
        ("general", ()),
        ("decision", ()),
    ],
)
def test_each_kind_has_its_time(category: str, days: range) -> None:
    assert [day for day in range(40) if asked(category, "Something about ferns", day)] == list(days)


def test_reminders_and_what_is_done_are_left_to_others() -> None:
    assert asked("todo @2026-11-19", "Call the dentist", 3) == []
    name, text = log(("todo", "Call the dentist"))
    done = text.replace("todo", "todo \N{CHECK MARK} 2026-11-19")
    assert find_followups([(name, done)], NOTED + timedelta(3)) == []


@pytest.mark.parametrize(
    "text",
    [
        "My password is hunter2-Xy9",
        "api key sk-ant-REDACTED-0123456789abcdef0123456789abcdef",
        "The PIN was ‹hidden:password›",
        "我的密码是 Sonne2024!",
        "ok",
    ],
)
def test_secrets_and_scraps_are_no_questions(text: str) -> None:
    assert asked("person", text, 3) == []


@pytest.mark.parametrize(
    "text",
    [
        "Grandma died last night",
        "Anna broke up with Tom",
        "奶奶住院了",
        "小李被辞退了",
        "Mi abuela murió anoche",
        "Hoy falleció mi tío",
        "A Lucía la operaron del corazón",
        "Mamá está enferma",
        "Rompimos después de seis años",
        "Me despidieron esta mañana",
        "Perdí a mi perro",
        "Estamos de luto",
    ],
)
def test_what_is_hard_is_asked_gently(text: str) -> None:
    assert [kind for kind, _ in asked("event", text, 2)] == ["hard"]


@pytest.mark.parametrize("text", ["Estaba muerta de risa con Ana", "Un duelo de esgrima muy divertido"])
def test_what_only_sounds_hard_is_asked_as_ever(text: str) -> None:
    assert [kind for kind, _ in asked("event", text, 2)] == ["event"]


def test_what_has_just_been_comes_first() -> None:
    entries = [("preference", "Likes oat milk"), ("person", "Anna has a new job"), ("event", "Open day at school")]
    old = log(*entries, day=NOTED - timedelta(4))
    new = log(("todo", "Fix the bicycle"), ("person", "Tom has a dog"))
    found = [each.what for each in find_followups([old, new], NOTED + timedelta(2))]
    assert found == ["Fix the bicycle", "Tom has a dog", "Anna has a new job", "Likes oat milk"]


def test_the_same_words_are_the_same_question_wherever_they_stand() -> None:
    day = NOTED + timedelta(3)
    one, two = (find_followups([log(("person", who + "小雨换了工作"))], day)[0] for who in ("", "主人："))
    assert one.key == two.key
    assert "小雨" not in one.key


@pytest.mark.parametrize(
    ("said", "what"),
    [
        ("**Exam** in `statistics`. I am nervous about it.", "Exam in statistics"),
        ("考试考完了！终于轻松了。", "考试考完了"),
        ("- a list\n- of things", "- a list"),
        ("safe\u202etxet\u202c hidden\u200b here", "safetxet hidden here"),
        ("word " * 60, ("word " * 20).strip() + "…"),
    ],
)
def test_a_quote_is_one_short_plain_sentence(said: str, what: str) -> None:
    assert quoted(said) == what


@given(st.text(max_size=400))
def test_no_note_breaks_a_question(text: str) -> None:
    assert len(quoted(text)) <= LONGEST + 1
    assert "\n" not in quoted(text)
    find_followups([log(("event", text), ("person", text))], NOTED + timedelta(2))


def test_a_topic_is_what_names_something() -> None:
    assert topic("The exam in statistics") & topic("Look at the statistics exam again") >= {"exam"}
    assert not topic("小雨换了工作") & topic("阳台的花开了")
