"""The bare pet of a home with several: ``python -m tests.window.programs.switching_pet --home DIR [--pet ID]``."""

from __future__ import annotations

import sys
from pathlib import Path

from pet.bridge.commands.lifecycle import Status
from pet.bridge.commands.pets import PetCommands
from pet.bridge.dispatch import Commands
from pet.desktop.app import open_pet
from pet.i18n import Texts
from pet.paths import Home, find_home
from pet.services.desktop_port import DesktopPort
from pet.services.home import open_pets
from pet.services.pet_files import choose_pet
from pet.settings.program_state import JsonState
from pet.workspace.pet_registry import display_name
from tests.support.program.invoking import bind_named
from tests.window.programs.bare_pet import CHAT_PAGE, PET_PAGE, BareCore


class SwitchingCore(BareCore):
    """With the real commands for pets."""

    def __init__(self, home: Home, pet: str, windows: DesktopPort) -> None:
        self._home = home
        self._pet = pet
        super().__init__(windows)
        commands = PetCommands(
            open_pets(home),
            JsonState(home.state_file),
            current=pet,
            language=lambda: "en",
            windows=windows,
            emit=self.tell,
        )
        self.commands = bind_named(Commands(commands), **self.doubles(windows))

    def _status(self, windows: DesktopPort) -> Status:
        known = super()._status(windows)
        return Status(
            version=known.version,
            pet=self._pet,
            pid=known.pid,
            chat_shown=known.chat_shown,
            paused=known.paused,
            running_turns=0,
            pet_name=display_name(self._home.workspace(self._pet), self._pet, self.texts()),
        )


def main() -> int:
    home = find_home(Path(sys.argv[sys.argv.index("--home") + 1]))
    named = sys.argv[sys.argv.index("--pet") + 1] if "--pet" in sys.argv else None
    pet = choose_pet(home, named, JsonState(home.state_file))
    pages = home.data / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    (pages / "pet.html").write_text(PET_PAGE, encoding="utf-8")
    (pages / "chat.html").write_text(CHAT_PAGE.replace("ELSEWHERE", ""), encoding="utf-8")
    return open_pet(home, lambda windows: SwitchingCore(home, pet, windows), Texts("en"), pages=pages)


if __name__ == "__main__":
    sys.exit(main())
