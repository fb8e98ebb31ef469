"""``/branch`` in the terminal chat: a new conversation that starts with this one."""

from __future__ import annotations

import json

from tests.cli.conftest import PetCommand
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer


def test_goes_on_in_a_new_conversation_without_the_last_messages(pet: PetCommand, server: ProtocolServer) -> None:
    server.queue(*map(stream, ("One.", "Two.", "Three.")))
    ended = pet("chat", typed="\n".join(["first", "second", "/branch 1", "third", "/branch 9", "/branch x"]) + "\n")
    told = ended.out + ended.err
    assert "A new conversation with everything up to “first”." in told
    assert told.count("/branch N leaves out the last N messages") == 2
    sent = json.dumps(server.messages[-1].json["messages"])
    assert "first" in sent and "One." in sent and "second" not in sent and "third" in sent
    assert len(list((pet.workspace / "conversations").iterdir())) == 2
