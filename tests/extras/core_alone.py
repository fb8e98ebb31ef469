"""Run the core: its start, a turn, the settings, the menu, and the terminal; print ``done``.

Started by ``test_hidden.py`` over a copy of the program from which an extra was taken away.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pet.__main__ import ThisDesktop
from pet.app import Pet
from pet.bridge.command import Client
from pet.bridge.single_instance import SingleInstance
from pet.cli.main import run
from pet.desktop.pets_here import PetsHere, pets_here
from pet.extra import NAMES, extras
from pet.paths import find_home
from tests.desktop.test_menu import shown, within
from tests.support.models.scripted import ScriptedProvider, say


def main(folder: Path, hidden: str) -> None:
    assert len(extras()) == len(NAMES) - 1, f"{hidden} is still there"
    home = find_home(folder)
    app = Pet(home, provider=ScriptedProvider(say("Hello.")), environ={})
    try:
        live = app.conversations.create(memory=True)
        live.send("Hi")
        live.wait(60)
        assert [turn.reply for turn in live.folded().turns] == ["Hello."]
        for command in ("get_app_state", "get_settings", "list_skins", "list_pets", "preview_skin"):
            reply = json.loads(app.commands.invoke(Client.CHAT, command, "{}"))
            assert reply["ok"], reply
    finally:
        app.close()
    pets = pets_here(home, SingleInstance(home), None)
    assert hidden != "several_pets" or (type(pets) is PetsHere and not pets.menu_changes([]))
    assert ("keepsake" in {item.sign for item in within(shown()[0])}) is (hidden != "keepsakes")
    for words in (
        ["settings"],
        ["settings", "demo", "yes"],
        ["--help"],
        ["pets"],
        ["chat", "--once", "Hi"],
        ["remind"],
    ):
        assert run(["--home", str(folder), *words], ThisDesktop()) == 0, words
    print("done")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
