"""A talk with memory "read" in the terminal: whatever the model tries, only its own transcript changes."""

from __future__ import annotations

import json
from pathlib import Path

from pet.cli.slash_commands import SLASHES
from tests.cli.conftest import PetCommand
from tests.cli.test_chat import Console, say
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer

LOG = "memory/2026-02-12.md"
TEXTS = {
    "SOUL.md": "# Soul\n\nI am small.\n",
    "USER.md": "# Profile\n\n- Name: Ana\n",
    "MEMORY.md": "# Memory\n\n- Ana is allergic to walnuts.\n",
    LOG: "# Memory Log: 2026-02-12\n\n## [09:00:00] todo @2026-02-13\nCall the dentist.\n",
    "skills/cook/SKILL.md": "---\nname: cook\ndescription: how to cook\n---\nBoil it.\n",
}
CALLS = [
    *(
        Call("write", {"path": name, "content": "- x\n"})
        for name in ("SOUL.md", "USER.md", "MEMORY.md", LOG, "AGENTS.md")
    ),
    *(Call("edit", {"path": name, "old_text": "Ana", "new_text": "Eva"}) for name in ("USER.md", "MEMORY.md", LOG)),
    Call("memory_write", {"content": "Ana plays the cello."}),
    Call("memory_write", {"content": "Call Eva.", "category": "todo", "due": "2030-01-01"}),
    Call("memory_forget", {"query": "walnuts"}),
    Call("read", {"path": "MEMORY.md"}),
    Call("memory_search", {"query": "walnuts"}),
    Call("memory_get", {"path": LOG}),
    Call("skill", {"name": "cook"}),
]
OWNERS = {"quit", "exit", "new", "remember", "forget"}
"""What the owner does: leave, begin a conversation as the settings say, note and forget."""
WORDS = {"search": "walnuts", "attach": "nothing.txt", "brain": "read", "switch": "1", "model": "nothing"}


def _files(home: Path) -> dict[str, bytes]:
    """The owner's data; what the program counts and locks lies elsewhere."""
    data = home / "data"
    return {each.relative_to(data).as_posix(): each.read_bytes() for each in data.rglob("*") if each.is_file()}


def test_a_talk_that_only_reads_leaves_its_transcript_and_nothing_else(
    pet: PetCommand, server: ProtocolServer
) -> None:
    for name, text in TEXTS.items():
        pet.write(name, text)
    console = Console(pet.line("chat", "--memory", "read"), pet.environment())
    try:
        console.expect("[yes/no] ")  # a skill that lay there before the pet
        console.type("yes")
        console.expect("] > ")
        say(console, "/new", "new conversation")
        console.type("/brain read")
        console.expect("] > ")
        before = _files(pet.home)
        server.queue(stream(*CALLS), stream("I've saved that for you. [mood:happy]"))
        say(console, "Remember that I like tea.", "I've saved that for you.")
        for command in sorted(SLASHES.keys() - OWNERS):  # those that ask no model leave it to the next
            server.queue(stream(*CALLS), stream("As you like."))
            console.type(f"/{command} {WORDS.get(command, '')}".rstrip())
            console.expect("] > ")
        say(console, "And now remember that I like cake.", "As you like.")
        console.type("/quit")
        assert console.ends() == 0
    finally:
        console.close()
    after = _files(pet.home)
    changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    assert changed
    assert all(
        name.startswith("pets/pet/conversations/") and name.endswith((".jsonl", ".jsonl.switch")) for name in changed
    )
    assert "walnuts" in json.dumps(server.messages[-1].json)
