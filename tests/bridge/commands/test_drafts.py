"""What is on its way into a message survives a restart, goes when it is taken out, and is never cut in silence."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

import pytest

from pet.bridge.chat_state import SavedTabs
from pet.events import ConversationDeleted
from pet.model import Attachment
from pet.serde import FORMAT
from pet.settings import program_state
from pet.settings.program_state import JsonState
from pet.untrusted.regular_files import read_regular
from pet.workspace.attachments import Attachments
from tests.bridge.commands.test_sent_along import add, answer, picture, send, stored
from tests.engine.conftest import Make
from tests.support.models.scripted import fail, say
from tests.support.program.invoking import refused
from tests.workspace.test_attachments import LaterClock


def keep(conversation: str, *attachments: Attachment, draft: str = "") -> dict[str, object]:
    return {"tabs": [tab(conversation, *attachments, draft=draft)], "active": conversation}


def tab(conversation: str, *attachments: Attachment, draft: str = "") -> dict[str, object]:
    files = [asdict(each) for each in attachments]
    return {"conversation": conversation, "draft": draft, "scroll": 0.0, "attachments": files}


def test_files_of_a_draft_are_there_after_a_restart_under_their_names(make_core: Make) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False)
    cat, notes = add(core, live, picture()), add(core, live, b"read me", "notes.md")
    answer(core, "save_tabs", keep(live.id, cat, notes))
    core.close()
    again = make_core(say("A cat."))
    (tab,) = answer(again, "get_app_state", {})["tabs"]
    assert [each["name"] for each in tab["attachments"]] == ["cat.png", "notes.md"]
    reopened = again.app.conversations.open(live.id)
    send(again, reopened, "look", cat, notes)
    assert [each.name for each in reopened.folded().turns[-1].attachments] == ["cat.png", "notes.md"]


def test_a_draft_keeps_its_files_from_the_daily_care_and_a_lost_one_is_left_out(make_core: Make) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False)
    kept, loose = add(core, live, picture(1)), add(core, live, picture(2))
    answer(core, "save_tabs", keep(live.id, kept))
    late = Attachments(core.app.store.root, LaterClock(2), drafted=lambda: {kept.id})
    late.collect()
    assert stored(core, kept.id)
    assert stored(core, loose.id) is None
    (core.app.store.root / "attachments" / kept.id).unlink()
    assert answer(core, "get_app_state", {})["tabs"][0]["attachments"] == []


def test_what_is_taken_out_again_goes_at_once_unless_it_was_sent(make_core: Make) -> None:
    core = make_core(say("seen"))
    live = core.app.conversations.create(memory=False)
    sent, other = add(core, live, picture(1)), add(core, live, picture(2))
    send(core, live, "look", sent)
    for each in (sent, other):
        answer(core, "discard_attachment", {"attachment": each.id})
    answer(core, "discard_attachment", {"attachment": "../../SOUL.md"})
    assert stored(core, sent.id)
    assert stored(core, other.id) is None
    assert (core.app.store.root / "SOUL.md").exists()


def test_a_draft_keeps_its_files_when_a_conversation_that_sent_the_same_is_deleted(make_core: Make) -> None:
    core = make_core(say("A cat."), say("Again."))
    one, two = (core.app.conversations.create(memory=False) for _ in range(2))
    cat, alone = add(core, one, picture(1)), add(core, one, picture(2))
    send(core, one, "look", cat, alone)
    answer(core, "save_tabs", keep(two.id, cat))
    answer(core, "delete_conversation", {"conversation": one.id})
    assert stored(core, alone.id) is None
    send(core, two, "look again", cat)
    assert [each.id for each in two.folded().turns[-1].attachments] == [cat.id]


def test_a_temporary_conversations_draft_and_files_leave_nothing_on_disk(make_core: Make) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False, temporary=True)
    cat = add(core, live, picture())
    answer(core, "save_tabs", keep(live.id, cat, draft="a secret thought"))
    assert not (core.app.store.root / "attachments").exists()
    tabs = core.home.tabs_file.read_text()
    assert cat.id not in tabs
    assert "secret" not in tabs


def test_broken_state_file_loses_only_draft_attachments(make_core: Make) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False)
    answer(core, "save_tabs", keep(live.id, draft="half a thought"))
    state = json.loads(core.home.tabs_file.read_text())
    (tab,) = state[f"tabs.{core.app.pet_id}"]
    tab["attachments"] = [{"id": "../x"}, 7, None]
    core.home.tabs_file.write_text(json.dumps(state))
    (shown,) = answer(core, "get_app_state", {})["tabs"]
    assert (shown["draft"], shown["attachments"]) == ("half a thought", [])


def test_a_draft_that_is_cut_says_so_and_the_other_tabs_are_kept(make_core: Make) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False)
    said = refused(core.app.commands, "save_tabs", **keep(live.id, draft="x" * 200_001))
    assert (said["code"], said["args"]) == ("draft_too_long", {"limit": 200_000})
    (tab,) = answer(core, "get_app_state", {})["tabs"]
    assert len(tab["draft"]) == 200_000


@pytest.mark.parametrize("name", ["send_message", "save_tabs"])
def test_a_text_over_two_million_characters_has_words_of_its_own(make_core: Make, name: str) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False)
    text = "x" * (2 * 1024 * 1024 + 1)
    message = {"conversation": live.id, "text": text}
    said = refused(core.app.commands, name, **(message if name == "send_message" else keep(live.id, draft=text)))
    assert said["code"] == "text_too_long"
    assert said["args"]["limit"] == 2
    assert live.folded().turns == ()


def test_a_megabyte_of_text_goes_along_whole(make_core: Make) -> None:
    core = make_core(say("Long."))
    core.app.settings.change({"context_window": 1_000_000})
    live = core.app.conversations.create(memory=False)
    text = "".join(f"line {number}\n" for number in range(95_000))
    notes = add(core, live, text.encode(), "long.txt")
    send(core, live, "read it", notes)
    request = core.provider.requests[-1]
    carried = "".join(getattr(part, "text", "") for part in request.messages[-1].parts)
    assert text.strip() in carried
    assert len(text) > 1_000_000


def test_where_the_message_alone_is_too_much_for_the_model_it_says_that(make_core: Make) -> None:
    core = make_core(*[fail("window_exceeded")] * 3)
    live = core.app.conversations.create(memory=False)
    send(core, live, "word " * 200_000)
    fault = live.folded().turns[-1].error
    assert fault is not None
    assert fault.code == "fault_message_too_long"
    tokens = fault.args["tokens"]
    assert isinstance(tokens, int)
    assert tokens > 200_000


NEWER = {"format": FORMAT + 1, "anything": [1]}


def test_small_files_of_a_newer_version_stay_and_the_chat_goes_on(make_core: Make) -> None:
    """Tabs, window places, tokens and the list of keys count as empty."""
    core = make_core(say("Hello."))
    live = core.app.conversations.create(memory=False)
    home = core.app.home
    files = (home.tabs_file, home.windows_file, home.usage_file, home.key_notes_file)
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(NEWER), "utf-8")
    send(core, live, "look")
    assert len(live.folded().turns) == 1
    assert answer(core, "get_app_state", {})["tabs"] == []
    core.close()
    assert [json.loads(file.read_bytes()) for file in files] == [NEWER] * 4


def test_tabs_that_cannot_be_saved_say_why(make_core: Make) -> None:
    core = make_core()
    file = core.app.home.tabs_file
    file.mkdir(parents=True)
    assert refused(core.app.commands, "save_tabs", tabs=[], active=None)["code"] == "write_failed"
    file.rmdir()
    file.write_text(json.dumps(NEWER), "utf-8")
    assert refused(core.app.commands, "save_tabs", tabs=[], active=None)["code"] == "newer_format"
    assert json.loads(file.read_bytes()) == NEWER


def test_files_of_drafts_that_a_newer_version_keeps_are_not_collected(make_core: Make) -> None:
    core = make_core()
    live = core.app.conversations.create(memory=False)
    note = add(core, live, b"read me", "notes.md")
    file = core.app.home.tabs_file
    late = Attachments(core.app.store.root, LaterClock(2), drafted=SavedTabs(JsonState(file), "pet").drafted)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(NEWER), "utf-8")
    late.collect()
    late.release(live.id, [note.id])
    assert stored(core, note.id)
    file.unlink()
    late.collect()
    assert stored(core, note.id) is None


def test_drafts_that_can_not_be_read_for_a_moment_stay_when_a_conversation_goes(
    make_core: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    core = make_core()
    kept, gone = (core.app.conversations.create(memory=False).id for _ in range(2))
    answer(core, "save_tabs", {"tabs": [tab(kept, draft="mine"), tab(gone)], "active": kept})
    looks = iter(range(100))

    def held_by_another_program(file: Path, most: int = -1) -> bytes:
        if next(looks) == 1:
            raise PermissionError(13, "held by another program", str(file))
        return read_regular(file, most)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(program_state, "read_regular", held_by_another_program)
        SavedTabs(JsonState(core.app.home.tabs_file), "pet").on_event(ConversationDeleted(conversation=gone))
    assert "mine" in core.app.home.tabs_file.read_text("utf-8")


def test_no_draft_is_lost_for_being_in_one_tab_of_many(make_core: Make) -> None:
    core = make_core()
    ids = [core.app.conversations.create(memory=False).id for _ in range(55)]
    drafts = {ids[0]: "first", ids[52]: "last", ids[53]: ""}
    tabs = [{"conversation": each, "draft": drafts.get(each, ""), "scroll": 0.0, "attachments": []} for each in ids]
    answer(core, "save_tabs", {"tabs": tabs, "active": ids[53]})
    state = json.loads(core.home.tabs_file.read_text(encoding="utf-8"))
    kept = {each["conversation"]: each["draft"] for each in state[f"tabs.{core.app.pet_id}"]}
    assert {each: kept.get(each) for each in drafts} == drafts
    assert state[f"active.{core.app.pet_id}"] == ids[53]


def test_of_ten_thousand_tabs_some_are_kept_and_a_draft_that_is_not_is_said(make_core: Make) -> None:
    core = make_core()
    ids = [core.app.conversations.create(memory=False).id for _ in range(3)]

    def stored_tabs() -> list[str]:
        state = json.loads(core.home.tabs_file.read_text(encoding="utf-8"))
        return [each["conversation"] for each in state[f"tabs.{core.app.pet_id}"]]

    many = [tab(ids[0], draft="mine"), *(tab(ids[1], draft=f"{number}") for number in range(9_998)), tab(ids[2])]
    said = refused(core.app.commands, "save_tabs", tabs=many, active=ids[2])
    assert (said["code"], said["args"]) == ("too_many_drafts", {"limit": 500})
    assert (len(stored_tabs()), stored_tabs()[0], stored_tabs()[-1]) == (501, ids[0], ids[2])
    pinned = [tab(ids[1]) | {"pinned": True}] * 10_000
    answer(core, "save_tabs", {"tabs": pinned, "active": ids[2]})
    assert len(stored_tabs()) == 500
