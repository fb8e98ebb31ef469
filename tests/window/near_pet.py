"""The whole program, but that pictures of replies may be loaded from this machine:
``python -m tests.window.near_pet --home DIR``."""

from __future__ import annotations

import sys
from pathlib import Path

from pet.bridge.windows import Windows
from pet.compose import App
from pet.net.exchange import Reach
from pet.paths import find_home
from pet.shell.app import open_pet
from pet.texts import Texts


def main() -> int:
    home = find_home(Path(sys.argv[sys.argv.index("--home") + 1]))

    def build(windows: Windows) -> App:
        from pet.compose import compose

        return compose(home, windows=windows, pictures_from=lambda: Reach(plain=True, loopback=True))

    return open_pet(home, build, Texts("en"))


if __name__ == "__main__":
    sys.exit(main())
