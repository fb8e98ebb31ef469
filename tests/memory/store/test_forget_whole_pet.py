"""Forgetting through the whole core: by asking the pet, and what is sent and learned afterwards."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from pet.app import Pet
from pet.bridge.command import Client
from pet.events import Forgotten, ProposalAsked
from pet.model import Allowed, Message, Request, TextPart, ToolResultPart
from pet.paths import Home
from tests.engine.conftest import Core
from tests.engine.conftest import make_core as make_core
from tests.support.models.scripted import Hold, Think, call, calls, say
from tests.support.program.invoking import ask, invoke

Make = Callable[..., Core]
WORD = "Zanzibar"


def _sent(request: Request) -> str:
    """Everything of a request that is no word said aloud."""
    return repr([request.system, request.tools, [_unsaid(message) for message in request.messages]])


def _unsaid(message: Message) -> list[object]:
    return [part for part in message.parts if not isinstance(part, TextPart)]


def _held(core: Core) -> list[str]:
    """Files under the home that hold the word."""
    home = core.home.data.parent
    files = [path for path in home.rglob("*") if path.is_file()]
    return sorted(path.relative_to(home).as_posix() for path in files if WORD.lower() in _text(path.read_bytes()))


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace").lower()


def _forget_by_asking(core: Core) -> str:
    """The pet writes it down, reads it, and is asked to forget it. Returns the conversation."""
    chat = core.app.conversations.create(memory=True)
    chat.send("Remember where I go in spring")
    chat.wait(60)
    chat.send("What do you know of me?")
    chat.wait(60)
    chat.send("Forget where I go")
    asked = core.wait_for(lambda event: isinstance(event, ProposalAsked))
    assert isinstance(asked, ProposalAsked)
    assert asked.proposal.reason == "forget"
    assert "Owner goes to Zanzibar" in asked.proposal.before
    chat.answer(asked.proposal.id, Allowed(text="", edited=False))
    chat.wait(60)
    return chat.id


def test_asked_in_a_chat_it_is_gone_from_everything_and_the_turn_goes_on(make_core: Make) -> None:
    core = make_core(
        call("memory_write", {"content": "Owner goes to Zanzibar", "category": "fact"}, Think("Zanzibar, nice")),
        say("Noted."),
        call("memory_search", {"query": "Zanzibar"}, call_id="call_2"),
        say("You like the sea."),
        call("memory_forget", {"query": "Zanzibar"}, Think("they want Zanzibar gone"), call_id="call_3"),
        say(Think("so Zanzibar is gone now"), "Done."),
        say("I don't know."),
    )
    conversation = _forget_by_asking(core)
    core.wait_for(lambda event: isinstance(event, Forgotten))
    chat = core.app.conversations.open(conversation)
    chat.send("Where do I go?")
    chat.wait(60)
    assert WORD not in _sent(core.provider.requests[-1])
    results = [
        part.text
        for message in core.provider.requests[-1].messages
        for part in message.parts
        if isinstance(part, ToolResultPart)
    ]
    assert len(results) == 3
    core.close()
    assert _held(core) == []


def test_a_turn_in_another_tab_that_had_it_in_hand_leaves_nothing_of_it(make_core: Make) -> None:
    hold = Hold()
    core = make_core(
        calls(Think("Zanzibar it is"), hold, "Let me see."),
        say("The sea."),
    )
    core.put("MEMORY.md", "- Owner goes to Zanzibar\n- tea\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("Where do I go?")
    hold.wait_reached()
    core.app.forgetting.forget(core.app.forgetting.find(WORD))
    hold.release()
    chat.wait(60)
    core.close()
    assert core.file("MEMORY.md") == "- tea\n"
    assert _held(core) == []


def test_what_another_program_forgot_goes_from_a_turn_that_runs_here(make_core: Make, home: Home) -> None:
    hold = Hold()
    core = make_core(calls(Think("Zanzibar it is"), hold, "Let me see."), say("The sea."))
    core.put("MEMORY.md", "- Owner goes to Zanzibar\n- tea\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("Where do I go?")
    hold.wait_reached()
    other = Pet(home, environ={}, channel="terminal")
    plan = other.forgetting.find(WORD)
    report = other.forgetting.forget(plan)
    core.app.forgetting.on_external_forget(plan.texts, report.conversations)
    other.close()
    hold.release()
    chat.wait(60)
    core.close()
    assert _held(core) == []


def test_it_is_not_learned_again_unless_the_owner_says_it_again(make_core: Make) -> None:
    again = {"content": "Goes to zanzibar", "category": "fact"}
    core = make_core(
        call("memory_write", again),
        say("Hm."),
        call("memory_write", again, call_id="call_2"),
        say("Noted."),
    )
    core.put("MEMORY.md", "- Zanzibar\n")
    core.app.forgetting.forget(core.app.forgetting.find(WORD))
    chat = core.app.conversations.create(memory=True)
    chat.send("Remember where I go")
    chat.wait(60)
    assert core.app.store.log_names() == []
    chat.send("Remember that I go to Zanzibar")
    chat.wait(60)
    (log,) = core.app.store.log_names()
    assert "Goes to zanzibar" in core.file(log)


def test_what_was_said_aloud_is_not_recalled_any_more(make_core: Make) -> None:
    core = make_core(say("Nice!"), say("No idea."))
    core.app.settings.change({"recall_threshold": 0.05})
    told = core.app.conversations.create(memory=True)
    told.send("My boat in Zanzibar harbour is called Ingeborg")
    told.wait(60)
    core.app.forgetting.forget(core.app.forgetting.find("boat in Zanzibar"))
    asked = core.app.conversations.create(memory=True)
    asked.send("What is my boat in the harbour called, Ingeborg?")
    asked.wait(60)
    assert WORD not in repr(core.provider.requests[-1])


def test_a_file_that_can_not_be_looked_at_keeps_nothing_from_being_forgotten(make_core: Make) -> None:
    core = make_core()
    core.put("MEMORY.md", "- Zanzibar\n")
    shutil.rmtree(core.app.store.root / ".history", ignore_errors=True)
    core.put(".history", "in the way")
    told = {"pet": core.app.pet_id, "files": ["MEMORY.md"], "forgotten": [WORD]}
    invoke(core.app.commands, "files_changed", Client.SOCKET, **told)
    core.wait_for(lambda event: isinstance(event, Forgotten))
    assert ask(core.app.commands, "read_file", file="MEMORY.md")["text"] == "- Zanzibar\n"
