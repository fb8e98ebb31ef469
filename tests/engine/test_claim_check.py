"""Marks under replies, "save it now", and what upkeep did: in the turn's end, in the view, and in no request."""

from __future__ import annotations

import pytest

from pet.bridge.commands.conversations import view_of
from pet.engine.conversation import LiveConversation
from pet.errors import ConversationTemporary, UnknownTurn
from pet.events import Claim, ToolEnded, ToolStarted, TurnEnded
from pet.language.wishes import stated_fact
from pet.model import Author
from tests.engine.conftest import Core, Make
from tests.support.models.scripted import call, say


def told(core: Core, chat: LiveConversation, text: str) -> Claim | None:
    """The mark of one turn as the window is told of it; the view must say the same."""
    turn = chat.send(text)
    chat.wait(60)
    ended = core.wait_for(lambda event: isinstance(event, TurnEnded) and event.turn == turn)
    assert isinstance(ended, TurnEnded)
    assert shown(core, chat) == ended.claim
    return ended.claim


def shown(core: Core, chat: LiveConversation) -> Claim | None:
    return view_of(chat, chat.snapshot(core.app.emitter.fence)).turns[-1].claim


def test_a_reply_that_claims_to_have_saved_is_marked_where_nothing_was_written(make_core: Make) -> None:
    core = make_core(say("Lovely! I've saved that to my memory."))
    claim = told(core, core.app.conversations.create(memory=True), "My boat is called Albatross.")
    assert claim is not None
    assert (claim.kind, "saved that" in claim.quote) == ("saved", True)


@pytest.mark.parametrize("tool", ["memory_write", "write"])
def test_it_is_not_marked_where_something_was_written(make_core: Make, tool: str) -> None:
    content = "The owner's boat is called Albatross."
    arguments = {"content": content} if tool == "memory_write" else {"path": "MEMORY.md", "content": content}
    core = make_core(call(tool, arguments), say("I've saved that to my memory."))
    assert told(core, core.app.conversations.create(memory=True), "My boat is called Albatross.") is None


def test_a_failed_write_is_no_write(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": " "}), say("I've saved that to my memory."))
    claim = told(core, core.app.conversations.create(memory=True), "My boat is called Albatross.")
    assert claim is not None


def test_an_ordinary_reply_is_not_marked(make_core: Make) -> None:
    core = make_core(say("A fine name for a boat."))
    assert told(core, core.app.conversations.create(memory=True), "My boat is called Albatross.") is None


@pytest.mark.parametrize("at_the_end", [False, True])
def test_of_a_very_long_reply_the_beginning_and_the_end_are_checked(make_core: Make, at_the_end: bool) -> None:
    """Every word is compared with patterns before the turn ends: what is compared must not grow with the reply."""
    claim = "I've saved that to my memory."
    filler = "".join(f"Boat {number} has a fine name. " for number in range(20_000))
    core = make_core(say(filler + claim if at_the_end else f"{claim} {filler}"))
    chat = core.app.conversations.create(memory=True)
    assert told(core, chat, "My boat is called Albatross.") is not None
    (turn,) = chat.folded().turns
    assert len(turn.reply_ends) < 65_000 < len(turn.reply)


@pytest.mark.parametrize(
    "said",
    [
        "Remember that my dog is called Biscuit.",
        "Could you remember that my locker number is 418?",
        "记住我的狗叫饼干。",
    ],
)
def test_explicit_wish_for_which_nothing_was_written_is_marked(make_core: Make, said: str) -> None:
    core = make_core(say("What a lovely name!"))
    claim = told(core, core.app.conversations.create(memory=True), said)
    assert claim == Claim(kind="asked", quote=said)


def test_explicit_wish_that_was_written_down_is_not_marked(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "The dog is called Biscuit."}), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    assert told(core, chat, "Remember that my dog is called Biscuit.") is None


def test_request_to_remember_while_off_is_flagged(make_core: Make) -> None:
    core = make_core(say("My memory is off here; the memory button turns it on."))
    claim = told(
        core, core.app.conversations.create(memory=False), "Please remember that my boat is called Albatross."
    )
    assert claim is not None
    assert claim.kind == "asked_off"


@pytest.mark.parametrize(
    "said", ["Please remember that my boat is called Albatross.", "My boat is called Albatross."]
)
def test_in_a_temporary_conversation_saving_is_neither_offered_nor_done(make_core: Make, said: str) -> None:
    core = make_core(say("I've saved that to my memory."))
    chat = core.app.conversations.create(memory=True, temporary=True)
    claim = told(core, chat, said)
    assert claim is not None
    assert claim.kind == "temporary"
    with pytest.raises(ConversationTemporary):
        chat.remember_turn(chat.folded().turns[0].id, switch_on=True)
    assert core.app.store.log_names() == []


def test_save_it_now_writes_the_owners_message_and_takes_the_mark_away(make_core: Make) -> None:
    core = make_core(say("I've saved that to my memory."), say("Aye."))
    chat = core.app.conversations.create(memory=True)
    told(core, chat, "My boat is called Albatross.")
    turn = chat.folded().turns[0].id
    receipt = chat.remember_turn(turn)
    assert receipt is not None
    assert "My boat is called Albatross." in core.file(receipt.file)
    assert receipt.author is Author.OWNER
    assert shown(core, chat) is None
    (tool,) = view_of(chat, chat.snapshot(core.app.emitter.fence)).turns[0].tools
    assert (tool.tool, tool.round, tool.receipt) == ("remember", 0, receipt)
    assert chat.remember_turn(turn) is None
    assert core.file(receipt.file).count("Albatross") == 1
    kept = core.app.store.history(receipt.file)[0]
    assert kept.source is not None
    assert (kept.source.conversation, kept.source.turn) == (chat.id, turn)
    told(core, chat, "And now?")
    assert "remember" not in str(
        [message for message in core.provider.requests[-1].messages if message.role != "user"]
    )
    core.close()
    assert [event.tool for event in core.events if isinstance(event, ToolStarted)] == ["remember"]
    assert [event.receipt for event in core.events if isinstance(event, ToolEnded)] == [receipt]


def test_turn_on_and_remember(make_core: Make) -> None:
    core = make_core(say("My memory is off here."))
    chat = core.app.conversations.create(memory=False)
    told(core, chat, "Please remember that my boat is called Albatross.")
    receipt = chat.remember_turn(chat.folded().turns[0].id, switch_on=True)
    assert receipt is not None
    assert "Owner: My boat is called Albatross." in core.file(receipt.file)  # the fact, not the request
    assert [each.text for each in receipt.noted] == ["My boat is called Albatross."]
    assert chat.gate.access().memory
    assert shown(core, chat) is None


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("Can you remember that I'm allergic to nuts?", "I'm allergic to nuts"),
        ("I moved to Rome. Remember that please!", "I moved to Rome"),
        ("Don't forget that I moved. Where do I live now?", "I moved. Where do I live now?"),
        ("请记住：我不吃香菜", "我不吃香菜"),
        ("¿Puedes recordar que soy vegano?", "Soy vegano"),
        ("Remember to buy milk", "Remember to buy milk"),
        ("Remember that time we went to Rome?", "Remember that time we went to Rome?"),
        ("记得明天叫我", "记得明天叫我"),
        ("Remember that " + "a" * 2_000, "Remember that " + "a" * 2_000),
    ],
)
def test_the_fact_of_a_request_to_remember(message: str, fact: str) -> None:
    assert stated_fact(message) == fact


def test_a_turn_that_does_not_stand_can_not_be_remembered(make_core: Make) -> None:
    core = make_core(say("ok"))
    with pytest.raises(UnknownTurn):
        core.app.conversations.create(memory=True).remember_turn("nothing")


def test_full_files_are_tidied_before_a_turn_reads_them_and_while_no_prompt_is_cached(make_core: Make) -> None:
    core = make_core(say("ok"), say("ok"), say("ok"), say("ok"))
    full = "# Memory\n\n" + "".join(
        f"- 2025-{n % 12 + 1:02}-{n % 28 + 1:02}: day {n}, we went to the harbour and saw ship {n}\n"
        for n in range(290)
    )
    chat = core.app.conversations.create(memory=True)
    told(core, chat, "hello")
    core.put("MEMORY.md", full)
    told(core, chat, "the first prompt is still cached")
    assert core.file("MEMORY.md") == full
    core.clock.later(minutes=6)
    told(core, chat, "again")
    turns = chat.folded().turns
    assert [bool(turn.besides) for turn in turns] == [False, False, True]
    assert "MEMORY.md" in {done.receipt.file for done in turns[2].besides if done.receipt}
    assert {done.tool for done in turns[2].besides} == {"tidy"}
    assert core.file("MEMORY.md").rstrip() in core.provider.requests[-1].system[1].text
    told(core, chat, "once a day")
    assert not chat.folded().turns[3].besides


def test_off_is_never_tidied(make_core: Make) -> None:
    core = make_core(say("ok"))
    text = "# Memory\n\n" + "".join(
        f"- 2025-01-{n % 28 + 1:02}: day {n}, a long line about ship {n}\n" for n in range(400)
    )
    core.put("MEMORY.md", text)
    chat = core.app.conversations.create(memory=False)
    told(core, chat, "hello")
    assert core.file("MEMORY.md") == text
