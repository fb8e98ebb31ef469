"""The real shell and pages around the commands of skins: ``python -m tests.window.programs.worn_pet --home DIR``."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from pet.bridge.commands.skins import SkinCommands
from pet.bridge.dispatch import Commands
from pet.desktop.app import open_pet
from pet.engine.mood import MoodTracker
from pet.i18n import Texts
from pet.paths import Home, find_home
from pet.services.desktop_port import DesktopPort
from pet.services.home import wardrobe_for
from pet.services.offers.shared_life import PetLife
from pet.settings.schema import Settings
from tests.support.clocks import DayClock
from tests.support.program.invoking import bind_named
from tests.support.program.parts import pet_of
from tests.window.programs.bare_pet import BareCore


class _Gate:
    def __init__(self, core: WornCore) -> None:
        self._core = core

    @property
    def paused(self) -> bool:
        return self._core._paused


class WornCore(BareCore):
    """A pet that can be dressed, and nothing else."""

    def __init__(self, windows: DesktopPort, home: Home) -> None:
        super().__init__(windows)
        root = home.workspace("pet")
        root.mkdir(parents=True, exist_ok=True)
        self._moods = MoodTracker(self.tell)
        pet = pet_of(
            wardrobe=wardrobe_for(home, root, DayClock(), {"CODEX_HOME": str(home.data / "none")}),
            moods=self._moods,
            gate=_Gate(self),
            open_tab=SimpleNamespace(off=False),
            effective=SimpleNamespace(current=lambda: Settings(reduced_motion="off")),
            language=lambda: "en",
            name=lambda: "Bun",
            emit=self.tell,
            bubble=SimpleNamespace(life=SimpleNamespace(drawn=PetLife)),
        )
        self.commands = bind_named(Commands(SkinCommands(pet)), **self.doubles(windows))

    def close(self) -> None:
        self._moods.close()
        super().close()


def main() -> int:
    home = find_home(Path(sys.argv[sys.argv.index("--home") + 1]))
    os.environ["HOME"] = str(home.data)  # other programs' pets are not part of this
    return open_pet(home, lambda windows: cast(Any, WornCore(windows, home)), Texts("en"))


if __name__ == "__main__":
    sys.exit(main())
