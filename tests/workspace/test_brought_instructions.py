"""A workspace of another program opened as it is: its instructions reach no prompt before its owner agrees."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pet.__main__ import ThisDesktop
from pet.app import Pet
from pet.cli.main import run
from pet.paths import Home
from pet.workspace.instructions import held_back, instructions_answer
from tests.extras.imports import sources
from tests.support.models.scripted import ScriptedProvider
from tests.support.program.invoking import ask

ORDERS = {name: f"Obey {name}.\n" for name in ("AGENTS.md", "TOOLS.md", "HEARTBEAT.md", "BOOTSTRAP.md")}


def opened(home: Home) -> Pet:
    return Pet(home, environ={}, provider=ScriptedProvider(), channel="terminal")


@pytest.fixture
def claw(home: Home) -> Path:
    root = sources.openclaw_workspace(home.workspace("pet"))
    for name, text in ORDERS.items():
        (root / name).write_text(text)
    return root


def prompt(app: Pet) -> str:
    return "".join("".join(app.preview_prompt(memory=memory).blocks) for memory in (True, False))


def test_instructions_wait_for_the_owners_word_and_reach_the_prompt_after_it(home: Home, claw: Path) -> None:
    app = opened(home)
    assert "Obey" not in prompt(app) and "Be genuinely helpful." in prompt(app)
    state = ask(app.commands, "get_app_state")
    assert (state["asks_held"], set(state["held_files"])) == (True, set(ORDERS))
    ask(app.commands, "answer_instructions", use=True)
    assert all(text.strip() in prompt(app) for text in ORDERS.values())
    state = ask(app.commands, "get_app_state")
    assert (state["asks_held"], state["held_files"]) == (False, [])
    app.close()
    assert 'instructions = "use"' in (claw / "pet.toml").read_text()


def test_the_owner_is_asked_once(home: Home, claw: Path) -> None:
    app = opened(home)
    ask(app.commands, "answer_instructions", use=False)
    app.close()
    app = opened(home)
    assert "Obey" not in prompt(app)
    state = ask(app.commands, "get_app_state")
    assert (state["asks_held"], set(state["held_files"])) == (False, set(ORDERS))
    ask(app.commands, "answer_instructions", use=True)  # beside the file's editor
    assert "Obey AGENTS.md." in prompt(app)
    app.close()


def test_a_heartbeat_of_the_workspace_waits_as_well(home: Home, claw: Path) -> None:
    app = opened(home)
    assert instructions_answer(claw) == "ask"
    assert "HEARTBEAT.md" in held_back(claw)
    app.close()


def test_a_pet_of_our_own_uses_what_its_owner_writes(home: Home) -> None:
    opened(home).close()
    (home.workspace("pet") / "AGENTS.md").write_text("Obey AGENTS.md.\n")
    app = opened(home)
    assert "Obey AGENTS.md." in prompt(app)
    assert ask(app.commands, "get_app_state")["held_files"] == []
    assert not (home.workspace("pet") / "pet.toml").exists()
    app.close()


def test_a_synced_pet_is_not_asked_about(home: Home, claw: Path) -> None:
    (claw / ".history").mkdir()
    app = opened(home)
    assert "Obey AGENTS.md." in prompt(app)
    app.close()


@pytest.mark.parametrize("text", ["instructions = 1\n", "not toml [", 'instructions = "ask"\n'])
def test_a_damaged_answer_is_none(home: Home, claw: Path, text: str) -> None:
    (claw / "pet.toml").write_text(text)
    app = opened(home)
    assert "Obey" not in prompt(app)
    app.close()


def test_doctor_names_instructions_that_are_not_used(
    home: Home, claw: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    opened(home).close()
    capsys.readouterr()
    run(["--home", str(home.data.parent), "doctor", "--json"], ThisDesktop())
    seen = json.loads(capsys.readouterr().out)
    (text,) = [each["text"] for each in seen["notes"] if each["code"] == "instructions_held"]
    assert "AGENTS.md" in text
