"""An address in the settings that makes no sense fails the turn; no other one is asked instead."""

from __future__ import annotations

import pytest

from pet.app import Pet
from pet.model import TurnEnd
from pet.paths import Home
from pet.settings.store import SettingsStore


@pytest.mark.parametrize(
    ("environ", "file"),
    [
        ({"ANTHROPIC_BASE_URL": "ftp://localhost:8080"}, ""),
        ({}, 'base_url = "ftp://localhost:8080"\n'),
        ({}, "this is no TOML\n"),
    ],
)
def test_an_address_that_cannot_be_understood_is_not_replaced_by_another(
    home: Home, environ: dict[str, str], file: str
) -> None:
    home.config.mkdir(parents=True)
    home.settings_file.write_text(file, encoding="utf-8")
    app = Pet(home, environ={**environ, "ANTHROPIC_API_KEY": "sk-ant-test-0000000000"}, channel="terminal")
    try:
        chat = app.conversations.create(memory=True)
        chat.send("hi")
        chat.wait(60)
        turn = chat.folded().turns[-1]
    finally:
        app.close()
    assert turn.end is TurnEnd.FAILED
    assert turn.error is not None
    assert turn.error.code.startswith("settings_")


def test_an_address_from_the_environment_makes_good_for_a_broken_file(home: Home) -> None:
    home.config.mkdir(parents=True)
    home.settings_file.write_text("this is no TOML\n", encoding="utf-8")
    store = SettingsStore(home.settings_file, {"ANTHROPIC_BASE_URL": "http://127.0.0.1:9"}, lambda: None)
    assert store.address_problem() is None
