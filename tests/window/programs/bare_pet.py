"""The real shell around a tiny core: what the windows do, told apart from what the engine does.

Run as a program: ``python -m tests.window.programs.bare_pet --home DIR``. The chat's page is a stand-in, and the pet
moves little; the table, the dispatcher, the emitter, the socket and the windows are the real ones.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, cast

from PySide6.QtGui import QGuiApplication

from pet.bridge.commands.lifecycle import Status
from pet.bridge.commands.skins import PetLook, SkinSheet
from pet.bridge.dispatch import Commands, Handler
from pet.bridge.emitter import Emitter
from pet.desktop.app import open_pet
from pet.errors import ToolRefused
from pet.events import Event, MemoryPaused
from pet.i18n import Texts
from pet.moods import Mood
from pet.paths import find_home
from pet.services.desktop_port import DesktopPort
from pet.services.offers.shared_life import PetLife
from tests.support.program.invoking import bind_named

_DOUBLE_CLICK_MS = 3000
"""A compositor that draws by software on a busy machine may pass a second press on more than half a second late."""
CHAT_PAGE = """<!doctype html><html><head><meta charset="utf-8"><title>chat</title>
<meta http-equiv="Content-Security-Policy" content="script-src 'unsafe-inline' 'unsafe-eval'">
</head><body><textarea id="composer"></textarea><p id="heard"></p><script>
window.__soulpet = { heard: [], deliver(batch) { for (const { event } of batch.events) { this.heard.push(event.type);
  if (event.type === "chat_shown" && event.shown) document.getElementById("composer").focus(); } } };
const url = "ELSEWHERE";
let paused = true;
const stop = () => window.pywebview.api.invoke("pause_memory", '{"paused":true}');
addEventListener("pywebviewready", () => { if (url) stop(); });
addEventListener("click", (e) => { if (!url || e.target.localName === "a") return;
  for (let i = 0; i < 10; i++) { window.open(url); window.open(url, "_blank", "popup");
    const a = document.createElement("a"); a.href = url; a.target = "_blank"; document.body.append(a); a.click(); }
  paused = !paused; window.pywebview.api.invoke("pause_memory", JSON.stringify({ paused })); });
</script></body></html>"""


class BareCore:
    """Commands of the windows only; ``get_status`` is what the menu asks."""

    def __init__(self, windows: DesktopPort) -> None:
        QGuiApplication.styleHints().setMouseDoubleClickInterval(_DOUBLE_CLICK_MS)
        self.emitter = Emitter()
        self._paused = False
        self.commands = bind_named(Commands(), get_skin=self._look, **self.doubles(windows))

    def texts(self) -> Texts:
        return Texts("en")

    def tell(self, event: Event) -> None:
        self.emitter.emit(event)

    def close(self) -> None:
        self.emitter.close()

    def doubles(self, windows: DesktopPort) -> dict[str, Handler]:
        return {
            "hide_chat": windows.hide_chat,
            "show_pet": windows.show_pet,
            "quit": windows.quit,
            "open_link": self._open_link,
            "pause_memory": self._pause,
            "get_status": lambda: self._status(windows),
            "show_view": windows.show_chat,
        }

    def _look(self, have: str = "") -> PetLook:
        return PetLook(
            sheet=SkinSheet(skin="soulpet", stamp="soulpet"),
            mood=Mood.NEUTRAL,
            paused=self._paused,
            reduced_motion="on",
            language="en",
            name="pet",
            pace="calm",
            fades=False,
            hush=False,
            tab_off=False,
            life=PetLife(),
        )

    def _open_link(self, url: str) -> None:
        raise ToolRefused("stopped")

    def _pause(self, paused: bool) -> None:
        self._paused = paused
        self.emitter.emit(MemoryPaused(paused=paused))

    def _status(self, windows: DesktopPort) -> Status:
        return Status(
            version="0",
            pet="pet",
            pid=os.getpid(),
            chat_shown=windows.chat_shown,
            paused=self._paused,
            running_turns=0,
        )


def main() -> int:
    home = find_home(Path(sys.argv[sys.argv.index("--home") + 1]))
    pages = home.data / "pages"
    pages.mkdir(parents=True, exist_ok=True)
    (pages / "chat.html").write_text(
        CHAT_PAGE.replace("ELSEWHERE", os.environ.get("ELSEWHERE", "")), encoding="utf-8"
    )
    return open_pet(home, cast(Any, BareCore), Texts("en"), pages=pages)


if __name__ == "__main__":
    sys.exit(main())
