"""Promises in the logs: which are due, and done and put off as they are written into the entry."""

from __future__ import annotations

import json
import threading
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.bridge.commands.memory import ReminderArgs, ReminderCommands
from pet.errors import BadArguments, FileConflict, FileMissing, PathRefused
from pet.events import DayChanged, Event, RemindersChanged
from pet.i18n import LANGUAGES, Language, Texts
from pet.language.repetition import when_words
from pet.memory.reminders.reminder import Reminders, find_reminders, settle_reminder, split_reminders
from pet.memory.reminders.scheduler import ReminderScheduler
from pet.memory.store.daily_log import parse_log
from pet.model import Author
from pet.services.reminders import ReminderBook, ReminderView
from tests.memory.care_desk import CareDesk
from tests.support.program.parts import pet_of

LOG = """# Memory Log: 2026-11-01

## [09:00:00] todo @2026-11-20

Call the plumber.

## [09:05:00] fact

The kettle is new.

## [10:00:00] todo @2026-12-24

给奶奶打电话。
## [11:00:00] todo @2026-11-21 (was 2026-11-10)
Water the ficus.

## [12:00:00] todo @2026-11-05 ✓ 2026-11-06

Buy stamps.
"""
NAME = "memory/2026-11-01.md"
NOW = datetime(2026, 11, 21, 14, 30, tzinfo=UTC)


def texts(views: list[ReminderView]) -> list[str]:
    return [view.text for view in views]


@pytest.fixture
def told() -> list[Event]:
    return []


def commands_of(care: CareDesk, told: list[Event]) -> ReminderCommands:
    book = ReminderBook(care.store, care.clock)
    return ReminderCommands(pet_of(reminders=book, clock=care.clock, texts=lambda: Texts("en"), emit=told.append))


@pytest.fixture
def commands(care: CareDesk, told: list[Event]) -> ReminderCommands:
    care.put(NAME, LOG)
    return commands_of(care, told)


def answer(view: ReminderView, **given: str) -> ReminderArgs:
    return ReminderArgs(file=view.file, line=view.line, text=view.text, **given)  # type: ignore[arg-type]


def test_what_is_due_and_what_is_coming(commands: ReminderCommands) -> None:
    listed = commands.list_reminders()
    assert texts(listed.due) == ["Call the plumber.", "Water the ficus."]
    assert [(view.due, view.line, view.overdue) for view in listed.due] == [
        ("2026-11-20", 3, True),
        ("2026-11-21", 14, False),
    ]
    assert texts(listed.coming) == ["给奶奶打电话。"]


def test_done_is_written_into_the_entry(commands: ReminderCommands, care: CareDesk, told: list[Event]) -> None:
    plumber = commands.list_reminders().due[0]
    after = commands.answer_reminder(answer(plumber, answer="done"))
    assert texts(after.due) == ["Water the ficus."]
    assert "## [09:00:00] todo @2026-11-20 ✓ 2026-11-21\n\nCall the plumber." in care.text(NAME)
    assert told == [RemindersChanged()]
    newest = care.store.history(NAME)[0]
    assert newest.author is Author.OWNER
    care.store.restore(NAME, care.store.history(NAME)[1].id, author=Author.OWNER)
    assert care.text(NAME) == LOG


def test_put_off_keeps_the_first_day(commands: ReminderCommands, care: CareDesk) -> None:
    plumber, ficus = commands.list_reminders().due
    commands.answer_reminder(answer(plumber, answer="snooze", until="2026-11-23"))
    after = commands.answer_reminder(answer(ficus, answer="snooze", until="2026-11-22"))
    assert "## [09:00:00] todo @2026-11-23 (was 2026-11-20)\n" in care.text(NAME)
    assert "## [11:00:00] todo @2026-11-22 (was 2026-11-10)\n" in care.text(NAME)
    assert after.due == [] and texts(after.coming) == ["Water the ficus.", "Call the plumber.", "给奶奶打电话。"]
    care.clock.at = care.clock.at.replace(day=23)
    assert texts(commands.list_reminders().due) == ["Water the ficus.", "Call the plumber."]


def test_another_text_at_that_place_is_not_touched(commands: ReminderCommands, care: CareDesk) -> None:
    plumber = commands.list_reminders().due[0]
    changed = LOG.replace("Call the plumber.", "Call the painter.")
    care.put(NAME, changed)
    with pytest.raises(FileConflict):
        commands.answer_reminder(answer(plumber, answer="done"))
    assert care.text(NAME) == changed


def test_what_is_done_is_not_done_twice(commands: ReminderCommands, care: CareDesk) -> None:
    plumber = commands.list_reminders().due[0]
    commands.answer_reminder(answer(plumber, answer="done"))
    with pytest.raises(FileConflict):
        commands.answer_reminder(answer(plumber, answer="done"))
    assert care.text(NAME).count("✓") == 2


@pytest.mark.parametrize("until", [None, "", "soon", "2026-11-21", "2026-11-01", "2026-02-30"])
def test_a_reminder_is_put_off_to_a_day_to_come(
    commands: ReminderCommands, care: CareDesk, until: str | None
) -> None:
    plumber = commands.list_reminders().due[0]
    args = ReminderArgs(file=plumber.file, line=plumber.line, text=plumber.text, answer="snooze", until=until)
    with pytest.raises(BadArguments):
        commands.answer_reminder(args)
    assert care.text(NAME) == LOG


@pytest.mark.parametrize(
    ("file", "error"),
    [("MEMORY.md", BadArguments), ("../x.md", PathRefused), ("memory/2026-10-01.md", FileMissing)],
)
def test_only_a_log_holds_reminders(commands: ReminderCommands, file: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        commands.answer_reminder(ReminderArgs(file=file, line=3, text="Call the plumber.", answer="done"))


def test_line_ends_and_bom_of_the_log_survive(commands: ReminderCommands, care: CareDesk) -> None:
    data = ("\ufeff" + LOG.replace("\n", "\r\n")).encode()
    (care.root / NAME).write_bytes(data)
    plumber = commands.list_reminders().due[0]
    commands.answer_reminder(answer(plumber, answer="done"))
    assert (care.root / NAME).read_bytes() == data.replace(b"11-20\r\n", "11-20 ✓ 2026-11-21\r\n".encode())


def test_an_unreadable_log_is_passed_over_and_an_old_one_is_not(commands: ReminderCommands, care: CareDesk) -> None:
    (care.root / "memory" / "2026-11-02.md").write_bytes(b"## [09:00:00] todo @2026-11-20\n\n\xff\xfe")
    care.put("memory/2024-01-01.md", "## [09:00:00] todo @2026-11-01\n\npromised long ago\n")
    assert texts(commands.list_reminders().due) == [
        "promised long ago",
        "Call the plumber.",
        "Water the ficus.",
    ]


TIMED = """# Memory Log: 2026-11-01

## [09:00:00] todo (at 15:00) @2026-11-21

Phone the bank.

## [09:05:00] todo (every Monday at 09:00) @2026-11-16

Water the ferns.
"""


@pytest.fixture
def timed(care: CareDesk) -> ReminderCommands:
    care.put(NAME, TIMED)
    return commands_of(care, [])


def test_a_time_of_day_is_due_from_then_on(timed: ReminderCommands, care: CareDesk) -> None:
    listed = timed.list_reminders()  # it is 14:30
    assert [(view.text, view.at, view.repeats) for view in listed.coming] == [("Phone the bank.", "15:00", "")]
    assert [(view.text, view.at, view.repeats) for view in listed.due] == [
        ("Water the ferns.", "09:00", "every Monday")
    ]
    care.clock.at = care.clock.at.replace(hour=15, minute=0, second=0)
    assert texts(timed.list_reminders().due) == ["Water the ferns.", "Phone the bank."]


def test_done_moves_a_series_past_the_days_that_were_missed(timed: ReminderCommands, care: CareDesk) -> None:
    care.clock.at = care.clock.at.replace(month=12, day=10)
    ferns = timed.list_reminders().due[0]
    timed.answer_reminder(answer(ferns, answer="done"))
    assert "todo (every Monday at 09:00) @2026-12-14\n" in care.text(NAME)


def test_later_puts_off_only_this_one_of_a_series(timed: ReminderCommands, care: CareDesk) -> None:
    ferns = timed.list_reminders().due[0]
    timed.answer_reminder(answer(ferns, answer="snooze", until="in an hour"))
    assert "todo (every Monday at 09:00, this time at 15:30) @2026-11-21 (was 2026-11-16)\n" in care.text(NAME)
    care.clock.at = care.clock.at.replace(hour=16)
    ferns = next(view for view in timed.list_reminders().due if view.repeats)
    timed.answer_reminder(answer(ferns, answer="done"))
    assert "todo (every Monday at 09:00) @2026-11-23\n" in care.text(NAME)


@pytest.mark.parametrize(
    ("until", "heading"),
    [
        ("in an hour", "todo (at 15:30) @2026-11-21\n"),
        ("this evening", "todo (at 19:00) @2026-11-21\n"),
        ("tomorrow", "todo (at 15:00) @2026-11-22 (was 2026-11-21)\n"),
        ("2026-11-25T08:15", "todo (at 08:15) @2026-11-25 (was 2026-11-21)\n"),
        ("下周一早上九点", "todo (at 09:00) @2026-11-23 (was 2026-11-21)\n"),
    ],
)
def test_later_is_a_moment_in_words(timed: ReminderCommands, care: CareDesk, until: str, heading: str) -> None:
    bank = timed.list_reminders().coming[0]
    timed.answer_reminder(answer(bank, answer="snooze", until=until))
    assert heading in care.text(NAME)


def test_one_of_a_series_is_done_once_by_two_windows(timed: ReminderCommands, care: CareDesk) -> None:
    ferns = timed.list_reminders().due[0]
    args = ReminderArgs(file=NAME, line=ferns.line, text=ferns.text, answer="done", shown="2026-11-16T09:00")
    timed.answer_reminder(args)
    with pytest.raises(FileConflict):
        timed.answer_reminder(args)
    assert "@2026-11-23\n" in care.text(NAME)


MARKED = st.builds(
    lambda due, was, done, text: (
        f"## [08:00:00] todo @{due}"
        + (f" (was {was})" if was else "")
        + (" ✓ 2026-11-01" if done else "")
        + f"\n\n{text}\n"
    ),
    st.dates(date(2026, 1, 1), date(2027, 1, 1)),
    st.none() | st.dates(date(2025, 1, 1), date(2026, 1, 1)),
    st.booleans(),
    st.sampled_from(["call", "打电话", "## not a heading of ours", "two\n\nparagraphs @2026-01-01"]),
)


@given(st.lists(MARKED, max_size=6), st.booleans())
def test_settling_one_changes_its_heading_and_nothing_else(todos: list[str], put_off: bool) -> None:
    text = "# Memory Log: 2026-01-01\n\n" + "\n".join(todos)
    found = split_reminders(find_reminders("memory/2026-01-01.md", text), NOW)
    for reminder in (*found.due, *found.coming):
        until = (date(2027, 3, 3), None) if put_off else None
        after = settle_reminder(text, reminder, done=None if put_off else NOW, until=until)
        before_lines, after_lines = text.split("\n"), after.split("\n")
        different = [n for n, pair in enumerate(zip(before_lines, after_lines, strict=True), 1) if len(set(pair)) > 1]
        assert different == [reminder.line]
        entry = next(entry for entry in parse_log(after_lines) if entry.heading_line == reminder.line)
        assert entry.text == reminder.text and entry.done is not put_off
        if put_off:
            assert entry.due == date(2027, 3, 3) and entry.first == (reminder.first or reminder.due)


# --- the timer --------------------------------------------------------------------------------------


def test_what_is_due_at_start_is_told_once(care: CareDesk) -> None:
    care.put(NAME, LOG)
    told: list[Event] = []
    looks: list[date] = []
    book = ReminderBook(care.store, care.clock)

    def look() -> Reminders:
        looks.append(care.clock.now().date())
        return book.snapshot()

    timer = ReminderScheduler(look, care.clock, told.append)
    timer.check()
    assert told == [RemindersChanged()]
    timer.check()  # the same day reads nothing
    care.clock.at = care.clock.at.replace(day=22)  # another day, the same promises are due
    timer.check()
    assert looks == [date(2026, 11, 21), date(2026, 11, 22)]
    assert told[1:] == [DayChanged()]
    care.clock.at = care.clock.at.replace(month=12, day=24)
    timer.check()
    assert told[2:] == [DayChanged(), RemindersChanged()]
    care.clock.at = care.clock.at.replace(year=2025)  # a clock set back
    timer.check()
    assert told[4:] == [DayChanged(), RemindersChanged()]


def test_the_thread_looks_at_start_and_after_a_log_changed(care: CareDesk) -> None:
    told: Queue[Event] = Queue()
    timer = ReminderScheduler(ReminderBook(care.store, care.clock).snapshot, care.clock, told.put)
    timer.start()
    try:
        timer.file_changed("MEMORY.md")
        care.put(NAME, LOG)
        timer.file_changed(NAME)
        assert told.get(timeout=60) == RemindersChanged()
    finally:
        timer.stop()


def test_the_thread_goes_on_after_a_look_that_failed(care: CareDesk, caplog: pytest.LogCaptureFixture) -> None:
    told: Queue[Event] = Queue()
    book, failed = ReminderBook(care.store, care.clock), threading.Event()

    def look() -> Reminders:
        if not failed.is_set():
            failed.set()
            raise RuntimeError(LOG)
        return book.snapshot()

    care.put(NAME, LOG)
    timer = ReminderScheduler(look, care.clock, told.put, longest=0.1)
    timer.start()
    try:
        assert told.get(timeout=60) == RemindersChanged()
    finally:
        timer.stop()
    assert "RuntimeError" in caplog.text and "plumber" not in caplog.text


@pytest.mark.parametrize(
    ("log", "seconds"),
    [
        ("", 3600.0),  # an hour at most, so that another day is noticed
        ("## [09:00:00] todo @2026-11-22\n\nx\n", 3600.0),
        ("## [09:00:00] todo (at 15:00) @2026-11-24\n\nx\n", 3600.0),  # not within a day
        ("## [09:00:00] todo (at 15:00) @2026-11-22\n\nx\n", 45.0),  # the next full minute
        ("## [09:00:00] todo (at 14:00) @2026-11-21\n\nx\n", 3600.0),  # due already
    ],
)
def test_it_wakes_once_a_minute_only_while_a_time_of_day_comes_up(care: CareDesk, log: str, seconds: float) -> None:
    care.put(NAME, log)
    timer = ReminderScheduler(ReminderBook(care.store, care.clock).snapshot, care.clock, lambda _: None)
    assert timer.check() == seconds


def test_a_month_of_a_series_rings_on_its_days_and_not_again_after_done(care: CareDesk) -> None:
    """Weekdays at nine; the owner is away for the second week and answers the next morning else."""
    care.put(NAME, "## [09:00:00] todo (every weekday at 09:00) @2026-11-02\n\nWater the ferns.\n")
    book, told = ReminderBook(care.store, care.clock), list[Event]()
    timer = ReminderScheduler(book.snapshot, care.clock, told.append)
    care.clock.at = datetime(2026, 11, 1, tzinfo=UTC)
    rang: list[date] = []
    while care.clock.at < datetime(2026, 12, 1, tzinfo=UTC):
        before = len(told)
        timer.check()
        if any(isinstance(each, RemindersChanged) for each in told[before:]) and book.snapshot().due:
            rang.append(care.clock.at.date())
        away = date(2026, 11, 9) <= care.clock.at.date() < date(2026, 11, 16)
        if book.snapshot().due and care.clock.at.hour == 12 and not away:
            book.done(book.snapshot().due[0])
            timer.file_changed(NAME)
        care.clock.at += timedelta(minutes=30)
    away_from = [day for day in rang if date(2026, 11, 9) <= day < date(2026, 11, 16)]
    assert away_from == [date(2026, 11, 9)]  # the five that were missed are one
    workdays = [date(2026, 11, day) for day in range(1, 31) if date(2026, 11, day).weekday() < 5]
    assert [day for day in rang if day < date(2026, 11, 9)] == workdays[:5]
    assert [day for day in rang if day >= date(2026, 11, 17)] == [
        day for day in workdays if day >= date(2026, 11, 17)
    ]
    assert care.text(NAME).startswith("## [09:00:00] todo (every weekday at 09:00) @2026-12-01\n")


def test_one_is_added_by_hand_for_a_moment_in_words(
    commands: ReminderCommands, care: CareDesk, told: list[Event]
) -> None:
    care.put("memory/2026-11-21.md", "# Memory Log: 2026-11-21\n\n## [08:00:00] fact\n\nKept.")
    listed = commands.add_reminder("Buy  a\nkettle", "tomorrow at 15:00")
    assert [(view.text, view.due, view.at) for view in listed.coming if "kettle" in view.text] == [
        ("Buy a kettle", "2026-11-22", "15:00")
    ]
    log = care.text("memory/2026-11-21.md")
    assert log.startswith("# Memory Log: 2026-11-21\n\n## [08:00:00] fact\n\nKept.\n")
    assert told == [RemindersChanged()]
    weekly = commands.add_reminder("## [09:00] fact", "每周一九点").coming
    assert [(view.text, view.repeats) for view in weekly if view.repeats] == [("\\## [09:00] fact", "every Monday")]


@pytest.mark.parametrize(
    ("text", "when"),
    [("Tea", "soon"), ("Tea", ""), (" ", "tomorrow"), ("x" * 501, "tomorrow"), ("Tea", "2026-11-20")],
)
def test_one_without_a_moment_ahead_or_words_is_refused(
    commands: ReminderCommands, care: CareDesk, text: str, when: str
) -> None:
    before = care.text(NAME)
    with pytest.raises(BadArguments):
        commands.add_reminder(text, when)
    assert care.text(NAME) == before
    assert care.store.log_names() == [NAME]


def test_what_was_done_lately_is_listed_newest_first(commands: ReminderCommands, care: CareDesk) -> None:
    care.put("memory/2026-11-10.md", "## [09:00:00] todo @2026-11-10 ✓ 2026-11-12\nPay rent.\n")
    care.put("memory/2026-01-10.md", "## [09:00:00] todo @2026-01-10 ✓ 2026-01-12\nLong ago.\n")
    finished = commands.list_finished_reminders().finished
    assert [(each.text, each.day) for each in finished] == [
        ("Pay rent.", "2026-11-12"),
        ("Buy stamps.", "2026-11-06"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_terminal_and_the_pages_say_when_in_the_same_words(language: Language) -> None:
    table = json.loads(
        (Path(__file__).parents[3] / "ui/src/tests/memory/when_words.test.json").read_text(encoding="utf-8")
    )
    today = date.fromisoformat(table["today"])
    for row in table["rows"]:
        due = date.fromisoformat(row["due"])
        assert when_words(due, row["at"], row["repeats"], today, Texts(language)) == row[language]
