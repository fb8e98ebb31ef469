"""Upkeep as it is carried out: logs first, the gate inside the lock, once a day, and Undo gives every byte back."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.access import FileKind
from pet.memory.store.daily_log import parse_log
from pet.memory.store.shrink_plan import LOSES_AT_MOST
from pet.model import Author, Receipt
from pet.workspace.line_diff import dropped_line_ratio
from tests.memory.care_desk import SMALL, CareDesk
from tests.support.dying import needs_fork
from tests.support.examples import at_night

NOTES = [f"- 2026-0{1 + n // 10}-{10 + n % 10}: We painted picture number {n} together." for n in range(20)]
FULL = "# Memory\n\n## Days\n\n" + "\n".join(NOTES) + "\n"
"""Over 90 % of the limit of the small settings."""


@pytest.fixture
def care(tmp_path: Path) -> CareDesk:
    return CareDesk(tmp_path)


def test_the_oldest_go_to_the_logs_of_their_days(care: CareDesk) -> None:
    care.put("MEMORY.md", FULL)
    receipts = care.tidy()
    gone = [note for note in NOTES if note not in care.text("MEMORY.md")]
    assert gone == NOTES[: len(gone)] and 3 <= len(gone) <= 5
    assert care.logged() == [f"Days:\n{note}" for note in gone]
    assert list(care.logs()) == [f"{note[2:12]}.md" for note in gone]
    assert [receipt.file for receipt in receipts] == [f"memory/{name}" for name in care.logs()] + ["MEMORY.md"]
    assert dropped_line_ratio(FULL, care.text("MEMORY.md")) <= LOSES_AT_MOST
    log = next(iter(care.logs().values()))
    assert log.startswith("# Memory Log: 2026-01-10\n\n## [00:00:00] memory\n")


def test_what_has_no_date_goes_to_today_with_the_hour(care: CareDesk) -> None:
    care.put("USER.md", "\n".join(f"- Likes the {n}th kind of tea on the list" for n in range(24)) + "\n")
    care.tidy()
    (name, log), *others = care.logs().items()
    assert (name, others) == ("2026-11-21.md", [])
    assert "## [14:30:15] memory\n\n- Likes the 0th kind of tea" in log


def test_undo_gives_the_file_back_byte_for_byte(care: CareDesk) -> None:
    before = ("\ufeff" + FULL.replace("\n", "\r\n")).encode()[:-2]  # a BOM, CRLF and no last newline
    (care.root / "MEMORY.md").write_bytes(before)
    receipt = care.tidy()[-1]
    assert (care.root / "MEMORY.md").read_bytes() != before
    assert receipt.author is Author.PET
    care.store.undo(receipt, author=Author.OWNER)
    assert (care.root / "MEMORY.md").read_bytes() == before


def test_it_happens_once_a_day(care: CareDesk) -> None:
    care.put("MEMORY.md", FULL)
    assert care.tidy()
    care.put("MEMORY.md", FULL)
    assert care.tidy() == []
    assert care.text("MEMORY.md") == FULL
    care.clock.at = care.clock.at.replace(day=22)
    assert [receipt.file for receipt in care.tidy()] == ["MEMORY.md"]  # the logs hold it already


def test_a_file_that_fills_up_later_in_the_day_is_tidied_then(care: CareDesk) -> None:
    care.put("MEMORY.md", "- little\n")
    assert care.tidy() == []
    care.put("MEMORY.md", FULL)
    assert care.tidy() != []


def _off(care: CareDesk) -> None:
    care.conversation.switch(False)


def _paused(care: CareDesk) -> None:
    care.pet.pause(True)


@pytest.mark.parametrize("shut", [_off, _paused])
def test_nothing_is_read_or_written_while_off(care: CareDesk, shut: Callable[[CareDesk], None]) -> None:
    care.put("MEMORY.md", FULL)
    started_on = care.conversation.begin_turn()
    shut(care)
    assert care.tidy() == [] and care.tidy(gate=started_on) == []
    assert care.text("MEMORY.md") == FULL and care.logs() == {} and care.day.get() == ""


def test_nothing_is_done_where_the_owner_does_not_want_it(care: CareDesk) -> None:
    care.put("MEMORY.md", FULL)
    assert care.tidy(replace(SMALL, upkeep=False)) == []
    assert care.text("MEMORY.md") == FULL


def test_switched_off_between_the_writes_the_file_stays_whole(care: CareDesk) -> None:
    care.put("MEMORY.md", FULL)
    gate = care.conversation.begin_turn()
    seen: list[str] = []

    class ShutsAfterTwo:
        """The pet's day: set before the first write; from the third file's lock on the switch is off."""

        def get(self) -> str:
            return ""

        def set(self, day: str) -> None:
            seen.append(day)

    asked = gate.check_append

    def counting(kind: FileKind, file: str) -> None:
        seen.append("append")
        if seen.count("append") > 4:  # asked twice for each log: before, and inside its lock
            care.conversation.switch(False)
        asked(kind, file)

    gate.check_append = counting  # type: ignore[method-assign]
    care.day = ShutsAfterTwo()  # type: ignore[assignment]
    receipts = care.tidy(gate=gate)
    assert [receipt.file for receipt in receipts] == ["memory/2026-01-10.md", "memory/2026-01-11.md"]
    assert care.text("MEMORY.md") == FULL


def test_what_the_owner_writes_meanwhile_stands(care: CareDesk) -> None:
    care.put("MEMORY.md", FULL)
    stored = care.day.set

    def owner_writes(day: str) -> None:
        stored(day)
        care.put("MEMORY.md", FULL + "- mine\n")

    care.day.set = owner_writes  # type: ignore[method-assign]
    care.tidy()
    assert care.text("MEMORY.md") == FULL + "- mine\n"


@needs_fork
def test_killed_at_any_point_nothing_is_lost_or_doubled_for_long(tmp_path: Path) -> None:
    for deadly in count(step=8 if at_night() else 24):
        folder = tmp_path / f"{deadly}"
        folder.mkdir()
        care = CareDesk(folder)
        care.put("MEMORY.md", FULL)
        alive = _dies_at(deadly, care.tidy)
        again = CareDesk.__new__(CareDesk)
        again.__dict__ |= care.__dict__ | {"store": care.open()}
        again.store.observe("MEMORY.md")
        for note in NOTES:
            assert note in again.everything()
        again.tidy()
        for note in NOTES:
            kept = note in again.text("MEMORY.md")
            assert kept or sum(note in text for text in again.logged()) == 1
        if alive:
            assert deadly > 30
            return


def _dies_at(deadly: int, act: Callable[[], list[Receipt]]) -> bool:
    """Runs in a child whose ``deadly``-th call to the system kills it; True if it came to its end."""
    pid = os.fork()
    if pid == 0:
        calls = count()

        def wrap(real: Callable[..., object]) -> Callable[..., object]:
            def call(*args: object, **kwargs: object) -> object:
                if next(calls) == deadly:
                    os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **kwargs)

            return call

        for name in ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "close"):
            setattr(os, name, wrap(getattr(os, name)))
        try:
            act()
        finally:
            os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


LINES = st.lists(
    st.sampled_from(
        ["- 2026-01-05: ", "- [x] ", "- [ ] ", "* ", "1. 2025-12-31 ", "", "## ", "  - ", "- 2027-01-01: "]
    ).flatmap(
        lambda mark: st.sampled_from(
            ["tea with Anna in the small garden", "答应每周去爬山", "电影之夜很开心", "a cello"]
        ).map(lambda words: mark + words)
    ),
    min_size=8,
    max_size=40,
)


def _without_mark(line: str) -> str:
    return re.sub(r"^\s*(?:[-*]|##|\d+\.)?\s*", "", line).rstrip()


@given(LINES, st.booleans())
def test_every_entry_is_in_the_file_or_in_a_log(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], on: bool
) -> None:
    care = CareDesk(tmp_path_factory.mktemp("care"))
    text = "\n".join(lines) + "\n"
    care.put("MEMORY.md", text)
    care.conversation.switch(on)
    for day in (21, 22, 23):
        before = care.text("MEMORY.md")
        care.clock.at = care.clock.at.replace(day=day)
        care.tidy(SMALL if len(text) > 900 else replace(SMALL, prompt_file_characters=len(text)))
        assert dropped_line_ratio(before, care.text("MEMORY.md")) <= LOSES_AT_MOST
        if not on:
            assert care.text("MEMORY.md") == text and care.logs() == {}
    logged = {line for held in care.logged() for line in held.split("\n")}
    found = logged | set(care.text("MEMORY.md").split("\n"))
    # Of two entries that differ in their list mark alone, one may stay for both.
    assert {_without_mark(line) for line in lines} - {_without_mark(line) for line in found} == set()
    assert all(entry.category == "memory" for log in care.logs().values() for entry in parse_log(log.split("\n")))
