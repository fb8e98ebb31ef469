"""Two pets share no file, no index, no table.

Each pet is told a canary of its own, in its files and aloud. After random acts of creating, copying, renaming,
talking, searching, deleting and switching, a canary is found only with pets that may know it: the one that was told,
and copies made of it later. That goes for folders, indexes, tabs and every request.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.bridge.chat_state import TabState
from pet.bridge.command import Client
from pet.memory.search.database import index_file
from pet.memory.search.memory_index import open_index
from pet.paths import Home, find_home
from pet.providers.anthropic_messages import encode_request
from pet.serde import encode
from pet.settings.program_state import JsonState, note_used
from pet.workspace.pet_registry import list_ids
from pet.workspace.pets import Pets
from tests.support.examples import examples
from tests.support.models.scripted import ScriptedProvider, say
from tests.workspace.plain_pets import plain_pets, tree

acts = st.lists(
    st.tuples(
        st.sampled_from(["create", "profile", "duplicate", "rename", "delete", "switch", "talk", "talk", "search"]),
        st.integers(0, 9),
    ),
    min_size=4,
    max_size=14,
)


class House:
    """A home, and which pet may know which canary."""

    def __init__(self, folder: Path) -> None:
        self.home: Home = find_home(folder / "home")
        self.pets: Pets = plain_pets(self.home)
        self.knows: dict[str, set[str]] = {}
        self.profiles: dict[str, set[str]] = {}
        self.requests: list[tuple[str, str]] = []
        self.count = 0
        self.tell(self.pets.create("First", "en"))

    def canary(self) -> str:
        self.count += 1
        return f"canary{self.count:03}q"

    def tell(self, pet: str) -> None:
        """Something in each of its files, that no other pet was told."""
        root = self.home.workspace(pet)
        (root / "memory").mkdir(exist_ok=True)
        for name in ("USER.md", "MEMORY.md", "SOUL.md", "memory/2026-02-24.md", "IDENTITY.md"):
            word = self.canary()
            with (root / name).open("a", encoding="utf-8") as file:
                file.write(f"\n- {word} is what only this one knows\n")
            self.knows.setdefault(pet, set()).add(word)
            if name == "USER.md":
                self.profiles.setdefault(pet, set()).add(word)

    def act(self, act: str, number: int) -> None:
        there = list_ids(self.home)
        pet = there[number % len(there)]
        match act:
            case "create":
                self.tell(self.pets.create(f"Pet {number}", "en"))
            case "profile":
                made = self.pets.create("小" * (number + 1), "zh", profile_of=pet)
                self.knows[made], self.profiles[made] = set(self.profiles[pet]), set(self.profiles[pet])
                self.tell(made)
            case "duplicate":
                made = self.pets.duplicate(pet, f"Copy {number}")
                self.knows[made], self.profiles[made] = set(self.knows[pet]), set(self.profiles[pet])
                self.tell(made)
            case "rename":
                self.pets.rename(pet, f"名 {number} 🦊")
            case "delete" if len(there) > 1:
                self.pets.delete(pet)
                del self.knows[pet], self.profiles[pet]
            case "switch":
                note_used(JsonState(self.home.state_file), pet)
            case "talk":
                self.talk()
            case "search":
                index = open_index(self.home.workspace(pet), self.home.cache, embedder=None)
                index.refresh()
                index.close()

    def talk(self) -> None:
        """With whichever pet is the one now; what is said is a canary too, a draft as well."""
        model = ScriptedProvider(say("I see."))
        app = Pet(self.home, environ={}, provider=model, channel="terminal")
        try:
            word, draft = self.canary(), self.canary()
            self.knows[app.pet_id] |= {word, draft}
            live = app.conversations.create(memory=True)
            live.send(f"Do you know {word}?")
            live.wait(60)
            tabs = {"tabs": [TabState(conversation=live.id, draft=draft)], "active": live.id}
            app.commands.invoke(Client.CHAT, "save_tabs", encode(tabs))
            sent = "".join(json.dumps(encode_request(each), ensure_ascii=False) for each in model.requests)
            assert word in sent
            self.requests.append((app.pet_id, sent))
            self.judge(app.pet_id, sent.encode())
        finally:
            app.close()

    def judge(self, pet: str, data: bytes) -> None:
        """Nothing of another pet's in what belongs to this one."""
        for number in range(1, self.count + 1):
            word = f"canary{number:03}q"
            assert word in self.knows[pet] or word.encode() not in data, (pet, word)

    def check(self) -> None:
        there = list_ids(self.home)
        assert set(there) == self.knows.keys()
        tabs = JsonState(self.home.tabs_file).read()
        for pet in there:
            root = self.home.workspace(pet)
            for data in tree(root).values():
                self.judge(pet, data)
            index = index_file(root, self.home.cache)
            for suffix in ("", "-wal"):
                file = index.with_name(index.name + suffix)
                if file.exists():
                    self.judge(pet, file.read_bytes())
            self.judge(pet, json.dumps(tabs.get(f"tabs.{pet}")).encode())
        indexes = {index_file(self.home.workspace(pet), self.home.cache).stem for pet in there}
        cached = self.home.cache / "index"
        assert (
            {path.name.partition(".")[0] for path in cached.glob("*.sqlite*")} <= indexes if cached.exists() else True
        )
        assert {name.partition(".")[2] for name in tabs if "." in name} <= set(there)
        files = [path for pet in there for path in self.home.workspace(pet).rglob("*") if path.is_file()]
        assert len({path.stat().st_ino for path in files}) == len(files)


@settings(max_examples=examples(25))
@given(script=acts)
def test_a_canary_is_known_only_to_the_pet_that_was_told_and_its_copies(script: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder))
        for act, number in script:
            house.act(act, number)
            house.check()
