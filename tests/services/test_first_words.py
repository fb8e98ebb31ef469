"""What the pet says first as shipped: a simulated month for several owners, and the table in the documents."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path

import pytest

from pet.paths import find_home
from tests.services.desk import Desktop, opened

PAGE = Path(__file__).resolve().parents[2] / "docs" / "results.md"
FIRST = date(2026, 11, 1)
DAYS = 30
HOURS = ("09:00", "12:30", "16:00", "19:30", "23:30")
"""When the owner comes to the computer; the last is in the quiet hours of those who have some."""
QUIET = 'quiet_from = "22:00"\nquiet_until = "08:00"\n'
KINDS = ("greeting", "reminders", "asking")


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    name: str
    settings: str = ""
    tells: bool = True  # opens the chat at a question, else puts it away
    full_screen: tuple[str, ...] = ()  # the hours at which a program fills the screen
    paused: bool = False


OWNERS = (
    Owner(name="answers its questions"),
    Owner(name="puts its questions away", tells=False),
    Owner(name="has quiet hours, 22:00 to 8:00", settings=QUIET),
    Owner(name="plays in full screen from noon on", full_screen=HOURS[1:]),
    Owner(name="keeps memory paused", paused=True),
    Owner(name="does not want to be disturbed", settings="do_not_disturb = true\n"),
    Owner(
        name="said no in the first start", settings='reminder_bubbles = false\ngreetings = "off"\nask_after = false\n'
    ),
)


@dataclass(slots=True)
class Month:
    said: list[tuple[date, str, str]] = field(default_factory=list)  # day, hour, kind

    def count(self, kind: str) -> int:
        return sum(each == kind for _, _, each in self.said)

    @property
    def most(self) -> int:
        return max(Counter(day for day, _, _ in self.said).values(), default=0)


def logs() -> dict[str, str]:
    """Two promises a week, and something worth asking after every other day."""
    found = {}
    for number in range(-2, DAYS):
        day = FIRST + timedelta(number)
        text = f"# Memory Log: {day.isoformat()}\n"
        if number % 2 == 0:
            text += f"\n## [10:00:00] event\n\nOwner: rehearsal number {number + 10} of the choir was today.\n"
        if number % 4 == 1:
            due = day + timedelta(3)
            text += f"\n## [11:00:00] todo @{due.isoformat()}\n\nOwner: send letter {number}\n"
        found[f"{day.isoformat()}.md"] = text
    return found


def come(desktop: Desktop, owner: Owner, month: Month, day: date, hour: str) -> None:
    """The owner comes; what the pet says is read, answered, and over."""
    desktop.watch.time = datetime.fromisoformat(f"{day.isoformat()}T{hour}:00+01:00")
    desktop.screen.aside = hour in owner.full_screen
    desktop.touch()
    while (kind := desktop.said.kind) != "none":
        month.said.append((day, hour, kind))
        if kind == "reminders":
            for reminder in desktop.said.reminders:
                desktop.done(reminder)
        desktop.answer("open" if kind == "asking" and owner.tells else "close")


def lived(owner: Owner, folder: Path) -> Month:
    home, month = find_home(folder), Month()
    place = home.workspace("pet") / "memory"
    place.mkdir(parents=True)
    written = logs()
    with opened(home, settings=owner.settings, shipped=True, at="01T00:30") as desktop:
        desktop.app.pause(owner.paused)
        desktop.answer("close")  # the hello of the start itself
        for number in range(DAYS):
            day = FIRST + timedelta(number)
            for name, text in written.items():
                if name <= f"{day.isoformat()}.md" and not (place / name).exists():
                    (place / name).write_text(text)
            for hour in HOURS:
                come(desktop, owner, month, day, hour)
    return month


def row(owner: Owner, month: Month) -> str:
    counts = " | ".join(str(month.count(kind)) for kind in KINDS)
    return f"| {owner.name} | {counts} | {len(month.said) / DAYS:.1f} | {month.most} |"


@pytest.mark.parametrize("owner", OWNERS, ids=lambda owner: owner.name)
def test_a_simulated_month_is_as_the_documents_say(owner: Owner, tmp_path: Path) -> None:
    month = lived(owner, tmp_path / "home")
    for day, hour, kind in month.said:
        assert kind != "asking" or day >= FIRST + timedelta(7)
        assert hour not in owner.full_screen
        assert not (owner.settings == QUIET and hour == "23:30")
    assert month.count("greeting") <= DAYS
    if owner.paused or owner.settings not in ("", QUIET):
        assert month.said == []
    line = row(owner, month)
    print(line)
    assert line in PAGE.read_text()


def test_two_questions_put_away_end_the_asking_for_a_fortnight(tmp_path: Path) -> None:
    month = lived(OWNERS[1], tmp_path / "home")
    asked = [day for day, _, kind in month.said if kind == "asking"]
    assert len(asked) >= 2
    assert all(later - first >= timedelta(14) for first, later in zip(asked[1::2], asked[2::2], strict=False))
