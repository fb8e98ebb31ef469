"""No test reads the machine's clock for a date, so none depends on the day it runs.

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
TAKES_A_MOMENT = {"localtime": 1, "gmtime": 1, "ctime": 1, "strftime": 2}
"""Functions that read no clock if called with this many arguments."""

ALLOWED = {
    "engine/test_reminder_clock.py": "the clock's zone, on any day",
    "gallery/studio/stage.py": "pictures of the running program, which has the machine's clock",
    "soak/__main__.py": "names a report, seeds a run",
    "support/pet_windows/bubbles.py": "a reminder for today, by the clock of the program that is run",
    "window/pet/test_bubble_on_the_desktop.py": "a reminder for today, by the clock of the program that is run",
    "window/settings/test_desktop_settings.py": "a log of today, by the clock of the program that is run",
    "workspace/test_attachments.py": "later than now: the files that it ages have the machine's time",
}


def clock_reads(source: str) -> list[int]:
    """Return the lines that read the machine's date."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        name, of = node.func.attr, ast.unparse(node.func.value).removeprefix("datetime.").removeprefix("dt.")
        given = name in TAKES_A_MOMENT and len(node.args) >= TAKES_A_MOMENT[name]
        if of in OF and name in READS and not given:
            found.append(node.lineno)
    return found


def test_no_test_reads_the_machines_date() -> None:
    found = {
        file.relative_to(TESTS).as_posix(): lines
        for file in sorted(TESTS.rglob("*.py"))
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
    ],
)
def test_a_reading_of_the_clock_is_found(call: str) -> None:
    assert clock_reads(f"x = 1\nprint({call})") == [2]


@pytest.mark.parametrize(
    "call", ["clock.now()", "time.monotonic()", "time.gmtime(0)", "at.date()", "datetime(2026, 1, 1)"]
)
def test_other_moments_are_none(call: str) -> None:
    assert clock_reads(call) == []
