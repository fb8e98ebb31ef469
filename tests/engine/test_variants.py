"""Earlier replies kept, chosen again and branched from: what the engine sends, undoes, indexes and stores."""

from __future__ import annotations

import json

import pytest

from pet.access import MemoryMode
from pet.engine.conversation import LiveConversation
from pet.errors import TurnRunning, UnknownTurn
from pet.events import VariantChosen
from pet.transcripts.entries import Unknown
from pet.transcripts.entry_codec import decode_entry
from pet.transcripts.fold import fold
from tests.engine.conftest import Make
from tests.engine.reader import said
from tests.support.models.scripted import Hold, call, say


def tell(chat: LiveConversation, text: str) -> str:
    turn = chat.send(text)
    chat.wait(60)
    return turn


def again(chat: LiveConversation, turn: str, text: str | None = None) -> str:
    made = chat.resend(turn, text)
    chat.wait(60)
    return made


def test_an_earlier_reply_comes_back_with_what_followed_and_only_it_is_sent(make_core: Make) -> None:
    core = make_core(say("Green."), say("Honey."), say("Black."), say("Fine."), say("Lemon."))
    chat = core.app.conversations.create(memory=True)
    first = tell(chat, "Which tea?")
    follow = tell(chat, "And in it?")
    second = again(chat, first)
    assert [turn.id for turn in chat.folded().turns] == [second]
    assert chat.folded().turns[0].variants == (first, second)
    chat.record.choose_variant(first)
    assert [turn.id for turn in chat.folded().turns] == [first, follow]
    tell(chat, "Thanks.")
    sent = said(core.provider.requests[-1])
    assert "Green." in sent and "Honey." in sent and "Black." not in sent
    chat.record.choose_variant(first)  # it is active: nothing is written
    with pytest.raises(UnknownTurn):
        chat.record.choose_variant("nowhere")
    core.close()  # every event was told
    chosen = [event for event in core.events if isinstance(event, VariantChosen)]
    assert [event.turn for event in chosen] == [first]


def test_a_reply_that_failed_at_once_is_no_variant(make_core: Make) -> None:
    core = make_core(say(""), say("Black."))
    chat = core.app.conversations.create(memory=False)
    first = tell(chat, "Which tea?")
    again(chat, first)
    assert chat.folded().turns[0].variants == ()


def test_while_a_reply_runs_no_other_can_be_chosen_nor_it_be_branched_from(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("One."), say("Two."), say("Th", hold, "ree."))
    chat = core.app.conversations.create(memory=False)
    first = tell(chat, "Say a number.")
    again(chat, first)
    running = chat.send("More!")
    hold.wait_reached()
    with pytest.raises(TurnRunning):
        chat.record.choose_variant(first)
    with pytest.raises(TurnRunning):
        core.app.conversations.branch(chat.id, running)
    chat.stop()
    chat.wait(60)


def test_a_change_of_an_abandoned_reply_keeps_its_receipt_and_its_undo(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "likes tea"}), say("Noted."), say("Hello."))
    chat = core.app.conversations.create(memory=True)
    first = tell(chat, "I like tea")
    second = again(chat, first)
    (turn,) = chat.folded().turns
    assert turn.id == second and [left.id for left in turn.left] == [first]
    found = chat.receipts.last()
    assert found is not None and found[0].id == first
    chat.receipts.undo(first, found[1].call_id)
    (left,) = chat.folded().turns[0].left
    assert left.state_of(left.tools[0]) == "undone"
    assert chat.receipts.last() is None
    chat.record.choose_variant(first)
    assert chat.folded().turns[0].left == ()
    assert chat.folded().turns[0].state_of(chat.folded().turns[0].tools[0]) == "undone"


def test_words_said_with_memory_on_stay_masked_in_every_variant_and_in_a_branch(make_core: Make) -> None:
    core = make_core(
        call("read", {"path": "USER.md"}, "I look."),
        say("You are Lin."),
        say("No idea."),
        say("Off."),
        say("Off too."),
        say("In the branch."),
    )
    core.put("USER.md", "# Profile\n\ncanary-7f3a\n")
    chat = core.app.conversations.create(memory=True)
    first = tell(chat, "Who am I?")
    second = again(chat, first)
    chat.set_memory(False)
    for turn in (first, second):
        chat.record.choose_variant(turn)
        tell(chat, "Say that again.")
        assert "canary-7f3a" not in repr(core.provider.requests[-1])
    chat.record.choose_variant(first)
    branch = core.app.conversations.branch(chat.id, first)
    assert branch.gate.memory_mode is MemoryMode.OFF
    tell(branch, "And here?")
    request = core.provider.requests[-1]
    assert "canary-7f3a" not in repr(request)
    assert "You are Lin." in said(request) and "No idea." not in said(request)


def test_a_branch_is_a_conversation_of_its_own_with_a_number_in_its_title(make_core: Make) -> None:
    core = make_core(call("memory_write", {"content": "likes tea"}), say("Noted."), say("Two."), say("Three."))
    chat = core.app.conversations.create(memory=True)
    first = tell(chat, "I like tea")
    tell(chat, "And cake")
    branch = core.app.conversations.branch(chat.id, first)
    assert [turn.text for turn in branch.folded().turns] == ["I like tea"]
    assert (branch.title, branch.gate.memory_mode) == ("I like tea (2)", MemoryMode.ON)
    assert core.app.conversations.branch(branch.id, first).title == "I like tea (3)"
    # The change belongs to the conversation that made it: it alone can say whether it was undone.
    assert branch.receipts.last() is None
    tell(branch, "And beer")
    assert [turn.text for turn in chat.folded().turns] == ["I like tea", "And cake"]
    core.app.conversations.delete(chat.id)
    core.close()
    core = make_core()
    assert [turn.text for turn in core.app.conversations.open(branch.id).folded().turns] == ["I like tea", "And beer"]


def test_a_branch_of_a_temporary_conversation_leaves_nothing_on_disk(make_core: Make) -> None:
    core = make_core(say("Psst."), say("Still."))
    chat = core.app.conversations.create(memory=False, temporary=True)
    first = tell(chat, "A secret")
    branch = core.app.conversations.branch(chat.id, first)
    tell(branch, "More")
    assert branch.gate.temporary and len(branch.folded().turns) == 2
    core.close()
    assert not any(b"secret" in path.read_bytes() for path in core.app.store.root.rglob("*") if path.is_file())


def as_unknown(line: str) -> str:
    """The line as one of a kind that this program does not know."""
    data = json.loads(line)
    del data["mark"]  # that of another kind
    return json.dumps(data | {"kind": "later"})


def test_a_program_that_does_not_know_variants_opens_the_file_and_shows_the_newest(make_core: Make) -> None:
    core = make_core(say("Green."), say("Black."))
    chat = core.app.conversations.create(memory=False)
    first = tell(chat, "Which tea?")
    second = again(chat, first)
    chat.record.choose_variant(first)
    lines = (core.app.transcripts.folder / f"{chat.id}.jsonl").read_text(encoding="utf-8").splitlines()
    older = [decode_entry(as_unknown(line) if "variant_chosen" in line else line) for line in lines]
    assert any(isinstance(entry, Unknown) for entry in older)
    assert [turn.id for turn in fold(older).turns] == [second]
    assert json.loads(lines[-1]).keys() == {"kind", "mark", "id", "at", "turn"}
