"""The pet's name in a running program, when another program gives it one in IDENTITY.md."""

from __future__ import annotations

from pathlib import Path

from pet.app import Pet
from pet.events import Event, SettingsChanged
from pet.paths import find_home
from tests.support.models.scripted import ScriptedProvider
from tests.support.program.invoking import ask
from tests.support.waiting import wait_for


def test_name_in_identity_reaches_the_windows_at_once(tmp_path: Path) -> None:
    heard: list[Event] = []
    app = Pet(find_home(tmp_path), provider=ScriptedProvider(), environ={}, channel="desktop")
    try:
        app.emitter.subscribe(heard.append, SettingsChanged, name="test")
        identity = app.store.root / "IDENTITY.md"
        identity.write_text("- **Name:** Claw\n", encoding="utf-8")
        wait_for("the windows to be told", lambda: heard)
        assert ask(app.commands, "get_app_state")["pet_name"] == "Claw"
        (own,) = ask(app.commands, "rename_pet", pet=app.pet_id, name="Kiki")["pets"]
        assert (own["name"], ask(app.commands, "get_app_state")["pet_name"]) == ("Kiki", "Kiki")
        assert identity.read_text(encoding="utf-8") == "- **Name:** Kiki\n"
    finally:
        app.close()
