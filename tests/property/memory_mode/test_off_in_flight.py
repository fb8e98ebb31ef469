"""Memory that is switched off while a request is at any stage of its way, here or in another program.

Through the real SDK and real connections: what has not left by the answer never leaves.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.model import TurnEnd
from pet.paths import find_home
from pet.providers import model_server
from tests.support.examples import examples
from tests.support.servers.held_server import CONNECT, HeldServer, Stage

CANARY = b"canary-5e0c"
LONG = "word " * 20_000  # stands before the memory in a request, and is more than a receive buffer takes
WORDS = ["off", "off and on", "pause", "pause and resume"]


@pytest.fixture(autouse=True, scope="module")
def _patient() -> Iterator[None]:
    """A request that is held must not race with the ten seconds after which it is given up."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model_server, "_CONNECT_SECONDS", 3600.0)
        patch.setattr(model_server, "_WRITE_SECONDS", 3600.0)
        yield


def program(folder: Path, server: HeldServer) -> Pet:
    return Pet(find_home(folder), environ={"ANTHROPIC_BASE_URL": server.url}, channel="terminal")


def say(app: Pet, conversation: str, word: str) -> None:
    live = app.conversations.open(conversation)
    if word.startswith("off"):
        live.set_memory(False)
    else:
        app.pause(True)
    if word == "off and on":
        live.set_memory(True)
    elif word == "pause and resume":
        app.pause(False)


@settings(max_examples=examples(25))
@given(
    stage=st.sampled_from([*CONNECT, "write"]), word=st.sampled_from(WORDS), here=st.booleans(), waits=st.booleans()
)
def test_what_has_not_left_by_the_answer_never_leaves(stage: Stage, word: str, here: bool, waits: bool) -> None:
    """``waits``: the word is said once the request stands at the stage, else at any moment before."""
    with tempfile.TemporaryDirectory() as folder, HeldServer(stage) as server:
        sender = program(Path(folder), server)
        other = sender if here else program(Path(folder), server)
        try:
            (sender.store.root / "MEMORY.md").write_bytes(b"# Memory\n- " + CANARY + b"\n")
            chat = sender.conversations.create(memory=True)
            chat.keep()
            chat.send(LONG)
            if waits:
                server.wait_for_client()
            say(other, chat.id, word)
            server.go_on()
            chat.wait(60)
            assert CANARY not in server.received()
            assert chat.folded().turns[-1].end is TurnEnd.MEMORY_OFF
        finally:
            server.go_on()
            sender.close()
            other.close()
