"""READ on the wire of both protocols, with tools and as small models are asked: what is said leaves no trace.

What the owner and the model say holds a canary. Afterwards it is in the conversation's own transcript, and in no
other file of the home: no file of the workspace, no log, no index, no state. Reached by the commands of the pages, by
the settings' default and by the terminal.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pet.access import MemoryMode
from pet.app import Pet
from pet.engine.conversation import LiveConversation
from pet.model import TurnEnd
from pet.settings.setting import SettingValue
from tests.cli.conftest import PetCommand, pet, server
from tests.support.examples import examples
from tests.support.program.gated_program import (
    GATED,
    NOTEBOOK,
    OPENAI,
    RESPONSES,
    carries_canary,
    running,
    sent,
    speak,
)
from tests.support.program.invoking import ask
from tests.support.servers.chat_replies import call, chat
from tests.support.servers.protocol_replies import Call, Reply, stream
from tests.support.servers.protocol_server import ProtocolServer
from tests.support.servers.responses_replies import responses

__all__ = ["pet", "server"]

SPOKEN = "Zanzibar4711"
Wire = Literal["anthropic", "openai", "responses", "notebook"]
WIRES: dict[Wire, dict[str, SettingValue]] = {
    "anthropic": {"language": "en"},
    "openai": OPENAI,
    "responses": RESPONSES,
    "notebook": NOTEBOOK,
}
WRITES: dict[str, dict[str, str]] = {
    "write": {"path": "MEMORY.md", "content": f"- {SPOKEN}\n"},
    "edit": {"path": "USER.md", "old_text": "#", "new_text": f"# {SPOKEN}"},
    "memory_write": {"content": f"Was in {SPOKEN}", "category": "todo", "due": "2030-01-01"},
    "memory_forget": {"query": "canary-91bd"},
}


def replies(wire: Wire, names: list[str]) -> tuple[Reply, ...]:
    """The model writes at every chance, and claims that it did."""
    said = f"I've saved {SPOKEN} to my memory."
    say: Callable[..., Reply] = stream if wire == "anthropic" else responses if wire == "responses" else chat
    if wire == "notebook" or not names:
        return (say(said),)
    if say is not chat:
        return say(*(Call(name, WRITES[name], f"toolu_{name}") for name in names)), say(said)
    calls = (
        call(name, json.dumps(WRITES[name]), id_=f"call_{name}", index=place) for place, name in enumerate(names)
    )
    return chat("let me note it", *calls, finish="tool_calls"), chat(said)


def holding(folder: Path) -> set[str]:
    """The files that hold what was said, but for transcripts."""
    return {
        file.relative_to(folder).as_posix()
        for file in folder.rglob("*")
        if file.is_file() and file.parent.name != "conversations" and SPOKEN.encode() in file.read_bytes()
    }


def files(app: Pet) -> dict[str, bytes]:
    found = (file for file in app.store.root.rglob("*") if file.is_file() and file.parent.name != "conversations")
    return {str(file): file.read_bytes() for file in found if file.suffix != ".lock"}


@pytest.mark.parametrize("wire", WIRES)
@settings(max_examples=examples(6), deadline=None)
@given(tries=st.lists(st.lists(st.sampled_from(sorted(WRITES)), max_size=4, unique=True), min_size=1, max_size=3))
def test_what_is_said_is_in_no_file_but_the_transcript(wire: Wire, tries: list[list[str]]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        ProtocolServer() as server,
        running(server, Path(folder), **WIRES[wire]) as app,
    ):
        conversation = app.conversations.create(memory=MemoryMode.READ_ONLY)
        before = files(app)
        for names in tries:
            server.queue(*replies(wire, names))
            assert speak(conversation, f"Remember that I was in {SPOKEN}.") is TurnEnd.DONE
        bodies = [request.body for request in sent(server)]
        assert all(carries_canary(body) for body in bodies)  # it reads
        assert len(bodies) == sum(len(replies(wire, names)) for names in tries)  # and nobody asks what to note
        if wire != "notebook":
            offered = {name for body in bodies for name in _tools(json.loads(body))}
            assert offered.isdisjoint(WRITES)
        assert files(app) == before
        assert all(done.receipt is None for turn in conversation.folded().turns for done in turn.tools)
        app.index.notice()
        ask(app.commands, "search_memory", query=SPOKEN)
        app.close()
        assert holding(Path(folder)) == set()


def _tools(body: dict[str, list[dict[str, dict[str, str]]]]) -> list[str]:
    return [str(tool.get("name") or tool["function"]["name"]) for tool in body.get("tools") or ()]


def by_command(app: Pet) -> LiveConversation:
    made = ask(app.commands, "new_conversation", memory=False, read_only=True)
    return app.conversations.open(made["info"]["id"])


def by_switch(app: Pet) -> LiveConversation:
    made = app.conversations.create(memory=True)
    ask(app.commands, "set_memory", conversation=made.id, memory=False, read_only=True)
    return made


def by_default(app: Pet) -> LiveConversation:
    app.settings.change({"memory_default": False, "memory_read_only": True})
    return app.conversations.open(ask(app.commands, "new_conversation")["info"]["id"])


@pytest.mark.parametrize("way", [by_command, by_switch, by_default])
def test_pages_and_settings_lead_to_it(way: Callable[[Pet], LiveConversation], tmp_path: Path) -> None:
    with ProtocolServer() as server, running(server, tmp_path, language="en") as app:
        conversation = way(app)
        assert conversation.gate.memory_mode is MemoryMode.READ_ONLY
        before = files(app)
        server.queue(*replies("anthropic", sorted(WRITES)))
        assert speak(conversation, f"Remember {SPOKEN}.") is TurnEnd.DONE
        assert all(carries_canary(request.body) for request in sent(server))
        assert files(app) == before


def test_terminal_reads_and_leaves_no_trace(pet: PetCommand, server: ProtocolServer) -> None:
    for name, text in GATED.items():
        pet.write(name, text)
    server.queue(*replies("anthropic", sorted(WRITES)))
    assert pet("chat", "--once", f"Remember {SPOKEN}.", "--memory", "read").code == 0
    assert all(carries_canary(request.body) for request in server.messages)
    assert all(pet.read(name) == text for name, text in GATED.items())
    memory = (file for file in (pet.workspace / "memory").rglob("*") if file.is_file())
    assert {file.relative_to(pet.workspace).as_posix() for file in memory} == GATED.keys() - {"USER.md", "MEMORY.md"}
    assert holding(pet.home) == set()
    assert SPOKEN not in pet("search", SPOKEN).out
