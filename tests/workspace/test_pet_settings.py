"""pet.toml: what a pet has of its own, read while it runs and shown as decided there."""

from __future__ import annotations

from typing import Any

from pet.app import Pet
from pet.paths import Home
from tests.support.program.invoking import ask


def shown(app: Pet) -> tuple[dict[str, Any], list[str], list[str]]:
    view = ask(app.commands, "get_settings")
    return view, view["overridden"], [problem["args"].get("setting", "") for problem in view["problems"]]


def test_a_pets_own_settings_hold_at_once_and_show_as_decided_elsewhere(home: Home) -> None:
    app = Pet(home, environ={"PET_MODEL": "from-the-environment"}, channel="terminal")
    try:
        view, overridden, problems = shown(app)
        assert (view["recall"], view["memory_default"], overridden, problems) == (True, True, ["model"], [])
        toml = app.store.root / "pet.toml"
        toml.write_text('name = "小明"\nmodel = "own"\nrecall = false\nmemory = false\nlanguage = "zh"\n', "utf-8")
        view, overridden, problems = shown(app)
        assert (view["recall"], view["memory_default"], view["language"]) == (False, False, "zh")
        assert view["model"] == "from-the-environment"
        assert (overridden, problems) == (["language", "memory_default", "model", "recall"], [])
        assert "小明" in app.preview_prompt(memory=False).blocks[-1]
        toml.write_text('name = ""\nrecall = 1\n', "utf-8")
        view, overridden, problems = shown(app)
        # what can't be understood is off, lest it was meant to be
        assert (view["recall"], overridden) == (False, ["memory_default", "model", "recall"])
        assert problems == ["pet.toml: recall", "pet.toml: name", "memory"]  # that the line is gone turns nothing on
        toml.write_text("memory = true\n", "utf-8")
        assert shown(app)[0]["memory_default"] is True
        toml.write_text("recall = \n", "utf-8")
        assert shown(app)[0]["problems"][0]["code"] == "settings_file_broken"
    finally:
        app.close()
