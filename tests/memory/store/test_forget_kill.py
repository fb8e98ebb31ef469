"""Killed at any point while forgetting: nothing else is lost, and the same wish again finishes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.paths import find_home
from tests.memory.forget_desk import Pet
from tests.support.dying import deaths, needs_fork
from tests.support.examples import at_night

pytestmark = needs_fork

WORD = "Zanzibar"
KEPT = "- tea\n- 猫\n"


def _home(folder: Path) -> None:
    pet = Pet(find_home(folder / "home"))
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n")
    pet.save("MEMORY.md", "- tea\n- Zanzibar\n- 猫\n")
    pet.put("MEMORY.md~", "- Zanzibar\n- 猫\n")
    talk = pet.talk()
    turn = talk.said("one")
    talk.found(turn, WORD)
    talk.said("two")
    pet.index.refresh_words()
    pet.index.close()


def _forget(folder: Path) -> None:
    pet = Pet(find_home(folder / "home"))
    pet.forgetting.forget(pet.forgetting.find(WORD))


@pytest.mark.parametrize("half", [False, True], ids=["before_a_call", "inside_a_write"])
def test_what_was_to_stay_is_there_and_the_same_again_finishes_it(tmp_path: Path, half: bool) -> None:
    number = 0
    for folder in deaths(tmp_path, _home, _forget, half=half, step=1 if at_night() else 8):
        number += 1
        pet = Pet(find_home(folder / "home"))
        assert pet.text("MEMORY.md") in ("- tea\n- Zanzibar\n- 猫\n", KEPT)
        for kept in pet.store.history("MEMORY.md"):
            assert pet.store.version_bytes("MEMORY.md", kept.id).startswith(b"- tea\n")
        plan = pet.forgetting.find(WORD)
        assert plan.begun or plan.goes
        report = pet.forgetting.forget(plan)
        assert report.left == ()
        assert pet.where(WORD) == []
        assert pet.text("MEMORY.md") == KEPT
        assert pet.text("MEMORY.md~") == "- 猫\n"
        assert pet.said_aloud() == ["one", "two"]
        strays = [path for path in pet.root.rglob("*.tmp") if ".history" not in path.parts]  # there, in a day
        assert strays == []
        pet.index.close()
    assert number > (40 if at_night() else 5)
