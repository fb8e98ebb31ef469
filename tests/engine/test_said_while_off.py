"""What was said after memory had gone OFF in mid-reply: never indexed, never written down by the pet."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pet.engine.conversation import LiveConversation
from pet.model import TurnEnd
from tests.engine.conftest import Core, Make
from tests.engine.reader import reader
from tests.engine.test_compaction import FILLER, compacted, kinds, tell
from tests.support.models.scripted import Hold, say
from tests.support.program.invoking import ask


def found(core: Core, word: str) -> list[str]:
    hits = core.app.index.get().search(word, 20, conversations=True)
    return [hit.snippet for hit in hits if word in hit.snippet]


def speak(core: Core, chat: LiveConversation, hold: Hold, off: Callable[[], None]) -> None:
    """A plain reply during which memory goes off; it may end its sentence."""
    chat.send("Tell me of the heron.")
    hold.wait_reached()
    off()
    hold.release()
    chat.wait(60)
    assert chat.folded().turns[-1].end is TurnEnd.DONE
    assert chat.folded().turns[-1].reply == "The heron is grey and quenelle."


@pytest.mark.parametrize("how", ["pause", "pause and go on", "switch"])
def test_a_reply_that_went_on_after_the_pause_is_in_no_index(make_core: Make, how: str) -> None:
    hold = Hold()
    core = make_core(say("The heron is grey", hold, " and quenelle."))
    chat = core.app.conversations.create(memory=True)

    def off() -> None:
        if how == "switch":
            chat.set_memory(False)
            return
        core.app.pause(True)
        if how == "pause and go on":
            core.app.pause(False)

    speak(core, chat, hold, off)
    assert found(core, "Tell")
    assert not found(core, "quenelle")


def test_what_was_said_off_is_not_before_the_pet_when_it_writes_down_what_is_worth_keeping(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("The heron is grey", hold, " and quenelle."))
    chat = core.app.conversations.create(memory=True)

    def off() -> None:
        core.app.pause(True)

    speak(core, chat, hold, off)
    core.provider.queue(*[reader()] * 100)
    tell(chat, "said-while-paused")
    core.app.pause(False)
    for number in range(12):
        tell(chat, f"said-while-on {number} {FILLER}")
    compacted(chat)
    at = kinds(core).index("flush")
    flush = "".join(str(message) for message in core.provider.requests[at].messages)
    assert "said-while-on" in flush and "Tell me of the heron" in flush
    assert "said-while-paused" not in flush and "quenelle" not in flush


def bytes_with(folder: Path, word: str) -> list[str]:
    """The files under the folder that hold the word."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return sorted(path.relative_to(folder).as_posix() for path in files if word.encode() in path.read_bytes())


def test_what_was_said_off_is_in_no_byte_of_the_index_unless_saved_and_gone_once_forgotten(make_core: Make) -> None:
    """Free pages, search segments and the write-ahead log included."""
    core = make_core(say("Kept between us."), say("And what else?"), say("Fine."))
    chat = core.app.conversations.create(memory=False)
    chat.send("Remember that the heron is called Quenelle.")
    chat.wait(60)
    on = core.app.conversations.create(memory=True)
    on.send("Good morning, old friend.")
    on.wait(60)
    assert found(core, "morning")
    cache, root = core.home.cache, core.app.store.root
    assert bytes_with(cache, "Quenelle") == []
    assert all(file.startswith("conversations/") for file in bytes_with(root, "Quenelle"))
    chat.remember_turn(chat.folded().turns[0].id, switch_on=True)
    assert found(core, "Quenelle")
    assert bytes_with(cache, "Quenelle") != []
    ask(core.app.commands, "forget", text="Quenelle")
    assert not found(core, "Quenelle")
    assert bytes_with(cache, "Quenelle") == bytes_with(cache, "quenelle") == []
    left = [file for file in bytes_with(root, "Quenelle") if not file.startswith("conversations/")]
    assert left == [], "what was said aloud stays in its conversation alone"
