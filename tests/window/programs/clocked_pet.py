"""The whole program with a clock that a test sets: ``python -m tests.window.programs.clocked_pet --home DIR``.

The time stands in ``DIR/clock`` as ISO 8601 with zone, and is read whenever somebody asks.
"""

from __future__ import annotations

import sys
import time
from datetime import datetime
from pathlib import Path

from pet.app import Pet
from pet.desktop.app import open_pet
from pet.i18n import Texts
from pet.paths import find_home
from pet.services.desktop_port import DesktopPort


class FileClock:
    def __init__(self, file: Path) -> None:
        self._file = file

    def now(self) -> datetime:
        return datetime.fromisoformat(self._file.read_text().strip())

    def monotonic(self) -> float:
        return time.monotonic()


def main() -> int:
    folder = Path(sys.argv[sys.argv.index("--home") + 1])
    home = find_home(folder)

    def build(windows: DesktopPort) -> Pet:
        from pet.app import Pet

        return Pet(home, environ={}, clock=FileClock(folder / "clock"), windows=windows)

    return open_pet(home, build, Texts("en"))


if __name__ == "__main__":
    sys.exit(main())
