"""No test reads the machine's date or zone, so none depends on the day and the place where it runs.

``ui/src/tests/setup.ts`` fixes the clock of the pages' tests.
"""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
READS = frozenset({"now", "today", "utcnow", "time", "time_ns", "localtime", "gmtime", "ctime", "strftime"})
"""Functions of ``datetime``, ``date`` and ``time``; ``monotonic`` and ``perf_counter`` tell no date."""
OF = frozenset({"datetime", "date", "time", "SystemClock()"})
TAKES_A_MOMENT = {"gmtime": 1, "strftime": 2}
"""Functions that read no clock if called with this many arguments."""
ZONED = {"astimezone": 1, "fromtimestamp": 2}
"""Functions that read the machine's zone unless called with this many arguments."""

ALLOWED = {
    "memory/reminders/test_reminder_clock.py": "the clock's zone, on any day",
    "lab/gallery/home/furnished.py": "pictures of the running program, which has the machine's zone",
    "extras/imports/test_formats.py": "an export without a zone is read in that of the machine, as the program does",
    "lab/gallery/studio/stage.py": "pictures of the running program, which has the machine's clock",
    "lab/soak/__main__.py": "names a report, seeds a run",
    "support/program/inspected.py": "says when the focus came, to another process",
    "support/pet_windows/bubbles.py": "a reminder for today, by the clock of the program that is run",
    "window/pet/test_bubble_on_the_desktop.py": "a reminder for today, by the clock of the program that is run",
    "window/settings/test_desktop_settings.py": "a log of today, by the clock of the program that is run",
    "workspace/test_foreign.py": "the time of a file just saved, by the machine's clock, whatever that says",
    "workspace/test_attachments.py": "later than now: the files that it ages have the machine's time",
}


def clock_reads(source: str) -> list[int]:
    """Return the lines that read the machine's date or zone, or hand in its clock."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "SystemClock":
            found.append(node.lineno)
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, of = node.func.attr, ast.unparse(node.func.value).removeprefix("datetime.").removeprefix("dt.")
        arguments = len(node.args) + len(node.keywords)
        given = name in TAKES_A_MOMENT and arguments >= TAKES_A_MOMENT[name]
        zoned = name not in ZONED or arguments >= ZONED[name]
        if (of in OF and name in READS and not given) or not zoned:
            found.append(node.lineno)
    return found


def test_no_test_reads_the_machines_date() -> None:
    found = {
        file.relative_to(above).as_posix(): lines
        for folder, above in ((TESTS, TESTS), (TESTS.parent / "lab", TESTS.parent))
        for file in sorted(folder.rglob("*.py"))
        if (lines := clock_reads(file.read_text(encoding="utf-8")))
    }
    assert {name: lines for name, lines in found.items() if name not in ALLOWED} == {}
    assert sorted(found) == sorted(ALLOWED), "what is allowed is still needed"


@pytest.mark.parametrize(
    "call",
    [
        "date.today()",
        "datetime.date.today()",
        "datetime.now(timezone.utc)",
        "datetime.now().year",
        "time.time() - 1",
        "time.gmtime()",
        "time.localtime(0)",
        "at.astimezone()",
        "datetime.fromtimestamp(0)",
        "Store(SystemClock())",
    ],
)
def test_a_reading_of_the_clock_is_found(call: str) -> None:
    assert clock_reads(f"x = 1\nprint({call})") == [2]


@pytest.mark.parametrize(
    "call",
    ["clock.now()", "time.monotonic()", "time.gmtime(0)", "at.astimezone(UTC)", "datetime.fromtimestamp(0, UTC)"],
)
def test_other_moments_are_none(call: str) -> None:
    assert clock_reads(call) == []
