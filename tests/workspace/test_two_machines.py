"""One pet on two machines, kept in step by a program that copies files as Syncthing does.

Each machine has a home of its own and the same workspace folder, synced back and forth by a script: the newer file
wins, and the other one is kept beside it as a conflict copy.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.model import MISSING, Author, Present
from pet.paths import find_home
from pet.transcripts.fold import fold
from pet.workspace.conflict_copies import ConflictResolver, find_copies
from tests.support.clocks import DayClock
from tests.support.models.scripted import ScriptedProvider, say
from tests.workspace.plain_pets import tree


class Machine:
    """A home with the pet open in a terminal."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        self.home = find_home(folder / name)
        self.model = ScriptedProvider()
        self.app: Pet = Pet(self.home, environ={}, provider=self.model, channel="terminal")
        self.root = self.app.store.root
        self.copies = ConflictResolver(self.app.store, self.home.locks, DayClock())

    def say(self, conversation: str, text: str) -> LiveConversation:
        live = self.app.conversations.open(conversation)
        self.model.queue(say(f"{self.name} answers {text}"))
        live.send(text)
        live.wait(60)
        return live

    def write(self, name: str, text: str) -> None:
        state = self.app.store.read(name)
        base = state.version if isinstance(state, Present) else MISSING
        self.app.store.write(name, text, base=base, author=Author.PET)

    def heard(self, conversation: str) -> list[str]:
        """What the owner said, as this machine reads it from the disk."""
        entries = self.app.conversations._transcripts.open(conversation).entries
        return [turn.text for turn in fold(entries).turns]


class Sync:
    """Files of two folders made the same. What both changed since the last time goes the way Syncthing does it."""

    def __init__(self, one: Path, two: Path) -> None:
        self.folders = (one, two)
        self.last: dict[str, bytes] = {}
        self.count = 0

    def run(self) -> None:
        one, two = self.folders
        files, others = tree(one), tree(two)
        for name in sorted(files.keys() | others.keys() | self.last.keys()):
            ours, theirs, before = files.get(name), others.get(name), self.last.get(name)
            if ours == theirs:
                continue
            if ours is None or theirs is None:
                self._one_side(name, ours, theirs, before)
            elif theirs == before:
                self._put(two, name, ours)
            elif ours == before:
                self._put(one, name, theirs)
            else:
                self._conflict(name, ours, theirs)
        self.last = tree(one)
        assert tree(two) == self.last

    def _one_side(self, name: str, ours: bytes | None, theirs: bytes | None, before: bytes | None) -> None:
        """New on one side; deleted on one side; a change is worth more than a deletion."""
        there = ours if ours is not None else theirs
        assert there is not None
        for folder in self.folders:
            if there == before:
                (folder / name).unlink(missing_ok=True)
            else:
                self._put(folder, name, there)

    def _conflict(self, name: str, ours: bytes, theirs: bytes) -> None:
        self.count += 1
        stem, dot, end = name.rpartition(".")
        copy = f"{stem}.sync-conflict-20260224-{self.count:06}-ABCDEFG{dot}{end}"
        for folder in self.folders:
            self._put(folder, copy, theirs)
            self._put(folder, name, ours)

    @staticmethod
    def _put(folder: Path, name: str, data: bytes) -> None:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        temp = path.with_name(f".syncthing.{path.name}.tmp")
        temp.write_bytes(data)
        os.replace(temp, path)


@pytest.fixture
def machines(tmp_path: Path) -> Iterator[tuple[Machine, Machine, Sync]]:
    one, two = Machine(tmp_path, "one"), Machine(tmp_path, "two")
    for path in tree(two.root):
        (two.root / path).unlink()  # the second machine gets the pet from the first
    sync = Sync(one.root, two.root)
    sync.run()
    try:
        yield one, two, sync
    finally:
        one.app.close()
        two.app.close()


def test_two_machines_talk_in_one_conversation_and_write_one_memory(machines: tuple[Machine, Machine, Sync]) -> None:
    one, two, sync = machines
    live = one.app.conversations.create(memory=True)
    live.keep()
    one.write("MEMORY.md", "# Memory\n\n- tea\n- cake\n- rain\n")
    one.say(live.id, "first")
    sync.run()
    two.say(live.id, "second")
    sync.run()
    # Offline, both.
    one.say(live.id, "third")
    two.say(live.id, "fourth")
    one.write("MEMORY.md", "# Memory\n\n- green tea\n- cake\n- rain\n")
    two.write("MEMORY.md", "# Memory\n\n- tea\n- cake\n- snow\n")
    sync.run()

    for machine in machines[:2]:
        heard = machine.heard(live.id)
        assert sorted(heard) == ["first", "fourth", "second", "third"] and heard[:2] == ["first", "second"]
        assert machine.heard(live.id) == one.heard(live.id)
        assert {each.file for each in find_copies(machine.root)} == {"MEMORY.md"}
    (copy,) = two.copies.list()
    shown = two.copies.read(copy.copy)
    assert shown.merged == "# Memory\n\n- green tea\n- cake\n- snow\n"
    assert isinstance(shown.file, Present)
    two.copies.settle(copy.copy, shown.merged, shown.file.version)
    sync.run()
    assert find_copies(one.root) == find_copies(two.root) == ()
    assert (one.root / "MEMORY.md").read_text() == shown.merged
    said = {path: data for path, data in tree(one.root).items() if path.startswith(".history/objects/")}
    for text in ("- green tea\n- cake\n- rain", "- tea\n- cake\n- snow", "- green tea\n- cake\n- snow"):
        assert any(text.encode() in data for data in said.values()), text
    # Each machine's versions are in the one history, once the daily care has seen to it.
    before = {each.id for machine in (one, two) for each in machine.app.store.history("MEMORY.md")}
    for machine in (one, two):
        machine.app.store.prune()
        assert list((machine.root / ".history").glob("*sync-conflict*")) == []
        versions = machine.app.store.history("MEMORY.md")
        assert before <= {each.id for each in versions}
        assert (versions[0].current, machine.app.store.version_bytes("MEMORY.md", versions[0].id)) == (
            True,
            shown.merged.encode(),
        )
        sync.run()
    # And both go on.
    one.say(live.id, "fifth")
    sync.run()
    assert two.heard(live.id)[-1] == "fifth"
    asked = "\n".join(str(request) for request in (*one.model.requests, *two.model.requests))
    assert "sync-conflict" not in asked


def test_a_transcript_that_two_programs_wrote_is_read_whole_and_deleted_whole(
    machines: tuple[Machine, Machine, Sync],
) -> None:
    """A home that was restored on another machine has the first one's id, and both write the same file."""
    one, two, sync = machines
    live = one.app.conversations.create(memory=True)
    live.keep()
    one.say(live.id, "first")
    sync.run()
    two.app.close()
    two.home.machine_file.write_bytes(one.home.machine_file.read_bytes())
    again = Machine(two.home.data.parent.parent, "two")
    try:
        one.say(live.id, "here")
        again.say(live.id, "there")
        sync.run()
        names = [path.name for path in (one.root / "conversations").iterdir()]
        assert any("sync-conflict" in name for name in names)
        for machine in (one, again):
            assert sorted(machine.heard(live.id)) == ["first", "here", "there"]
            ids = [entry.id for entry in machine.app.conversations._transcripts.open(live.id).entries if entry.id]
            assert len(ids) == len(set(ids))
            assert [each.turns for each in machine.app.conversations.saved()] == [3]
        one.app.conversations.delete(live.id)
        assert list((one.root / "conversations").iterdir()) == []
    finally:
        again.app.close()


def test_nothing_but_the_pets_own_files_lies_in_the_workspace(machines: tuple[Machine, Machine, Sync]) -> None:
    """Locks, sockets and caches stay outside: a sync program must not carry them."""
    one, _two, _sync = machines
    live = one.app.conversations.create(memory=True)
    one.say(live.id, "hello")
    one.write("MEMORY.md", "# Memory\n")
    one.write("memory/2026-02-24.md", "# Memory Log: 2026-02-24\n")
    for path in one.root.rglob("*"):
        name = path.relative_to(one.root).as_posix()
        assert path.is_file() or path.is_dir(), name
        assert not path.name.endswith((".lock", ".sqlite", ".sqlite-wal", ".sock", ".pid")), name
        assert name.split("/")[0] in {".history", "SOUL.md", "USER.md", "MEMORY.md", "memory", "conversations"}, name
