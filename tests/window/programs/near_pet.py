"""The whole program, but that pictures of replies may be loaded from this machine:
``python -m tests.window.programs.near_pet --home DIR``."""

from __future__ import annotations

import sys
from pathlib import Path

from pet.app import Pet
from pet.desktop.app import open_pet
from pet.i18n import Texts
from pet.net.fetch import FetchPolicy
from pet.paths import find_home
from pet.services.desktop_port import DesktopPort


def main() -> int:
    home = find_home(Path(sys.argv[sys.argv.index("--home") + 1]))

    def build(windows: DesktopPort) -> Pet:
        from pet.app import Pet

        return Pet(home, windows=windows, pictures_from=lambda: FetchPolicy(plain=True, loopback=True))

    return open_pet(home, build, Texts("en"))


if __name__ == "__main__":
    sys.exit(main())
