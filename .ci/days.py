"""Run the tests of everything that counts days on six dates in four zones, and print a table of their counts.

``days.py`` runs all, ``days.py "2028-02-29 12:00:00"`` one date. The slow tests, of simulated weeks and whole
conversations, run in one zone for each of the six dates, and in all zones for any other. The machine's date is set by
libfaketime, its zone by TZ; what the tests hand in as a clock stays as it is.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

from checks import COUNTS, IN_MEMORY, ROOT

ZONES = ("UTC", "Asia/Shanghai", "America/St_Johns", "Pacific/Kiritimati")
DATES = {
    "2027-12-31 23:59:30": "Pacific/Kiritimati",
    "2028-02-29 12:00:00": "America/St_Johns",
    "2028-03-12 01:59:30": "America/St_Johns",  # it springs ahead
    "2028-11-05 01:59:30": "America/St_Johns",  # and falls back
    "2027-06-16 12:00:00": "UTC",
    "2026-11-23 12:00:00": "Asia/Shanghai",
}
"""With the zone in which the slow tests run, too."""
PYTEST = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider")
SITE = ROOT / "tests" / "support" / "faketime"
"""Its ``sitecustomize`` is loaded by every Python program, also by those that tests start."""
TESTS = (
    "tests/test_days.py",
    "tests/extras/agents/test_gateway.py",
    "tests/extras/standing_facts/test_standing_facts.py",
    "tests/engine/test_memory_maintenance.py",
    "tests/memory/reminders/test_reminder_clock.py",
    "tests/language/test_days_and_numbers.py",
    "tests/language/test_moment.py",
    "tests/language/test_past_phrases.py",
    "tests/language/test_plain_dates.py",
    "tests/language/test_spanish.py",
    "tests/memory/search/test_archive.py",
    "tests/extras/questions/test_followups.py",
    "tests/memory/search/test_day_questions.py",
    "tests/memory/store/test_logs_and_entries.py",
    "tests/memory/store/test_recent_days.py",
    "tests/extras/questions/test_rechecks.py",
    "tests/memory/reminders/test_reminders.py",
    "tests/memory/search/test_words_and_dates.py",
    "tests/workspace/test_history.py",
    "tests/workspace/test_versions.py",
)
"""Reminders, logs, recall's days, history's retention."""
SLOW = (
    "tests/bridge/commands/test_usage.py",
    "tests/engine/test_resting_notes.py",
    "tests/services/test_first_words.py",
    "tests/services/test_proactive.py",
    "tests/services/test_speech_bubble.py",
    "tests/extras/questions/test_weekly_question.py",
    "tests/tools/test_memory_write.py",
)
"""First words, quiet hours, usage by day: nine tenths of the time."""


def run(date: str, zone: str) -> dict[str, int]:
    """Return the counts of one run; its failures are printed."""
    environment = os.environ | {"TZ": zone, "FAKETIME_DONT_FAKE_MONOTONIC": "1", "PYTHONPATH": f"{SITE}:{ROOT}"}
    tests = TESTS + (SLOW if DATES.get(date, zone) == zone else ())
    folder = IN_MEMORY if IN_MEMORY.is_dir() else None
    with tempfile.TemporaryDirectory(prefix="days-", dir=folder) as temporary:
        done = subprocess.run(
            ("faketime", date, *PYTEST, "--basetemp", f"{temporary}/tests", *tests),
            check=False,
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
        )
    failures = [line for line in done.stdout.splitlines() if re.match(r"(FAILED|ERROR) ", line)]
    print(
        f"{date} {zone}:", done.stdout.strip().rpartition("\n")[2], *failures, sep="\n  ", file=sys.stderr, flush=True
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stdout + done.stderr)
    return {kind.removesuffix("s"): int(count) for count, kind in COUNTS.findall(done.stdout.rpartition("\n=")[2])}


def main() -> int:
    cells = [(date, zone) for date in sys.argv[1:] or DATES for zone in ZONES]
    with ThreadPoolExecutor(2) as lanes:
        counts = dict(zip(cells, lanes.map(lambda cell: run(*cell), cells), strict=True))
    print(f"| | {' | '.join(ZONES)} |", "|---|" + "---|" * len(ZONES), sep="\n")
    for date in dict.fromkeys(date for date, _ in counts):
        print(f"| {date} |", " | ".join(_cell(counts[date, zone]) for zone in ZONES), "|")
    return 1 if any(each.get("failed", 0) + each.get("error", 0) for each in counts.values()) else 0


def _cell(counts: dict[str, int]) -> str:
    failed = counts.get("failed", 0) + counts.get("error", 0)
    return f"{counts.get('passed', 0):,}" + (f", {failed} failed" if failed else "")


if __name__ == "__main__":
    sys.exit(main())
