"""The pet is asked to forget in the terminal: the whole list is shown, and only a whole word lets it go."""

from __future__ import annotations

from tests.cli.conftest import PetCommand
from tests.cli.test_chat import Console, console, say  # noqa: F401  the fixture
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer

MEMORY = "# Memory\n\n- Likes tea\n- Was in Zanzibar\n"


def test_the_list_is_shown_and_enter_keeps_it(
    pet: PetCommand,
    server: ProtocolServer,
    console: Console,  # noqa: F811
) -> None:
    pet.write("MEMORY.md", MEMORY)
    for answer, kept in (("", True), ("no", True), ("yes", False)):
        server.queue(stream(Call("memory_forget", {"query": "zanzibar"})), stream("As you say."))
        console.type("Forget the island")
        shown = console.expect("[yes/no] ")
        assert "  Was in Zanzibar  (" in shown
        assert pet.read("MEMORY.md") == MEMORY
        say(console, answer, "As you say.")
        assert ("Zanzibar" in pet.read("MEMORY.md")) == kept


def test_forget_without_terminal_erases_nothing(pet: PetCommand, server: ProtocolServer) -> None:
    pet.write("MEMORY.md", MEMORY)
    server.queue(stream(Call("memory_forget", {"query": "zanzibar"})), stream("As you say."))
    ended = pet("chat", "--once", "Forget the island", "--yes")
    assert "As you say." in ended.out
    assert "pet forget" in ended.err
    assert pet.read("MEMORY.md") == MEMORY
