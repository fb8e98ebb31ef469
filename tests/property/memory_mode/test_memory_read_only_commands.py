"""READ ONLY under every command that names a conversation, by every client that may call it.

The model writes and claims at every chance. Afterwards the pet's files are byte for byte as they were, no version was
kept, and what was said is in no file but the transcript. Left out is what the owner does: switching memory on, and
"Save it now", which writes the owner's own message in the owner's name.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from pet.bridge.command import Client
from pet.model import Receipt
from tests.property.test_temporary import ACTS, CANARY, SCRIPTS, Secret
from tests.support.program.invoking import COMMAND

FILES = {
    "USER.md": "# Profile\n\n- Name: Ana\n",
    "MEMORY.md": "# Memory\n\n- Ana is allergic to walnuts.\n",
    "memory/2026-02-12.md": "# Memory Log: 2026-02-12\n\n## [09:00:00] todo @2026-02-13\n\nCall the dentist.\n",
}


class Reading(Secret):
    """The same with a conversation that reads only, in a pet that has something to read."""

    def begin(self) -> None:
        for name, text in FILES.items():
            path = self.app.store.root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            self.app.store.observe(name)
        self.id = self.ask("new_conversation", memory=False, read_only=True)["info"]["id"]
        self.attachment = ""
        self.say("claim")

    def kept(self) -> dict[str, bytes]:
        """The workspace with its history, but for conversations, what was attached, and locks."""
        root = self.app.store.root
        return {
            file.relative_to(root).as_posix(): file.read_bytes()
            for file in root.rglob("*")
            if file.is_file() and file.relative_to(root).parts[0] not in ("conversations", "attachments")
        }


def _keep_read_only(reading: Secret, _script: str) -> None:
    reading.ask("set_memory", **reading.named, memory=False, read_only=True)


OWN: dict[str, Callable[[Secret, str], None]] = {
    "set_memory": _keep_read_only,
}
CALLS = [
    (name, client) for name in sorted(ACTS.keys() - {"remember_turn"}) for client in sorted(COMMAND[name].clients)
]


@pytest.mark.parametrize(("command", "client"), CALLS)
def test_no_command_of_any_client_lets_the_pet_write(command: str, client: Client) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reading = Reading(Path(folder))
        reading.clients = frozenset({client})
        try:
            before = reading.kept()
            for script in SCRIPTS:
                OWN.get(command, ACTS[command])(reading, script)
            if command not in ("delete_conversation", "branch_conversation"):
                for turn in reading.app.conversations.open(reading.id).folded().turns:
                    assert not [done for done in turn.tools if isinstance(done.receipt, Receipt)]
            assert reading.kept() == before
        finally:
            reading.app.close()
        # What the owner typed, named and chose is in the tabs and the transcript; what the pet said nowhere else.
        spoken = [f"{CANARY}-{each}".encode() for each in ("reply", "thought", "soul", "edit", "memory", "log")]
        for file in Path(folder).rglob("*"):
            if file.is_file() and "conversations" not in file.parts:
                data = file.read_bytes()
                assert not [each for each in spoken if each in data], file
