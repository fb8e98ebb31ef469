"""Entry point: joins the command line and the desktop, which don't import each other.

The desktop is imported when it is used: ``pet --help`` needs none of it.
"""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

from pet import extra
from pet.paths import Home

if TYPE_CHECKING:
    from pet.app import Pet
    from pet.i18n import Texts
    from pet.services.desktop_port import DesktopPort


class ThisDesktop:
    """The desktop that the program was started on. Imports the shell only when a window is opened."""

    def why_not(self) -> str | None:
        from pet.desktop import environment

        return environment.display_problem()

    def open(self, home: Home, pet_id: str | None, texts: Texts) -> int:
        from pet.desktop.qt_import import import_qt

        gc.disable()  # until the core is built: that makes little garbage, and collecting takes a tenth of its time
        import_qt()
        from pet.desktop.app import open_pet

        def build(windows: DesktopPort) -> Pet:
            from pet.app import Pet  # late: the pet is already on the screen

            return Pet(home, pet_id=pet_id, windows=windows)

        return open_pet(home, build, texts, named=pet_id)

    def start_log(self, home: Home) -> None:
        from pet.desktop.process import start_log

        start_log(home)


def main() -> None:
    match sys.argv[1:]:
        case [extra.CHILD, name] if name in extra.NAMES:  # the packaged program is its own child process
            extra.run_child(name)
        case words:
            from pet.cli.main import run

            sys.exit(run(words, ThisDesktop()))


if __name__ == "__main__":
    main()
