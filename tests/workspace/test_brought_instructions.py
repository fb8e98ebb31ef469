"""A workspace of another program opened as it is: its instructions reach no prompt before its owner agrees."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pet.__main__ import ThisDesktop
from pet.app import Pet
from pet.cli.main import run
from pet.extras.imports.packed_pet import import_pet
from pet.paths import Home, find_home
from pet.services.home import open_pets
from pet.workspace.pet_toml import instructions_answer
from pet.workspace.pet_zip import export_pet_to
from pet.workspace.skills import held_back
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


def test_a_history_that_came_along_proves_nothing(home: Home, claw: Path) -> None:
    (claw / ".history").mkdir()
    with_skill(claw)
    (claw / "pet.toml").write_text('instructions = "use"\n')
    app = opened(home)
    assert "Obey" not in prompt(app) and skills(app) == []
    assert ask(app.commands, "get_app_state")["asks_held"]
    ask(app.commands, "answer_instructions", use=True)
    app.close()
    app = opened(home)  # asked once
    assert "Obey AGENTS.md." in prompt(app) and skills(app) == ["weather"]
    app.close()


def test_a_folder_that_is_put_beside_our_pets_is_asked_about(home: Home, claw: Path) -> None:
    claw.rename(home.pets / "claw")
    (home.pets / "claw" / ".history").mkdir()
    (home.pets / "pet").mkdir()
    opened(home).close()
    for _ in range(2):
        app = Pet(home, pet_id="claw", environ={}, provider=ScriptedProvider(), channel="terminal")
        assert "Obey" not in prompt(app)
        app.close()


@pytest.mark.parametrize("state", [b"", b"[]", None, b'{"pet": "pet", "own_pets": 1, "damaged": true}'])
def test_a_state_that_is_lost_makes_no_folder_ours(home: Home, claw: Path, state: bytes | None) -> None:
    (claw / ".history").mkdir()
    home.state.mkdir(parents=True)
    home.machine_file.write_text("0123abcd")
    if state is not None:
        home.state_file.write_bytes(state)
    app = opened(home)
    assert "Obey" not in prompt(app)
    app.close()


def test_the_pets_of_an_earlier_version_are_not_asked_about(home: Home, claw: Path) -> None:
    """It recorded only which pet was used last."""
    (claw / ".history").mkdir()
    other = home.pets / "other"
    shutil.copytree(claw, other)
    home.state.mkdir(parents=True)
    home.machine_file.write_text("0123abcd")
    home.state_file.write_text('{"format": 1, "pet": "pet"}')
    for pet in ("pet", "other"):
        app = Pet(home, pet_id=pet, environ={}, provider=ScriptedProvider(), channel="terminal")
        assert "Obey AGENTS.md." in prompt(app)
        assert not (home.workspace(pet) / "pet.toml").exists()
        app.close()
    shutil.copytree(claw, home.pets / "later")
    app = Pet(home, pet_id="later", environ={}, provider=ScriptedProvider(), channel="terminal")
    assert "Obey" not in prompt(app)
    app.close()


def test_a_copy_of_our_pet_is_ours_and_a_deleted_pet_leaves_no_trust(home: Home, claw: Path) -> None:
    app = opened(home)
    ask(app.commands, "answer_instructions", use=True)
    app.close()
    pets = open_pets(home)
    copy = pets.duplicate("pet", "Twin")
    kept = home.data / "kept"
    shutil.copytree(home.workspace(copy), kept)
    app = Pet(home, pet_id=copy, environ={}, provider=ScriptedProvider(), channel="terminal")
    assert "Obey AGENTS.md." in prompt(app)
    app.close()
    pets.delete(copy)
    kept.rename(home.workspace(copy))
    app = Pet(home, pet_id=copy, environ={}, provider=ScriptedProvider(), channel="terminal")
    assert "Obey" not in prompt(app)
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


# --- a folder with its own pet.toml, a whole pet in a zip, and skills -----------------------------

SKILL = "---\nname: weather\ndescription: Obey the forecast\n---\nObey York.\n"


def with_skill(root: Path) -> None:
    (root / "skills" / "weather").mkdir(parents=True)
    (root / "skills" / "weather" / "SKILL.md").write_text(SKILL)


def skills(app: Pet) -> list[str]:
    return [each.name for each in app.skills.offered()]


@pytest.mark.parametrize("own", ['instructions = "use"\n', 'name = "Claw"\nformat = 1\n', "", "broken =\n"])
def test_a_pet_toml_that_came_along_answers_nothing(home: Home, claw: Path, own: str) -> None:
    with_skill(claw)
    (claw / "pet.toml").write_text(own)
    app = opened(home)
    assert "Obey" not in prompt(app) and skills(app) == []
    held = ask(app.commands, "get_app_state")["held_files"]
    assert set(held) == {*ORDERS, "skills/weather/SKILL.md"}
    app.close()
    if own.startswith("broken"):
        (claw / "pet.toml").write_text((claw / "pet.toml").read_text().replace(own, ""))
    app = opened(home)  # which asks once
    assert "Obey" not in prompt(app) and ask(app.commands, "get_app_state")["asks_held"]
    ask(app.commands, "answer_instructions", use=True)
    app.close()
    app = opened(home)
    assert "Obey AGENTS.md." in prompt(app) and skills(app) == ["weather"]
    assert "Obey the forecast" in prompt(app)
    app.close()
    assert ('name = "Claw"' in (claw / "pet.toml").read_text()) == ("name" in own)


def test_a_skill_that_waits_hides_no_shared_one_of_its_name(home: Home, claw: Path) -> None:
    with_skill(claw)
    with_skill(home.data)
    app = opened(home)
    assert [each.origin for each in app.skills.offered()] == ["shared"]
    ask(app.commands, "answer_instructions", use=True)
    assert [each.origin for each in app.skills.offered()] == ["pet"]
    app.close()


def test_skills_alone_wait_as_well(home: Home) -> None:
    root = home.workspace("pet")
    root.mkdir(parents=True)
    (root / "SOUL.md").write_text("I am Claw.\n")
    with_skill(root)
    app = opened(home)
    assert skills(app) == []
    assert ask(app.commands, "get_app_state")["held_files"] == ["skills/weather/SKILL.md"]
    ask(app.commands, "answer_instructions", use=False)
    assert skills(app) == []
    app.close()


def test_a_link_in_place_of_pet_toml_uses_nothing(home: Home, claw: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.toml").write_text('instructions = "use"\n')
    (claw / "pet.toml").symlink_to(tmp_path / "elsewhere.toml")
    app = opened(home)
    assert "Obey" not in prompt(app)
    app.close()
    assert (claw / "pet.toml").is_symlink()


@pytest.mark.parametrize("brought", ["AGENTS.md", "skills/weather/SKILL.md"])
def test_a_whole_pet_from_a_zip_asks_before_its_instructions_are_used(
    home: Home, tmp_path: Path, brought: str
) -> None:
    opened(home).close()
    root = home.workspace("pet")
    if brought == "AGENTS.md":
        (root / "AGENTS.md").write_text(ORDERS["AGENTS.md"])
    else:
        with_skill(root)
    (root / "pet.toml").write_text('# mine\ninstructions = "use"\n')
    export_pet_to(root, tmp_path / "pet.zip", locks=home.locks)
    other = find_home(tmp_path / "other")
    made = import_pet(open_pets(other), tmp_path / "pet.zip", "pet")
    app = Pet(other, pet_id=made, environ={}, provider=ScriptedProvider(), channel="terminal")
    assert "Obey" not in prompt(app) and skills(app) == []
    state = ask(app.commands, "get_app_state")
    assert (state["asks_held"], state["held_files"]) == (True, [brought])
    ask(app.commands, "answer_instructions", use=True)
    assert "Obey" in prompt(app)
    app.close()
    assert (other.workspace(made) / "pet.toml").read_bytes() == (root / "pet.toml").read_bytes()
