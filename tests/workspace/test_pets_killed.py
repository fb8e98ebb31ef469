"""Whoever is killed while pets are made, copied or deleted leaves whole pets, or none."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

from pet.paths import Home
from pet.workspace.pet_registry import list_ids
from pet.workspace.pets import Pets
from tests.workspace.plain_pets import tree

WORKER = """
import sys
from pathlib import Path
from pet.paths import find_home
from tests.workspace.plain_pets import plain_pets
pets = plain_pets(find_home(Path(sys.argv[1])))
while True:
    pets.create("New", "en")
    print("made", flush=True)
    pets.duplicate("source", "Copy")
    print("copied", flush=True)
    for each in pets.list():
        if each.id != "source":
            pets.delete(each.id)
            print("deleted", flush=True)
"""
ROOT = Path(__file__).resolve().parents[2]


def test_a_kill_at_any_point_leaves_whole_pets(home: Home, pets: Pets) -> None:
    source = home.workspace(pets.create("Source", "en"))
    (source / "memory").mkdir()
    for day in range(1, 29):
        (source / "memory" / f"2026-02-{day:02}.md").write_text(f"# Memory Log: 2026-02-{day:02}\n" * 50)
    whole, plain = tree(source), {"SOUL.md", "USER.md", "pet.toml"}
    dice = random.Random(3)
    for _ in range(10):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(home.data.parent)], stdout=subprocess.PIPE, cwd=ROOT
        )
        assert worker.stdout is not None
        for _line in range(dice.randint(1, 5)):
            assert worker.stdout.readline()
        try:
            worker.wait(dice.uniform(0, 0.06))  # somewhere in the next act
        except subprocess.TimeoutExpired:
            worker.kill()
        worker.communicate()
        folders = [home.workspace(each) for each in list_ids(home)]
        folders += list(home.bin.iterdir()) if home.bin.exists() else []
        for folder in folders:
            files = {name: data for name, data in tree(folder).items() if not name.startswith(".history")}
            copied = {name: data for name, data in whole.items() if not name.startswith(".history")}
            if "memory/2026-02-01.md" in files:
                assert files.keys() == copied.keys()
                assert all(files[name] == copied[name] for name in copied if name != "pet.toml")
            else:
                assert files.keys() == plain
    pets.create("After", "en")
    assert [entry.name for entry in home.pets.iterdir() if entry.name.startswith(".")] == []
    assert tree(source) == whole
