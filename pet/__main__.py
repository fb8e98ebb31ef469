"""Entry point: joins the command line and the desktop, which don't import each other.

The desktop is imported when it is used: ``pet --help`` needs none of it.
"""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pet import extra
from pet.paths import Home, ui_folder

if TYPE_CHECKING:
    from pet.app import Pet
    from pet.i18n import Texts
    from pet.services.desktop_port import DesktopCheck, DesktopPort

_PORTAL_SECONDS = 3.0
_PAGES = ("chat.html",)


class ThisDesktop:
    """The desktop that the program was started on. Imports the shell only when a window is opened."""

    def why_not(self) -> str | None:
        from pet.desktop import environment

        # A missing display is reported before being root: it is the more useful reason.
        without_root = environment.display_problem({**os.environ, environment.ALLOW_ROOT: "1"})
        return without_root or environment.display_problem(os.environ)

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

    def state(self) -> DesktopCheck:
        from pet.desktop import environment
        from pet.services.desktop_port import DesktopCheck

        display = environment.has_display()
        problem = _webview_problem()
        wayland = display and sys.platform.startswith("linux") and environment.on_wayland()
        return DesktopCheck(
            backend="none" if problem else "qt",
            display=display,
            has_session=not sys.platform.startswith("linux")
            or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")),
            why_not=self.why_not(),
            webview_problem=problem,
            compositor=_compositor() if display else None,
            pages_missing=tuple(name for name in _PAGES if not Path(ui_folder(), name).is_file()),
            wayland=wayland,
            missing_portals=_missing_portals() if wayland else (),
            restricts_sandbox=environment.sandbox_restricted(),
            typing=environment.describe_input_method(os.environ)
            if display and sys.platform.startswith("linux")
            else None,
        )


def _webview_problem() -> str:
    """Return the missing package or system library of the web view; "" if it can be imported."""
    from pet.desktop import environment

    environment.prepare(os.environ)
    try:
        from pet.desktop.web_engine import import_qt_backend

        import_qt_backend()
    except ImportError as error:
        return str(error).partition("\n")[0]
    return ""


def _missing_portals() -> tuple[str, ...]:
    from pet.desktop.linux.portal import Portal

    portal = Portal(lambda: None)
    portal.examined.wait(_PORTAL_SECONDS)
    return tuple(name for name in ("shortcuts", "screenshot") if name not in portal.abilities)


def _compositor() -> bool | None:
    if not (sys.platform.startswith("linux") and os.environ.get("DISPLAY")):
        return None
    from pet.desktop.environment import has_compositor

    return has_compositor()


def main() -> None:
    match sys.argv[1:]:
        case ["--read-document"]:  # the packaged program is its own child process
            from pet.documents.child import main as read

            read()
        case [extra.CHILD, name] if name in extra.NAMES:
            extra.run_child(name)
        case words:
            from pet.cli.main import run

            sys.exit(run(words, ThisDesktop()))


if __name__ == "__main__":
    main()
