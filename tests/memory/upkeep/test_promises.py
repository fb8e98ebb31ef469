"""Promises in the logs: which are due, and done and put off as they are written into the entry."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from queue import Queue

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.bridge.api import Nothing, PromiseArgs, PromiseView
from pet.bridge.handlers.promises import PromiseCommands, read_promises
from pet.engine.background.reminder_scheduler import ReminderScheduler
from pet.errors import BadArguments, FileConflict, FileMissing, PathRefused
from pet.events import Event, PromisesChanged
from pet.memory.daily_log import parse_log
from pet.memory.reminders import Reminders, open_reminders, settled
from pet.model import Author
from tests.memory.upkeep.desk import TODAY, CareDesk

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


def texts(views: list[PromiseView]) -> list[str]:
    return [view.text for view in views]


@pytest.fixture
def told() -> list[Event]:
    return []


@pytest.fixture
def commands(care: CareDesk, told: list[Event]) -> PromiseCommands:
    care.put(NAME, LOG)
    return PromiseCommands(care.store, care.clock, told.append)


def answer(view: PromiseView, **given: str) -> PromiseArgs:
    return PromiseArgs(file=view.file, line=view.line, text=view.text, **given)  # type: ignore[arg-type]


def test_what_is_due_and_what_is_coming(commands: PromiseCommands) -> None:
    listed = commands.list_promises(Nothing())
    assert texts(listed.due) == ["Call the plumber.", "Water the ficus."]
    assert [(view.due, view.line, view.overdue) for view in listed.due] == [
        ("2026-11-20", 3, True),
        ("2026-11-21", 14, False),
    ]
    assert texts(listed.coming) == ["给奶奶打电话。"]


def test_done_is_written_into_the_entry(commands: PromiseCommands, care: CareDesk, told: list[Event]) -> None:
    plumber = commands.list_promises(Nothing()).due[0]
    after = commands.answer_promise(answer(plumber, answer="done"))
    assert texts(after.due) == ["Water the ficus."]
    assert "## [09:00:00] todo @2026-11-20 ✓ 2026-11-21\n\nCall the plumber." in care.text(NAME)
    assert told == [PromisesChanged()]
    newest = care.store.history(NAME)[0]
    assert newest.author is Author.OWNER
    care.store.restore(NAME, care.store.history(NAME)[1].id, author=Author.OWNER)
    assert care.text(NAME) == LOG


def test_put_off_keeps_the_first_day(commands: PromiseCommands, care: CareDesk) -> None:
    plumber, ficus = commands.list_promises(Nothing()).due
    commands.answer_promise(answer(plumber, answer="snooze", until="2026-11-23"))
    after = commands.answer_promise(answer(ficus, answer="snooze", until="2026-11-22"))
    assert "## [09:00:00] todo @2026-11-23 (was 2026-11-20)\n" in care.text(NAME)
    assert "## [11:00:00] todo @2026-11-22 (was 2026-11-10)\n" in care.text(NAME)
    assert after.due == [] and texts(after.coming) == ["Water the ficus.", "Call the plumber.", "给奶奶打电话。"]
    care.clock.at = care.clock.at.replace(day=23)
    assert texts(commands.list_promises(Nothing()).due) == ["Water the ficus.", "Call the plumber."]


def test_another_text_at_that_place_is_not_touched(commands: PromiseCommands, care: CareDesk) -> None:
    plumber = commands.list_promises(Nothing()).due[0]
    changed = LOG.replace("Call the plumber.", "Call the painter.")
    care.put(NAME, changed)
    with pytest.raises(FileConflict):
        commands.answer_promise(answer(plumber, answer="done"))
    assert care.text(NAME) == changed


def test_what_is_done_is_not_done_twice(commands: PromiseCommands, care: CareDesk) -> None:
    plumber = commands.list_promises(Nothing()).due[0]
    commands.answer_promise(answer(plumber, answer="done"))
    with pytest.raises(FileConflict):
        commands.answer_promise(answer(plumber, answer="done"))
    assert care.text(NAME).count("✓") == 2


@pytest.mark.parametrize("until", [None, "", "soon", "2026-11-21", "2026-11-01", "2026-02-30"])
def test_a_promise_is_put_off_to_a_day_to_come(commands: PromiseCommands, care: CareDesk, until: str | None) -> None:
    plumber = commands.list_promises(Nothing()).due[0]
    args = PromiseArgs(file=plumber.file, line=plumber.line, text=plumber.text, answer="snooze", until=until)
    with pytest.raises(BadArguments):
        commands.answer_promise(args)
    assert care.text(NAME) == LOG


@pytest.mark.parametrize(
    ("file", "error"),
    [("MEMORY.md", BadArguments), ("../x.md", PathRefused), ("memory/2026-10-01.md", FileMissing)],
)
def test_only_a_log_holds_promises(commands: PromiseCommands, file: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        commands.answer_promise(PromiseArgs(file=file, line=3, text="Call the plumber.", answer="done"))


def test_line_ends_and_bom_of_the_log_survive(commands: PromiseCommands, care: CareDesk) -> None:
    data = ("\ufeff" + LOG.replace("\n", "\r\n")).encode()
    (care.root / NAME).write_bytes(data)
    plumber = commands.list_promises(Nothing()).due[0]
    commands.answer_promise(answer(plumber, answer="done"))
    assert (care.root / NAME).read_bytes() == data.replace(b"11-20\r\n", "11-20 ✓ 2026-11-21\r\n".encode())


def test_an_unreadable_or_very_old_log_is_passed_over(commands: PromiseCommands, care: CareDesk) -> None:
    (care.root / "memory" / "2026-11-02.md").write_bytes(b"## [09:00:00] todo @2026-11-20\n\n\xff\xfe")
    care.put("memory/2024-01-01.md", "## [09:00:00] todo @2024-02-01\n\nlong ago\n")
    assert texts(commands.list_promises(Nothing()).due) == ["Call the plumber.", "Water the ficus."]


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
    found = open_reminders([("memory/2026-01-01.md", text)], TODAY)
    for promise in (*found.due, *found.coming):
        until = date(2027, 3, 3) if put_off else None
        after = settled(text, promise, done=None if put_off else TODAY, until=until)
        before_lines, after_lines = text.split("\n"), after.split("\n")
        different = [n for n, pair in enumerate(zip(before_lines, after_lines, strict=True), 1) if len(set(pair)) > 1]
        assert different == [promise.line]
        entry = next(entry for entry in parse_log(after_lines) if entry.heading_line == promise.line)
        assert entry.text == promise.text and entry.done is not put_off
        if put_off:
            assert entry.due == date(2027, 3, 3) and entry.first == (promise.first or promise.due)


# --- the timer --------------------------------------------------------------------------------------


class Watched:
    """A timer over the desk's logs; each event it tells of can be waited for."""

    def __init__(self, care: CareDesk, *, longest: float) -> None:
        self.told: Queue[Event] = Queue()
        self.looks: Queue[date] = Queue()
        self.timer = ReminderScheduler(self._read(care), care.clock, self.told.put, longest=longest)

    def _read(self, care: CareDesk) -> Callable[[date], Reminders]:
        def read(today: date) -> Reminders:
            found = read_promises(care.store, today)
            self.looks.put(today)
            return found

        return read


def test_what_is_due_at_start_is_told_once(care: CareDesk) -> None:
    care.put(NAME, LOG)
    watched = Watched(care, longest=0.01)
    watched.timer.start()
    try:
        assert watched.told.get(timeout=60) == PromisesChanged()
        care.clock.at = care.clock.at.replace(day=22)  # another day, the same promises are due
        assert [watched.looks.get(timeout=60) for _ in range(2)] == [date(2026, 11, 21), date(2026, 11, 22)]
        care.clock.at = care.clock.at.replace(month=12, day=24)
        assert watched.told.get(timeout=60) == PromisesChanged()
    finally:
        watched.timer.stop()
    assert watched.told.empty()


def test_a_log_that_changed_is_looked_at_soon(care: CareDesk) -> None:
    watched = Watched(care, longest=3600)
    watched.timer.start()
    try:
        assert watched.looks.get(timeout=60) == TODAY
        watched.timer.file_changed("MEMORY.md")
        care.put(NAME, LOG)
        watched.timer.file_changed(NAME)
        assert watched.told.get(timeout=60) == PromisesChanged()
        assert watched.looks.get(timeout=60) == TODAY
    finally:
        watched.timer.stop()
    assert watched.looks.empty()


def test_a_clock_set_back_is_tolerated(care: CareDesk) -> None:
    care.put(NAME, LOG)
    watched = Watched(care, longest=0.01)
    watched.timer.start()
    try:
        assert watched.told.get(timeout=60) == PromisesChanged()
        care.clock.at = care.clock.at.replace(year=2025)
        assert watched.told.get(timeout=60) == PromisesChanged()
    finally:
        watched.timer.stop()
