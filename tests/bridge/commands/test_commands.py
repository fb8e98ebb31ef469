"""The commands as the page sends them: JSON in, envelopes out, the whole core behind them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pet.bridge.command import Client
from pet.bridge.emitter import event_data
from pet.events import WorkspaceChanged
from pet.workspace.watcher import Watcher
from tests.engine.conftest import Core, Make
from tests.engine.test_turn import wait_for_proposal
from tests.support.models.scripted import Hold, call, say
from tests.support.program import invoking


def ask(core: Core, name: str, client: Client = Client.CHAT, **args: object) -> Any:
    return invoking.ask(core.app.commands, name, client, **args)


def fails(core: Core, name: str, client: Client = Client.CHAT, **args: object) -> str:
    code: str = invoking.refused(core.app.commands, name, client, **args)["code"]
    return code


def test_a_conversation_opened_while_it_streams_has_the_text_so_far(make_core: Make) -> None:
    hold = Hold()
    core = make_core(say("so far", hold, " and on"))
    chat = ask(core, "new_conversation")["info"]["id"]
    ask(core, "send_message", conversation=chat, text="tell")
    hold.wait_reached()
    view = ask(core, "open_conversation", conversation=chat)
    assert view["turns"][0]["rounds"] == [{"round": 1, "text": "so far"}]
    assert view["turns"][0]["end"] is None
    assert view["info"]["running"]
    assert view["seq"] > 0
    hold.release()
    core.app.conversations.open(chat).wait(60)
    view = ask(core, "open_conversation", conversation=chat)
    assert view["turns"][0]["rounds"][0]["text"] == "so far and on"
    assert view["turns"][0]["end"] == "done"


def test_a_soul_of_50_mb_is_announced_to_the_page_and_left_out_of_messages(make_core: Make) -> None:
    """``large_soul.json`` is what the page is given; its own test shows the notice that it makes of it."""
    core = make_core(say("hello"))
    core.put("SOUL.md", "I am a cat.")
    core.app.store.observe("SOUL.md")
    core.events.clear()
    watcher = Watcher(core.app.store)
    watcher.start()
    try:
        with (core.app.store.root / "SOUL.md").open("wb") as soul:
            soul.write(b"I am a cat.\n" * 4_200_000)
        event = core.wait_for(lambda each: isinstance(each, WorkspaceChanged) and not each.version)
    finally:
        watcher.stop()
    page = json.loads((Path(__file__).parents[3] / "ui/src/tests/large_soul.json").read_text(encoding="utf-8"))
    assert {"event": event_data(event), "file": ask(core, "read_file", file="SOUL.md")} == page
    chat = ask(core, "new_conversation")["info"]["id"]
    ask(core, "send_message", conversation=chat, text="hi")
    core.app.conversations.open(chat).wait(60)
    (request,) = core.provider.requests
    assert "cat" not in "".join(block.text for block in request.system)


def test_of_a_long_conversation_the_newest_turns_come_first(make_core: Make) -> None:
    core = make_core(*(say(f"reply {at}") for at in range(4)))
    chat = ask(core, "new_conversation")["info"]["id"]
    for at in range(4):
        ask(core, "send_message", conversation=chat, text=f"message {at}")
        core.app.conversations.open(chat).wait(60)
    view = ask(core, "open_conversation", conversation=chat, newest=3)
    assert [turn["text"] for turn in view["turns"]] == ["message 1", "message 2", "message 3"]
    assert (view["earlier"], view["info"]["turns"]) == (1, 4)
    whole = ask(core, "open_conversation", conversation=chat)
    assert (len(whole["turns"]), whole["earlier"]) == (4, 0)
    assert ask(core, "open_conversation", conversation=chat, newest=9)["earlier"] == 0
    assert fails(core, "open_conversation", conversation=chat, newest=0) == "bad_arguments"


def test_an_open_proposal_is_in_the_view_and_is_answered(make_core: Make) -> None:
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat."}), say("thanks"))
    chat = ask(core, "new_conversation", memory=False)["info"]["id"]
    ask(core, "send_message", conversation=chat, text="be a cat")
    wait_for_proposal(core)
    proposal = ask(core, "open_conversation", conversation=chat)["turns"][0]["proposal"]
    assert proposal["after"] == "I am a cat."
    assert fails(core, "answer_proposal", conversation=chat, proposal="nope", answer="allow") == "unknown_proposal"
    assert (
        fails(core, "answer_proposal", conversation=chat, proposal=proposal["id"], answer="edit", text="  ")
        == "empty_content"
    )
    ask(core, "answer_proposal", conversation=chat, proposal=proposal["id"], answer="edit", text="I am a fox.")
    core.app.conversations.open(chat).wait(60)
    assert core.file("SOUL.md").strip() == "I am a fox."
    assert ask(core, "open_conversation", conversation=chat)["turns"][0]["proposal"] is None
    assert fails(core, "answer_proposal", conversation=chat, proposal=proposal["id"], answer="allow") == (
        "unknown_proposal"
    )


def test_the_editor_saves_and_a_stale_save_is_a_conflict_that_changes_nothing(make_core: Make) -> None:
    core = make_core()
    view = ask(core, "read_file", file="USER.md")
    saved = ask(core, "write_file", file="USER.md", text="one\ntwo\nthree\n", base=view["version"])
    assert saved["outcome"] == "saved"
    core.put("USER.md", "one\ntwo\nthree\nfrom outside\n")
    stale = ask(core, "write_file", file="USER.md", text="ONE\ntwo\nthree\n", base=saved["file"]["version"])
    assert stale["outcome"] == "conflict"
    assert stale["file"]["text"] == "one\ntwo\nthree\nfrom outside\n"
    assert stale["merged_text"] == "ONE\ntwo\nthree\nfrom outside\n"
    assert core.file("USER.md") == "one\ntwo\nthree\nfrom outside\n"


def test_versions_diff_restore_and_undo(make_core: Make) -> None:
    core = make_core()
    first = ask(core, "read_file", file="SOUL.md")
    saved = ask(core, "write_file", file="SOUL.md", text="other\n", base=first["version"])
    versions = ask(core, "list_versions", file="SOUL.md")["versions"]
    assert versions[0]["current"]
    diff = ask(core, "diff_versions", file="SOUL.md", old=versions[1]["id"])
    assert diff["added"] == 1
    assert saved["receipt"]["before"] == first["version"]
    undone = ask(core, "restore_version", file="SOUL.md", version=versions[1]["id"])
    assert undone["file"]["text"] == first["text"]
    restored = ask(core, "restore_version", file="SOUL.md", version=versions[0]["id"])
    assert restored["file"]["text"] == "other\n"
    assert fails(core, "restore_version", file="SOUL.md", version="nope") == "version_unknown"


@pytest.mark.parametrize(
    "file", ["../x", "/etc/passwd", "soul.md", "SOUL.md ", "conversations/x.jsonl", "pet.toml", ""]
)
def test_no_other_path_is_a_file(make_core: Make, file: str) -> None:
    assert fails(make_core(), "read_file", file=file) == "path_refused"


def test_a_file_that_is_not_utf8_is_an_error_state_and_is_not_overwritten(make_core: Make) -> None:
    core = make_core()
    (core.app.store.root / "USER.md").write_bytes("小红".encode("gbk"))
    view = ask(core, "read_file", file="USER.md")
    assert (view["state"], view["problem"]) == ("broken", "file_not_utf8")
    assert fails(core, "write_file", file="USER.md", text="x", base=view["version"]) == "file_not_utf8"
    assert (core.app.store.root / "USER.md").read_bytes() == "小红".encode("gbk")


def test_an_earlier_version_of_a_broken_file_is_shown_and_restored(make_core: Make) -> None:
    core = make_core()
    good = ask(core, "read_file", file="SOUL.md")
    (core.app.store.root / "SOUL.md").write_bytes("小红".encode("gbk"))
    ask(core, "read_file", file="SOUL.md")  # which records what another program wrote
    kept = next(each for each in ask(core, "list_versions", file="SOUL.md")["versions"] if not each["current"])
    diff = ask(core, "diff_versions", file="SOUL.md", old=kept["id"])
    assert (diff["added"], diff["removed"]) == (0, len(good["text"].splitlines()))
    restored = ask(core, "restore_version", file="SOUL.md", version=kept["id"])
    assert (restored["file"]["state"], restored["file"]["text"]) == ("present", good["text"])


def test_tabs_and_drafts_come_back_after_a_restart_but_temporary_ones_do_not(make_core: Make) -> None:
    core = make_core()
    kept = ask(core, "new_conversation")["info"]["id"]
    gone = ask(core, "new_conversation", temporary=True)["info"]["id"]
    tabs = [{"conversation": each, "draft": "half a thought", "scroll": 3.0} for each in (kept, gone)]
    ask(core, "save_tabs", tabs=tabs, active=kept)
    core.close()
    state = ask(make_core(), "get_app_state")
    assert state["tabs"] == [{**tabs[0], "attachments": [], "pinned": False}]
    assert state["active_tab"] == kept


def test_pause_forces_off_survives_a_restart_and_leaves_the_switch(make_core: Make) -> None:
    core = make_core(say("hi"), say("hi"))
    chat = ask(core, "new_conversation", memory=True)["info"]["id"]
    ask(core, "send_message", conversation=chat, text="hello")
    core.app.conversations.open(chat).wait(60)
    ask(core, "pause_memory", paused=True)
    core.close()
    again = make_core()
    assert ask(again, "get_app_state")["paused"]
    live = again.app.conversations.open(chat)
    assert live.gate.switched_on
    assert not live.gate.access().memory


def test_the_key_is_never_in_a_reply(make_core: Make) -> None:
    core = make_core()
    key = "sk-ant-very-secret-1234"
    replies = [
        core.app.commands.invoke(Client.CHAT, "set_key", json.dumps({"key": key, "keep": "session"})),
        core.app.commands.invoke(Client.CHAT, "set_key", json.dumps({"key": key + "\n\x00", "keep": "session"})),
        core.app.commands.invoke(Client.CHAT, "get_app_state", "{}"),
        core.app.commands.invoke(Client.CHAT, "get_settings", "{}"),
    ]
    assert json.loads(replies[2])["value"]["key"]["last4"] == "1234"
    assert not any("very-secret" in reply for reply in replies)


def test_settings_change_all_or_none(make_core: Make) -> None:
    core = make_core()
    assert fails(core, "change_settings", changes={"model": "m", "max_tokens": -1}) == "settings_out_of_range"
    assert ask(core, "get_settings")["model"] != "m"
    assert ask(core, "change_settings", changes={"model": "m"})["model"] == "m"


def test_what_my_pet_sees_is_what_is_sent(make_core: Make) -> None:
    core = make_core(say("hi"))
    core.put("MEMORY.md", "- a shared joke\n")
    for memory in (True, False):
        view = ask(core, "preview_prompt", memory=memory)
        chat = core.app.conversations.create(memory=memory)
        core.provider.queue(say("hi"))
        chat.send("hello")
        chat.wait(60)
        blocks = [block.text for block in core.provider.requests[-1].system]
        sent = "".join(blocks)
        assert view["blocks"] == blocks
        assert all(section["text"] in sent for section in view["sections"])
        assert ("a shared joke" in sent) is memory
        assert view["tools"] == [tool.name for tool in core.provider.requests[-1].tools]


def test_a_stale_socket_client_may_not_read_files(make_core: Make) -> None:
    core = make_core()
    assert fails(core, "read_file", Client.SOCKET, file="SOUL.md") == "not_allowed"
    assert fails(core, "read_file", Client.PET, file="SOUL.md") == "not_allowed"
    assert ask(core, "get_status", Client.SOCKET)["running_turns"] == 0


def test_deleting_a_conversation_deletes_its_transcript(make_core: Make) -> None:
    core = make_core(say("hi"))
    chat = ask(core, "new_conversation")["info"]["id"]
    ask(core, "send_message", conversation=chat, text="hello")
    core.app.conversations.open(chat).wait(60)
    assert [each["title"] for each in ask(core, "list_conversations")["conversations"]] == ["hello"]
    ask(core, "delete_conversation", conversation=chat)
    assert ask(core, "list_conversations")["conversations"] == []
    assert fails(core, "open_conversation", conversation=chat) == "unknown_conversation"


def test_allowing_is_only_for_what_was_shown(make_core: Make) -> None:
    """The text that is saved is the proposal's own, not one the page sends along with "allow"."""
    core = make_core(call("write", {"path": "SOUL.md", "content": "I am a cat."}), say("thanks"))
    chat = core.app.conversations.create(memory=False)
    chat.send("be a cat")
    shown = wait_for_proposal(core).proposal
    ask(core, "answer_proposal", conversation=chat.id, proposal=shown.id, answer="allow", text="something else")
    chat.wait(60)
    assert core.file("SOUL.md").strip() == "I am a cat."


def test_a_page_that_names_hosts_without_end_fills_no_state(make_core: Make) -> None:
    core = make_core()
    for number in range(130):
        ask(core, "acknowledge_host", host=f"host-{number}")
    ask(core, "acknowledge_host", host="host-100")
    told = ask(core, "get_app_state")["acknowledged_hosts"]
    assert len(told) == len(set(told)) == 100
    assert told[-2:] == ["host-129", "host-100"]
