"""Receipts are true after a restart: undone, redone, kept and restored changes show what became of them."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from pet.bridge.command import Client
from pet.engine.conversation import LiveConversation
from pet.engine.receipts import save_note
from pet.errors import FileConflict
from pet.events import ReceiptsChanged
from pet.memory.store.forget_plan import LearnedIn
from pet.model import Receipt
from pet.transcripts.entries import ReceiptChanged
from pet.transcripts.entry_codec import decode_entry, encode_entry
from tests.engine.conftest import Core, Make
from tests.support.models.scripted import call, say
from tests.support.program.invoking import ask, refused

NOTE = "The owner's boat is called Albatross."
SECRET = "The wifi password is BlueDoor42."


def wrote(core: Core, content: str = NOTE) -> LiveConversation:
    """A conversation in which the pet wrote an entry into today's log."""
    core.provider.queue(call("memory_write", {"content": content}), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    chat.send("hello")
    chat.wait(60)
    return chat


def note(core: Core, chat: LiveConversation, text: str) -> Receipt:
    """A note of the owner, as of ``/remember``."""
    receipt = save_note(core.app.store, core.app.clock, text)
    chat.receipts.keep_own(receipt)
    return receipt


def which(chat: LiveConversation, at: int = 0) -> dict[str, str]:
    turn = chat.folded().turns[at]
    return {"conversation": chat.id, "turn": turn.id, "call": turn.tools[0].call_id}


def shown(core: Core, conversation: str) -> list[tuple[str, bool]]:
    """The states that the page is told, and whether a receipt of a kept secret goes with them."""
    view: Any = ask(core.app.commands, "open_conversation", conversation=conversation)
    return [(each["state"], each["kept"] is not None) for turn in view["turns"] for each in turn["receipts"]]


def logged(core: Core) -> str:
    return core.file(core.app.store.log_names()[0]) if core.app.store.log_names() else ""


def test_an_undone_change_is_undone_in_every_window_and_after_a_restart(make_core: Make) -> None:
    core = make_core()
    chat = wrote(core)
    assert shown(core, chat.id) == []
    ask(core.app.commands, "undo_receipt", **which(chat))
    assert NOTE not in logged(core)
    assert shown(core, chat.id) == [("undone", False)]
    core.wait_for(lambda event: event == ReceiptsChanged(conversation=chat.id))
    core.close()
    again = make_core()
    assert shown(again, chat.id) == [("undone", False)]
    ask(again.app.commands, "redo_receipt", **which(chat))
    assert NOTE in logged(again)
    assert shown(again, chat.id) == []
    again.close()
    assert shown(make_core(), chat.id) == []


def test_a_change_is_undone_and_redone_around_later_ones(make_core: Make) -> None:
    core = make_core()
    first = wrote(core)
    second = wrote(core, "The owner likes green tea.")
    ask(core.app.commands, "undo_receipt", **which(first))
    assert "green tea" in logged(core)
    assert NOTE not in logged(core)
    assert (shown(core, first.id), shown(core, second.id)) == ([("undone", False)], [])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_notes_undone_in_any_order_are_redone_around_later_ones(make_core: Make, order: tuple[int, int]) -> None:
    core = make_core()
    notes = [NOTE, "The owner likes green tea.", "The owner climbs on Thursdays."]
    chats = [wrote(core, note) for note in notes]
    whole = logged(core)
    for at in order:
        ask(core.app.commands, "undo_receipt", **which(chats[at]))
    assert [note in logged(core) for note in notes] == [False, False, True]
    core.close()
    again = make_core()
    ask(again.app.commands, "redo_receipt", **which(chats[0]))
    ask(again.app.commands, "redo_receipt", **which(chats[1]))
    assert logged(again) == whole
    assert [shown(again, chat.id) for chat in chats] == [[], [], []]


def test_a_note_is_redone_after_all_were_undone(make_core: Make) -> None:
    core = make_core()
    chats = [wrote(core), wrote(core, "The owner likes green tea.")]
    whole = logged(core)
    for chat in reversed(chats):
        ask(core.app.commands, "undo_receipt", **which(chat))
    ask(core.app.commands, "redo_receipt", **which(chats[1]))
    assert "green tea" in logged(core) and NOTE not in logged(core)
    ask(core.app.commands, "redo_receipt", **which(chats[0]))
    assert sorted(logged(core).splitlines()) == sorted(whole.splitlines())


def test_undo_of_another_window_is_undone_here_too(make_core: Make) -> None:
    core, other = make_core(), make_core()
    chat = wrote(core)
    ask(other.app.commands, "undo_receipt", **which(chat))
    assert shown(core, chat.id) == [("undone", False)]
    told = {"pet": core.app.pet_id, "files": [], "conversations": [chat.id]}
    ask(core.app.commands, "files_changed", Client.SOCKET, **told)
    core.wait_for(lambda event: event == ReceiptsChanged(conversation=chat.id))


def test_restoring_a_version_by_hand_changes_the_receipt(make_core: Make) -> None:
    core = make_core(call("write", {"path": "MEMORY.md", "content": f"# Memory\n- {NOTE}\n"}), say("Done."))
    core.put("MEMORY.md", "# Memory\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("hello")
    chat.wait(60)
    versions = ask(core.app.commands, "list_versions", file="MEMORY.md")["versions"]
    assert shown(core, chat.id) == []
    ask(core.app.commands, "restore_version", file="MEMORY.md", version=versions[1]["id"])
    assert shown(core, chat.id) == [("undone", False)]
    ask(core.app.commands, "restore_version", file="MEMORY.md", version=versions[0]["id"])
    assert shown(core, chat.id) == []


def test_a_kept_secret_stays_kept_and_is_taken_back_first(make_core: Make) -> None:
    core = make_core()
    chat = wrote(core, SECRET)
    ask(core.app.commands, "keep_secret", **which(chat))
    core.close()
    again = make_core()
    assert shown(again, chat.id) == [("kept", True)]
    ask(again.app.commands, "undo_receipt", **which(chat))
    assert "‹hidden:password›" in logged(again)
    assert shown(again, chat.id) == []
    ask(again.app.commands, "undo_receipt", **which(chat))
    assert "‹hidden:password›" not in logged(again)
    assert shown(again, chat.id) == [("undone", False)]


@pytest.mark.parametrize(("back", "state"), [(1, []), (2, [("undone", False)])])
def test_restoring_a_version_before_a_kept_secret_changes_the_receipt(
    make_core: Make, back: int, state: list[tuple[str, bool]]
) -> None:
    core = make_core(call("write", {"path": "MEMORY.md", "content": f"# Memory\n- {SECRET}\n"}), say("Done."))
    core.put("MEMORY.md", "# Memory\n")
    chat = core.app.conversations.create(memory=True)
    chat.send("hello")
    chat.wait(60)
    ask(core.app.commands, "keep_secret", **which(chat))
    assert SECRET in core.file("MEMORY.md")
    versions = ask(core.app.commands, "list_versions", file="MEMORY.md")["versions"]
    ask(core.app.commands, "restore_version", file="MEMORY.md", version=versions[back]["id"])
    assert SECRET not in core.file("MEMORY.md")
    assert shown(core, chat.id) == state


def test_the_newest_change_is_the_last_one_made_also_of_an_earlier_turn(make_core: Make) -> None:
    core = make_core(say("Lovely."), call("memory_write", {"content": NOTE}), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    first = chat.send("My cat is called Tom.")
    chat.wait(60)
    chat.send("hello")
    chat.wait(60)
    chat.remember_turn(first)
    newest = chat.receipts.last()
    assert newest is not None and newest[0].id == first
    chat.receipts.undo(first, newest[1].call_id)
    then = chat.receipts.last()
    assert then is not None and then[0].id != first
    assert NOTE in logged(core) and "Tom" not in logged(core)


def test_the_last_change_is_undone_whoever_made_it(make_core: Make) -> None:
    core = make_core()
    chat = core.app.conversations.create(memory=True)
    note(core, chat, "I live in Bergen.")
    core.provider.queue(call("memory_write", {"content": NOTE}), say("Noted."))
    chat.send("hello")
    chat.wait(60)
    note(core, chat, "I like tea.")
    note(core, chat, "I row on Mondays.")
    left = ["row", "tea", NOTE, "Bergen"]
    while left:
        assert [each in logged(core) for each in left] == [True] * len(left)
        undone = chat.receipts.undo_last()
        assert undone is not None and left.pop(0) in undone.noted[0].text
    assert chat.receipts.undo_last() is None
    assert logged(core) == ""


def test_an_undone_note_keeps_what_the_owner_wrote_since(make_core: Make) -> None:
    core = make_core()
    chat = core.app.conversations.create(memory=True)
    log = note(core, chat, "I like tea.").file
    noted = core.file(log)
    core.put(log, noted + "\n## [23:59:59] fact\n\nMine.\n")
    chat.receipts.undo_last()
    assert "tea" not in core.file(log) and "Mine." in core.file(log)
    note(core, chat, "I like rice.")
    core.put(log, core.file(log).replace("rice", "brown rice"))
    with pytest.raises(FileConflict):
        chat.receipts.undo_last()
    assert "brown rice" in core.file(log)


def test_a_note_that_was_forgotten_is_no_longer_undone(make_core: Make) -> None:
    core = make_core()
    chat = core.app.conversations.create(memory=True)
    note(core, chat, "I like tea.")
    note(core, chat, "I live in Bergen.")
    core.app.forgetting.forget(core.app.forgetting.find("Bergen"))
    undone = chat.receipts.undo_last()
    assert undone is not None and "tea" in undone.noted[0].text
    note(core, chat, "I row on Mondays.")
    core.app.forgetting.forget(core.app.forgetting.find("Mondays"))
    assert chat.receipts.undo_last() is None


@pytest.mark.parametrize("undone", [False, True])
def test_a_forgotten_change_is_forgotten_after_a_restart(make_core: Make, undone: bool) -> None:
    core = make_core()
    chat = wrote(core)
    if undone:
        ask(core.app.commands, "undo_receipt", **which(chat))
        core.app.forgetting.forget(core.app.forgetting.find(NOTE))
    else:
        core.app.forgetting.forget(core.app.forgetting.find(LearnedIn(conversation=chat.id)))
    assert shown(core, chat.id) == [("forgotten", False)]
    core.close()
    assert shown(make_core(), chat.id) == [("forgotten", False)]


def test_what_is_left_of_a_partly_forgotten_change_still_counts(make_core: Make) -> None:
    core = make_core(call("write", {"path": "MEMORY.md", "content": f"- {NOTE}\n- green tea\n"}), say("Done."))
    core.put("MEMORY.md", "")
    chat = core.app.conversations.create(memory=True)
    chat.send("hello")
    chat.wait(60)
    core.app.forgetting.forget(core.app.forgetting.find(NOTE))
    assert shown(core, chat.id) == []
    receipt = chat.folded().turns[0].tools[0].receipt
    assert receipt is not None
    assert (receipt.added, receipt.removed) == (1, 0)
    ask(core.app.commands, "undo_receipt", **which(chat))
    assert core.file("MEMORY.md") == ""


def test_what_was_undone_can_be_saved_again(make_core: Make) -> None:
    core = make_core(say("I've saved that to my memory."))
    chat = core.app.conversations.create(memory=True)
    turn = chat.send("My boat is called Albatross.")
    chat.wait(60)
    assert chat.remember_turn(turn) is not None
    assert chat.remember_turn(turn) is None
    chat.receipts.undo(turn, chat.folded().turns[0].tools[0].call_id)
    assert chat.remember_turn(turn) is not None


def test_a_told_name_is_saved_to_its_place_in_the_profile(make_core: Make) -> None:
    core = make_core(say("Nice to meet you! I wrote that down."))
    core.put("USER.md", "# About my person\n\n## Name\n-\n\n## Habits\n-\n")
    chat = core.app.conversations.create(memory=True)
    turn = chat.send("Hi! My name is Anna.")
    chat.wait(60)
    receipt = chat.remember_turn(turn)
    assert receipt is not None
    assert (receipt.file, [each.text for each in receipt.noted]) == ("USER.md", ["Your name is Anna."])
    assert core.file("USER.md") == "# About my person\n\n## Name\n- Anna\n\n## Habits\n-\n"
    chat.receipts.undo(turn, chat.folded().turns[0].tools[0].call_id)
    assert "Anna" not in core.file("USER.md")


def test_what_is_saved_by_several_clicks_at_once_is_saved_once(make_core: Make) -> None:
    core = make_core(say("I've saved that to my memory."))
    chat = core.app.conversations.create(memory=True)
    turn = chat.send("My boat is called Albatross.")
    chat.wait(60)
    together = Barrier(6)

    def click() -> bool:
        together.wait(60)
        return chat.remember_turn(turn) is not None

    with ThreadPoolExecutor(6) as pool:
        made = [each.result(60) for each in [pool.submit(click) for _ in range(6)]]
    assert made.count(True) == 1
    assert logged(core).count("Albatross") == 1


def test_a_call_without_a_receipt_is_refused(make_core: Make) -> None:
    core = make_core()
    chat = wrote(core)
    gone = {**which(chat), "call": "gone"}
    for command in ("undo_receipt", "redo_receipt"):
        assert refused(core.app.commands, command, **gone)["code"] == "unknown_receipt"


def test_the_entry_is_read_as_it_was_written_and_nonsense_is_damaged() -> None:
    entry = ReceiptChanged(id="i", at="2026-11-22T10:00:00+01:00", turn="t", done="d", state="undone")
    assert decode_entry(encode_entry(entry)) == entry
    with pytest.raises(ValueError, match="state"):
        decode_entry(json.dumps({**json.loads(encode_entry(entry)), "state": "lost"}))
