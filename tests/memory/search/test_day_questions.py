"""A question that names a day is answered from that day first, and logs of other programs are read as well."""

from __future__ import annotations

from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.ranges import Days, find_ranges
from pet.memory.search.database import open_database
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.search.query_execution import NOTES, by_days
from tests.memory.workspaces import TODAY, log

OTHER_STYLES = """# 2026-11-14

## 2:15 PM - Deployment

Rolled the payment service out to production without trouble.

## 16:40 Lunch with Sara
- talked about her new flat
- she wants a cat

Plain words about the evening and tulips.

## Dentist
"""


@pytest.fixture
def days(tmp_path: Path) -> MemoryIndex:
    workspace = tmp_path / "pet"
    log(workspace, "2026-02-12", ["主人：和小雨去看了樱花", "主人：买了新的台灯"])
    log(workspace, "2026-05-01", ["主人：那天发生了什么事我都忘了，我们聊了啥也不知道，晚上又聊了什么"])
    log(workspace, "2026-06-03", ["Owner: What happened that day, what we talked about: I don't remember."])
    log(workspace, "2026-03-08", ["Owner: Amara's wedding is on 20 September in Ghent."])
    (workspace / "memory" / "2026-11-14.md").write_text(OTHER_STYLES, encoding="utf-8")
    return open_index(workspace, tmp_path / "cache", embedder=None)


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("2月12号那天发生了什么事？", "2026-02-12"),
        ("2月12日我们到底聊了些什么有意思的事情呀", "2026-02-12"),
        ("What happened that day, on February 12th?", "2026-02-12"),
        ("7天前我们聊了啥？", "2026-11-14"),
        ("一周前的今天发生了什么", "2026-11-14"),
        ("Seven days ago, what did we talk about that day?", "2026-11-14"),
        ("what on earth happened on 14 November", "2026-11-14"),
    ],
)
def test_entries_of_a_named_day_come_first_whatever_else_matches(days: MemoryIndex, question: str, day: str) -> None:
    with closing(days):
        hits = days.search(question, 3, TODAY)
    assert hits and all(hit.path == f"memory/{day}.md" for hit in hits[:2]), question
    assert hits[0].score >= 0.5


@given(
    words=st.lists(st.sampled_from(["聊了啥", "发生", "樱花", "忘了", "台灯", "那天", "happened", "day"]), max_size=6)
)
def test_no_words_beside_a_day_put_another_day_first(
    tmp_path_factory: pytest.TempPathFactory, words: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("days")
    log(folder / "pet", "2026-02-12", ["主人：去看了樱花"])
    log(folder / "pet", "2026-05-01", ["主人：那天发生了什么我忘了，聊了啥，樱花，台灯，what happened that day"])
    with closing(open_index(folder / "pet", folder / "cache", embedder=None)) as index:
        assert index.search(f"2月12号{' '.join(words)}", 2, TODAY)[0].path == "memory/2026-02-12.md"


@pytest.mark.parametrize(
    "question",
    [
        "what did we talk about a week ago?",
        "So what was it with us a week ago?",
        "一周前我们聊了什么？",
        "¿De qué hablamos hace una semana?",
    ],
)
def test_a_week_ago_is_that_day_first_and_then_the_days_beside_it(tmp_path: Path, question: str) -> None:
    for day in range(10, 20):
        log(tmp_path / "pet", f"2026-11-{day}", [f"Owner: the {day}th was long and full of things to do, no: {day}"])
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        found = [int(hit.path[-5:-3]) for hit in index.search(question, 7, TODAY)]
    assert found[0] == 14 and {*found[1:3]} == {13, 15} and {*found} == {*range(11, 18)}


@pytest.mark.parametrize(
    "question", ["el 12 de febrero", "¿Qué pasó el 12 de febrero?", "in February, on the 12th", "二月的12号那天"]
)
def test_a_date_in_words_is_answered_from_that_day(days: MemoryIndex, question: str) -> None:
    with closing(days):
        assert all(hit.path == "memory/2026-02-12.md" for hit in days.search(question, 2, TODAY))


def test_topic_words_order_the_entries_of_the_day(days: MemoryIndex) -> None:
    with closing(days):
        assert "台灯" in days.search("2月12号我买了什么台灯？", 1, TODAY)[0].snippet
        assert "樱花" in days.search("2月12号看樱花是和谁？", 1, TODAY)[0].snippet


def test_an_entry_that_names_the_day_counts_as_of_that_day(days: MemoryIndex) -> None:
    with closing(days):
        assert "Amara" in days.search("What is on 20 September, some wedding?", 1, date(2026, 11, 21))[0].snippet


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("when did we deploy?", "payment service"),
        ("deployed", "payment service"),
        ("Sara", "she wants a cat"),
        ("tulips", "tulips"),
        ("dentist", "Dentist"),
    ],
)
def test_headings_and_texts_of_other_programs_logs_are_found(days: MemoryIndex, question: str, found: str) -> None:
    with closing(days):
        assert found in days.search(question, 1, TODAY)[0].snippet


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("上周三我做了什么", "2026-11-11", "2026-11-11"),
        ("前天我吃了啥", "2026-11-19", "2026-11-19"),
        ("What did I do on the 12th?", "2026-11-12", "2026-11-12"),
        ("What did we say on Tuesday the 10th?", "2026-11-10", "2026-11-10"),
        ("What did I note on 2026-11-03?", "2026-11-03", "2026-11-03"),
        ("What happened on 03.11.2026?", "2026-11-03", "2026-11-03"),
        ("What happened on 11/3/2026?", "2026-11-03", "2026-11-03"),
        ("What happened on 23/10/2026?", "2026-10-23", "2026-10-23"),
        ("Where was I two Fridays ago?", "2026-11-13", "2026-11-13"),
        ("Where was I two days back?", "2026-11-19", "2026-11-19"),
        ("What did I do last month on the 5th?", "2026-10-05", "2026-10-05"),
        ("What did I plan last year in May?", "2025-05-01", "2025-05-31"),
        ("What did I plan in May last year?", "2025-05-01", "2025-05-31"),
        ("What was there a fortnight ago?", "2026-11-04", "2026-11-10"),
        ("What was there two weeks ago?", "2026-11-04", "2026-11-10"),
        ("And the week before last?", "2026-11-02", "2026-11-08"),
        ("And the weekend before last?", "2026-11-07", "2026-11-08"),
        ("Tuesday before last, what was that?", "2026-11-10", "2026-11-10"),
        ("What did I do in October?", "2026-10-01", "2026-10-31"),
    ],
)
def test_days_are_understood_however_they_are_named(question: str, first: str, last: str) -> None:
    assert [(str(days.first), str(days.last)) for days in find_ranges(question, TODAY)] == [(first, last)]


def test_a_named_day_reads_its_entries_and_not_all(tmp_path: Path) -> None:
    """In ten years of memories every entry was read for a question that names a day."""
    connection = open_database(tmp_path / "index.sqlite")
    connection.execute("INSERT INTO files VALUES (1, 'MEMORY.md', 0, '', x'00', 0)")
    first = date(2020, 1, 1)
    rows = [
        (id_, str(first + timedelta(id_ // 2)), str(first + timedelta(id_)) if id_ % 100 == 0 else None)
        for id_ in range(4_000)
    ]
    connection.executemany("INSERT INTO entries VALUES (?, 1, 1, 1, ?, ?, NULL, x'00', '', '', '', '')", rows)
    steps = 0

    def count() -> int:
        nonlocal steps
        steps += 1
        return 0

    connection.set_progress_handler(count, 100)
    days = Days(first=first + timedelta(100), last=first + timedelta(101), span=(0, 0))
    assert by_days(connection, [days], NOTES) == [204, 205, 202, 203, 200, 201, 100]
    assert steps < 20  # 2,000 of SQLite's instructions; reading all takes twenty times as many
    connection.close()
